//! Which SYCL run time a library needs, and which one this process has.
//!
//! Two major versions of libsycl in one process end in a crash deep inside one of them, as soon as a queue of
//! the one reaches the other. Loaders do not notice, so this looks first.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use object::elf::{DT_NEEDED, DT_SONAME, DynamicTag, FileHeader64};
use object::read::elf::ElfFile;
use object::{Endianness, ReadCache, read};

/// The names of the libraries that `library` needs.
pub(crate) fn needed(library: &Path) -> Vec<PathBuf> {
    let names = tagged_names(library, DT_NEEDED).into_iter();
    names.map(|name| OsString::from_vec(name).into()).collect()
}

/// The SYCL run times that are mapped into this process.
pub(crate) fn mapped() -> Vec<PathBuf> {
    let maps = fs::read("/proc/self/maps").unwrap_or_default();
    libraries_in(&maps)
}

/// Whether `path` is called like a SYCL run time: `libsycl.so.9`, its variant of breaking changes, or a copy that a Python
/// wheel carries, `libsycl-1a2b3c4d.so.9`.
pub(crate) fn is_libsycl(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
    let Some(rest) = name.strip_prefix(b"libsycl") else {
        return false;
    };
    let rest = rest.strip_prefix(b"-preview").unwrap_or(rest);
    let rest = match rest {
        [b'-', digest @ ..] if digest.len() > 8 && digest[..8].iter().all(u8::is_ascii_hexdigit) => {
            &digest[8..]
        }
        _ => rest,
    };
    rest.starts_with(b".so")
}

/// The SYCL run times in the text of a process's memory map.
fn libraries_in(maps: &[u8]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for line in maps.split(|&byte| byte == b'\n') {
        // Address, permissions, offset, device and inode come first, and hold no slash.
        let Some(start) = line.iter().position(|&byte| byte == b'/') else {
            continue;
        };
        let path = PathBuf::from(OsString::from_vec(line[start..].to_vec()));
        if is_libsycl(&path) && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// The name by which other libraries need `library`: the one it gives itself, else that of its file.
pub(crate) fn soname(library: &Path) -> Vec<u8> {
    let given = tagged_names(library, DT_SONAME).into_iter().next();
    given.unwrap_or_else(|| library.file_name().unwrap_or(OsStr::new("")).as_bytes().to_vec())
}

/// The names that the dynamic section of `library` gives under `tag`; none if it cannot be read.
fn tagged_names(library: &Path, tag: DynamicTag) -> Vec<Vec<u8>> {
    let names = |file: File| -> read::Result<Vec<Vec<u8>>> {
        // Only what is asked for is read: libsycl is large.
        let data = ReadCache::new(file);
        let elf = ElfFile::<FileHeader64<Endianness>, _>::parse(&data)?;
        let table = elf.elf_dynamic_table()?;
        table
            .iter()
            .filter(|entry| entry.tag == tag)
            .map(|entry| table.string(entry).map(<[u8]>::to_vec))
            .collect()
    };
    File::open(library)
        .ok()
        .and_then(|file| names(file).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_times_are_found_in_memory_maps() {
        let maps = b"\
7f00-7f01 r--p 00000000 08:01 1 /opt/one api/lib/libsycl.so.8
7f01-7f02 r-xp 00001000 08:01 1 /opt/one api/lib/libsycl.so.8
7f02-7f03 r-xp 00001000 08:01 1 /usr/lib/libsycl-jit.so.9
7f03-7f04 rw-p 00000000 00:00 0 [heap]
7f04-7f05 rw-p 00000000 00:00 0 
7f05-7f06 r-xp 00000000 08:01 2 /env/lib/libsycl.so.9.0.0
7f06-7f07 r-xp 00000000 08:01 2 /env/lib/libsycl-preview.so.9
7f07-7f08 r-xp 00000000 08:01 2 /env/lib/libsycl-devicelib-host.so
7f08-7f09 r-xp 00000000 08:01 2 /wheel.libs/libsycl-3bb5ab4e.so.8.0.0 (deleted)
";
        assert_eq!(
            libraries_in(maps),
            [
                Path::new("/opt/one api/lib/libsycl.so.8"),
                Path::new("/env/lib/libsycl.so.9.0.0"),
                Path::new("/env/lib/libsycl-preview.so.9"),
                Path::new("/wheel.libs/libsycl-3bb5ab4e.so.8.0.0 (deleted)")
            ]
        );
    }

    #[test]
    fn a_library_names_what_it_needs() {
        let own = std::env::current_exe().unwrap();
        assert!(
            tagged_names(&own, DT_NEEDED)
                .iter()
                .any(|name| name.starts_with(b"libc.so"))
        );
        assert_eq!(
            tagged_names(&own.with_extension("none"), DT_NEEDED),
            Vec::<Vec<u8>>::new()
        );
    }
}

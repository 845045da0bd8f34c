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

const PREFIX: &[u8] = b"libsycl.so";

/// A SYCL run time in this process: another one than a library needs.
pub(crate) struct Conflict {
    /// The name that the library needs, such as `libsycl.so.8`.
    pub(crate) needed: String,
    /// The file that is loaded.
    pub(crate) loaded: PathBuf,
}

/// The run time that is loaded and is not the one that `library` needs, if there is one. A file that is no
/// library needs none.
pub(crate) fn conflict(library: &Path) -> Option<Conflict> {
    let needed = tagged_names(library, DT_NEEDED)
        .into_iter()
        .find(|name| name.starts_with(PREFIX))?;
    let loaded = mapped().into_iter().find(|loaded| soname(loaded) != needed)?;
    Some(Conflict {
        needed: String::from_utf8_lossy(&needed).into_owned(),
        loaded,
    })
}

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

/// Whether `path` is called like a SYCL run time.
pub(crate) fn is_libsycl(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_bytes().starts_with(PREFIX))
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
";
        assert_eq!(
            libraries_in(maps),
            [
                Path::new("/opt/one api/lib/libsycl.so.8"),
                Path::new("/env/lib/libsycl.so.9.0.0")
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

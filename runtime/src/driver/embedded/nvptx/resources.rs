//! The device functions for NVIDIA's GPUs that the compiler library has inside.
//!
//! It embeds files: a table of paths, texts and their lengths among its relocated data.

use std::fs;
use std::path::Path;

use object::read::elf::{ElfFile, SectionHeader};
use object::{Endianness, ReadCache, ReadRef, elf};

use crate::driver::CompileError;
use crate::driver::source::{unreadable, unwritable};

/// The embedded file, as the library names it.
const EMBEDDED: &str = "/sycl-jit-toolchain/lib/clang/23/lib/nvptx64-nvidia-cuda/libspirv.l64.signed_char.bc";

/// Where the compiler looks for that file on the file system.
const LOOKED_FOR: &str = "lib/clang/23/lib/nvptx64-nvidia-cuda/libspirv.l64.signed_char.bc";

/// How far behind the address of a path in the table the address of the text stands, and the text's length.
const TEXT: u64 = 16;
const LENGTH: u64 = 24;

/// Writes what the compiler looks for below `folder`, taken from the compiler library `library`.
pub(super) fn extract(library: &Path, folder: &Path) -> Result<(), CompileError> {
    let file = fs::File::open(library).map_err(unreadable(library))?;
    let text = find(&ReadCache::new(file)).ok_or_else(|| CompileError::Refused {
        subject: library.display().to_string(),
        reason: format!("it does not hold {EMBEDDED} where this version of oxysycl looks for it"),
    })?;
    let path = folder.join(LOOKED_FOR);
    let parent = path.parent().expect("a file has a folder");
    fs::create_dir_all(parent).map_err(unwritable(parent))?;
    fs::write(&path, text).map_err(unwritable(&path))
}

/// The text of the embedded file in the library that `data` is.
fn find<'a, R: ReadRef<'a>>(data: R) -> Option<Vec<u8>> {
    let file = ElfFile::<elf::FileHeader64<Endianness>, R>::parse(data).ok()?;
    let endian = file.endian();
    let segments = file.elf_program_headers();
    let offset = |address: u64| {
        segments.iter().find_map(|segment| {
            let start = segment.p_vaddr.get(endian);
            let within = segment.p_type.get(endian) == elf::PT_LOAD
                && (start..start + segment.p_filesz.get(endian)).contains(&address);
            within.then(|| segment.p_offset.get(endian) + address - start)
        })
    };
    let mut pointers = Vec::new();
    for section in file.elf_section_table().iter() {
        let Some((relocations, _)) = section.rela(endian, data).ok().flatten() else {
            continue;
        };
        for relocation in relocations {
            if relocation.r_type(endian, false) == elf::R_X86_64_RELATIVE {
                pointers.push((
                    relocation.r_offset.get(endian),
                    relocation.r_addend.get(endian) as u64,
                ));
            }
        }
    }
    pointers.sort_unstable();
    let target = |place: u64| {
        let at = pointers.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        Some(pointers[at].1)
    };
    let wanted = [EMBEDDED.as_bytes(), &[0]].concat();
    let named = |address: u64| {
        let bytes = data.read_bytes_at(offset(address)?, wanted.len() as u64).ok()?;
        (bytes == wanted).then_some(())
    };
    pointers.iter().find_map(|(place, address)| {
        named(*address)?;
        let text = target(place + TEXT)?;
        let length = data.read_bytes_at(offset(place + LENGTH)?, 8).ok()?;
        let length = u64::from_le_bytes(length.try_into().ok()?);
        Some(data.read_bytes_at(offset(text)?, length).ok()?.to_vec())
    })
}

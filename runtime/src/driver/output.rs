//! Libraries, put into their place whole or not at all.

use std::path::Path;
use std::process::Command;

use object::read::elf::FileHeader;
use object::{Endianness, elf};

use super::source::unwritable;
use super::work::Work;
use super::{Cause, CompileError, command};

/// Runs `linker`, complete but for its output, and puts the shared library that it makes at `out`.
///
/// The library names no folder to look for others in: what it needs is loaded before it is, by path.
pub(super) fn publish(linker: &mut Command, work: &Work, out: &Path) -> Result<(), CompileError> {
    let library = work.own().join("library.so");
    linker.arg("-o").arg(&library);
    let finished = work.run(linker)?;
    if let Some(problem) = problem(&library) {
        let cause = Cause::BadOutput(problem.to_owned());
        return Err(command::failed(cause, linker, &finished));
    }
    command::show(&finished);
    std::fs::rename(&library, out).map_err(unwritable(out))
}

/// What keeps the file `path` from being a shared library.
fn problem(path: &Path) -> Option<&'static str> {
    let Ok(bytes) = std::fs::read(path) else {
        return Some("it left no output file");
    };
    if bytes.is_empty() {
        return Some("its output file is empty");
    }
    let header = elf::FileHeader64::<Endianness>::parse(bytes.as_slice());
    match header {
        Ok(header) if header.e_type(Endianness::Little) == elf::ET_DYN => None,
        _ => Some("its output file is not a shared library"),
    }
}

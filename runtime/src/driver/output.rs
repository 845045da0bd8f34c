//! Libraries, put into their place whole or not at all.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use object::read::elf::FileHeader;
use object::{Endianness, elf};

use super::{CompileError, command};

/// The linker options by which a library finds those in `folder` without any environment variable.
pub(super) fn rpath(folder: &Path) -> [OsString; 4] {
    // Not by way of -Wl, which splits at commas.
    [
        "-Xlinker".into(),
        "-rpath".into(),
        "-Xlinker".into(),
        folder.into(),
    ]
}

/// Runs `linker`, complete but for its output, and puts the shared library that it makes at `out`.
pub(super) fn publish(linker: &mut Command, out: &Path) -> Result<(), CompileError> {
    let error = |action| {
        let path = out.to_path_buf();
        move |source| CompileError::Io { action, path, source }
    };
    let out = std::path::absolute(out).map_err(error("cannot write"))?;
    let folder = out.parent().unwrap_or(Path::new("/"));
    // Beside its place, so that one rename puts it there.
    let staging = tempfile::Builder::new()
        .prefix(".oxysycl-")
        .tempdir_in(folder)
        .map_err(error("cannot write"))?;
    let library = staging.path().join("library.so");
    linker.arg("-o").arg(&library);
    let text = command::run(linker)?;
    if let Some(problem) = problem(&library) {
        return Err(CompileError::BadOutput {
            problem: problem.to_owned(),
            command: command::line(linker),
            output: text.to_string(),
        });
    }
    command::show(&text);
    std::fs::rename(&library, &out).map_err(error("cannot write"))
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

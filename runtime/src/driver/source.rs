//! A unit's source and options, as all compilers take them.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::CompileError;
use crate::unit::{Source, Unit};

/// Where a driver keeps its own files, below the folder that its compilers run in.
pub(super) const OWN: &str = "oxysycl";

/// The path of the unit's source for a compiler that runs in the folder `work`. A source that is no file is written there, so
/// that neither messages nor the library hold the name of a temporary folder.
pub(super) fn write_source(unit: &Unit, work: &Path) -> Result<PathBuf, CompileError> {
    match &unit.source {
        Source::Header { name, text } | Source::Host { name, text } => {
            let name = file_name(name);
            let path = work.join(&name);
            fs::write(&path, text).map_err(unwritable(&path))?;
            Ok(name.into())
        }
        Source::File(path) => std::path::absolute(path).map_err(unreadable(path)),
    }
}

/// `-I` options for the unit's include folders.
pub(super) fn include_options(unit: &Unit) -> Result<Vec<OsString>, CompileError> {
    unit.include_dirs
        .iter()
        .map(|folder| {
            let mut option = OsString::from("-I");
            option.push(std::path::absolute(folder).map_err(unreadable(folder))?);
            Ok(option)
        })
        .collect()
}

/// `-D` options for the unit's macros.
pub(super) fn define_options(unit: &Unit) -> Result<Vec<OsString>, CompileError> {
    unit.defines
        .iter()
        .map(|(name, value)| {
            check_macro(name, value)?;
            Ok(match value.as_str() {
                "" => format!("-D{name}").into(),
                value => format!("-D{name}={value}").into(),
            })
        })
        .collect()
}

/// A header's name as a file name: without folders, and without what cannot stand in an include line.
pub(super) fn file_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_control() || "\"<>\\".contains(c) {
                '_'
            } else {
                c
            }
        })
        .collect();
    match name.as_str() {
        "" | "." | ".." => "unit.hpp".to_owned(),
        // Our own files are called like this.
        _ if name.starts_with(OWN) => format!("unit-{name}"),
        _ => name,
    }
}

/// Refuses a macro that would be something else on a command line or in a `#define` line.
fn check_macro(name: &str, value: &str) -> Result<(), CompileError> {
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let identifier = letters && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty();
    if identifier && !value.contains(['\n', '\r']) {
        return Ok(());
    }
    Err(CompileError::Refused {
        subject: format!("macro {name:?} = {value:?}"),
        reason: "a macro's name is an identifier, and its value is one line".to_owned(),
    })
}

/// The error for a file that cannot be written.
pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> CompileError {
    io_error("cannot write", path)
}

/// The error for a file that cannot be read.
pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CompileError {
    io_error("cannot read", path)
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CompileError {
    let path = path.to_path_buf();
    move |source| CompileError::Io { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_checked() {
        assert!(check_macro("SGL_DTYPE_fp16", "").is_ok());
        assert!(check_macro("N", "4096").is_ok());
        assert!(check_macro("1N", "").is_err());
        assert!(check_macro("A B", "").is_err());
        assert!(check_macro("N", "1\n#error").is_err());
    }

    #[test]
    fn header_names_become_file_names() {
        assert_eq!(file_name("elementwise/rmsnorm.hpp"), "rmsnorm.hpp");
        assert_eq!(file_name("a\"b.hpp"), "a_b.hpp");
        assert_eq!(file_name("/"), "unit.hpp");
    }
}

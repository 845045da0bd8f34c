//! Looking for programs.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::work::SYSTEM;
use crate::environment;

/// The program `name` in the first folder on `PATH` that has it.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    first(&environment::variable("PATH")?, name)
}

/// The program `name` in the first of the system's own folders that has it, where compilers look for others.
pub(super) fn among_system_programs(name: &str) -> Option<PathBuf> {
    first(OsStr::new(SYSTEM), name)
}

fn first(folders: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(folders)
        // One that is not absolute means another folder to everybody.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

/// Whether `path` is a file that may be executed.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

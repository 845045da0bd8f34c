//! Looking for programs.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::environment;

/// The program `name` in the first folder on `PATH` that has it.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = environment::variable("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

/// Whether `path` is a file that may be executed.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

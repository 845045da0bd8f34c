//! The list of a toolchain's files, written last, by which a whole toolchain is told from a damaged one.

use std::fs;
use std::io;
use std::path::Path;

use super::ToolchainError;
use crate::trust;

/// The manifest's file name.
const NAME: &str = "manifest.txt";

/// Writes the manifest of the toolchain in `root`, if that has everything that is `needed`.
pub(super) fn write(root: &Path, needed: &[&str]) -> Result<(), ToolchainError> {
    for needed in needed {
        if !root.join(needed).exists() {
            return Err(ToolchainError::Incomplete {
                missing: (*needed).to_owned(),
            });
        }
    }
    let path = root.join(NAME);
    describe(root)
        .and_then(|files| fs::write(&path, files))
        .map_err(ToolchainError::writing(&path))
}

/// A line with path and length for every file below `root`, in a fixed order.
pub(crate) fn describe(root: &Path) -> io::Result<String> {
    let mut lines = Vec::new();
    list(root, "", &mut lines)?;
    lines.sort();
    Ok(lines.concat())
}

/// Whether all `files` that [`describe`] has a line for are below `root` in their full length, and nobody but this user and
/// root can have written them.
pub(crate) fn agrees(root: &Path, files: &str) -> bool {
    let is_trusted = |path: &Path| fs::metadata(path).is_ok_and(|found| trust::expect(&found).is_ok());
    is_trusted(root)
        && files.lines().all(|line| {
            let Some((path, length)) = line.rsplit_once(' ') else {
                return false;
            };
            let found = fs::metadata(root.join(path));
            found.is_ok_and(|found| found.len().to_string() == length && trust::expect(&found).is_ok())
        })
}

/// Whether `root` holds a toolchain with all its files in their full length, which only this user and root can have written.
pub(super) fn is_whole(root: &Path) -> bool {
    let Ok(manifest) = fs::read_to_string(root.join(NAME)) else {
        return false;
    };
    agrees(root, &manifest)
}

/// Appends a line with path and length for every file below `root`/`folder`. Links count as what they lead to.
fn list(root: &Path, folder: &str, lines: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}{}", entry.file_name().to_string_lossy());
        let found = fs::metadata(entry.path())?;
        if found.is_dir() {
            list(root, &format!("{path}/"), lines)?;
        } else {
            lines.push(format!("{path} {}\n", found.len()));
        }
    }
    Ok(())
}

//! The list of a toolchain's files, written last, by which a whole toolchain is told from a damaged one.

use std::fs;
use std::io;
use std::path::Path;

use super::ToolchainError;

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
    let mut lines = Vec::new();
    list(root, "", &mut lines)
        .and_then(|()| {
            lines.sort();
            fs::write(&path, lines.concat())
        })
        .map_err(ToolchainError::writing(&path))
}

/// Whether `root` holds a toolchain with all its files in their full length.
pub(super) fn is_whole(root: &Path) -> bool {
    let Ok(manifest) = fs::read_to_string(root.join(NAME)) else {
        return false;
    };
    manifest.lines().all(|line| {
        let Some((path, length)) = line.rsplit_once(' ') else {
            return false;
        };
        fs::metadata(root.join(path)).is_ok_and(|found| found.len().to_string() == length)
    })
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

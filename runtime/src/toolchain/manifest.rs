//! The list of a folder's files, written last, by which a whole toolchain is told from a damaged one: at each use by the
//! lengths of the files, and by their digests where there is reason to doubt.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::ToolchainError;
use crate::trust;

/// The manifest's file name.
const NAME: &str = "manifest.txt";

/// The name of the list of digests, which `sha256sum --check` reads too.
const DIGESTS: &str = "digests.txt";

/// Writes the manifest of the toolchain in `root`, if that has everything that is `needed`.
pub(super) fn write(root: &Path, needed: &[&str]) -> Result<(), ToolchainError> {
    for needed in needed {
        if !root.join(needed).exists() {
            return Err(ToolchainError::Incomplete {
                missing: (*needed).to_owned(),
            });
        }
    }
    seal(root, NAME).map_err(ToolchainError::writing(&root.join(NAME)))
}

/// Writes the lists of all files below `folder`: their digests, and their lengths into the file `name`.
pub(crate) fn seal(folder: &Path, name: &str) -> io::Result<()> {
    let mut digests = String::new();
    for path in paths(folder)? {
        let digest = digest(&folder.join(&path))?;
        digests += &format!("{digest}  {path}\n");
    }
    fs::write(folder.join(DIGESTS), digests)?;
    let mut lengths = String::new();
    for path in paths(folder)? {
        let length = fs::metadata(folder.join(&path))?.len();
        lengths += &format!("{path} {length}\n");
    }
    fs::write(folder.join(name), lengths)
}

/// Reads every file that [`seal`] found below `folder`: the paths of those that are not what they were. None if there is no
/// list of digests, as an older version of this project kept none.
pub(crate) fn damaged(folder: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let digests = match fs::read_to_string(folder.join(DIGESTS)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        digests => digests?,
    };
    let lines = digests.lines().filter_map(|line| line.split_once("  "));
    let differs = |(expected, path): (&str, &str)| {
        let path = folder.join(path);
        let same = digest(&path).is_ok_and(|digest| digest == expected);
        (!same).then_some(path)
    };
    Ok(Some(lines.filter_map(differs).collect()))
}

fn digest(path: &Path) -> io::Result<String> {
    Ok(hex::encode(Sha256::digest(fs::read(path)?)))
}

/// Whether all `files` that [`seal`] wrote a line for are below `root` in their full length, and nobody but this user and
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

/// Has the toolchain in `root` count as damaged from now on.
pub(super) fn condemn(root: &Path) -> Result<(), ToolchainError> {
    let path = root.join(NAME);
    fs::remove_file(&path).map_err(ToolchainError::writing(&path))
}

/// Whether `root` holds a toolchain with all its files in their full length, which only this user and root can have written.
pub(super) fn is_whole(root: &Path) -> bool {
    let Ok(manifest) = fs::read_to_string(root.join(NAME)) else {
        return false;
    };
    agrees(root, &manifest)
}

/// The paths of all files below `folder`, sorted. Links count as what they lead to.
fn paths(folder: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    list(folder, "", &mut paths)?;
    paths.sort();
    Ok(paths)
}

fn list(root: &Path, folder: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}{}", entry.file_name().to_string_lossy());
        if fs::metadata(entry.path())?.is_dir() {
            list(root, &format!("{path}/"), paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

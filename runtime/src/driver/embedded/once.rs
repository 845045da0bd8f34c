//! Folders that are made once, by whichever process comes first: complete or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::CompileError;
use super::super::source::unwritable;
use crate::lock::Lock;
use crate::toolchain::manifest;
use crate::trust;

/// Written last into a complete folder: a line with path and length for each of its files. One that is cut off since would
/// fail for ever, with an error of the compiler's own.
const COMPLETE: &str = "complete";

/// The name of every folder that is being made starts like this.
const STAGING: &str = ".preparing-";

/// Sees to it that `folder` is there. If it isn't, `build` makes it, being given a new folder and beside it another one for
/// what is not kept.
pub(super) fn ensure(
    folder: &Path,
    build: impl FnOnce(&Path, &Path) -> Result<(), CompileError>,
) -> Result<(), CompileError> {
    let complete = || {
        let files = fs::read_to_string(folder.join(COMPLETE));
        files.is_ok_and(|files| manifest::agrees(folder, &files))
    };
    if complete() {
        return Ok(());
    }
    let parent = folder.parent().expect("such a folder is in another");
    fs::create_dir_all(parent).map_err(unwritable(parent))?;
    let lock = parent.join("lock");
    let _lock = Lock::acquire_in_turn(&lock, "another process that prepares the embedded toolchain")
        .map_err(unwritable(&lock))?;
    if complete() {
        return Ok(());
    }
    remove_remains(parent).map_err(unwritable(parent))?;
    // Beside its place, so that one rename puts it there.
    let staging = trust::temporary_folder(STAGING, parent).map_err(unwritable(parent))?;
    let (built, work) = (staging.path().join("tools"), staging.path().join("work"));
    for made in [&built, &work] {
        fs::create_dir(made).map_err(unwritable(made))?;
    }
    build(&built, &work)?;
    manifest::seal(&built, COMPLETE).map_err(unwritable(&built.join(COMPLETE)))?;
    if folder.exists() {
        fs::rename(folder, staging.path().join("damaged")).map_err(unwritable(folder))?;
    }
    fs::rename(&built, folder).map_err(unwritable(folder))
}

/// Has the `folder` made anew the next time it is asked for, if one of its files is not what it was; whether that is so.
pub(super) fn condemn_if_damaged(folder: &Path) -> bool {
    let damaged = manifest::damaged(folder).ok().flatten().unwrap_or_default();
    for file in &damaged {
        eprintln!("oxysycl: {} is damaged", file.display());
    }
    !damaged.is_empty() && fs::remove_file(folder.join(COMPLETE)).is_ok()
}

/// The files of a complete `folder`.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_to_string(folder.join(COMPLETE)).unwrap_or_default();
    let paths = files.lines().filter_map(|line| line.rsplit_once(' '));
    paths.map(|(path, _)| folder.join(path)).collect()
}

/// Deletes what killed processes left in `parent`.
fn remove_remains(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_once_and_anew_when_one_of_their_files_changed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("host/tools");
        let made = std::cell::Cell::new(0);
        let ensure = || {
            ensure(&folder, |folder, _| {
                made.set(made.get() + 1);
                fs::write(folder.join("tool"), "a tool").map_err(unwritable(folder))
            })
            .unwrap();
        };
        ensure();
        ensure();
        assert!(!condemn_if_damaged(&folder));
        assert_eq!(made.get(), 1);
        // Of the same length, and then of another.
        fs::write(folder.join("tool"), "a fool").unwrap();
        assert!(condemn_if_damaged(&folder));
        ensure();
        assert_eq!(made.get(), 2);
        fs::write(folder.join("tool"), "a").unwrap();
        ensure();
        assert_eq!(made.get(), 3);
        assert_eq!(fs::read(folder.join("tool")).unwrap(), b"a tool");
    }
}

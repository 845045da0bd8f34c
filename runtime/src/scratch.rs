//! Temporary folders: among the system's, for what no cache can hold, and in a cache, for what is not yet in its place. Their
//! makers hold a lock in them as long as they live, so that those of killed ones are told apart, and deleted by others.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::lock::Lock;
use crate::trust;

/// Starts the name of every such folder among the system's.
const PREFIX: &str = "oxysycl-";

/// The lock's file name, by which these folders are told from those of others.
pub(crate) const LOCK: &str = "oxysycl.lock";

/// An empty folder is left alone for this long: its maker may be about to lock it.
const GRACE: Duration = Duration::from_secs(60);

/// A folder that is deleted with this value.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    _lock: Option<Lock>,
}

impl Scratch {
    /// A new folder in the folder for temporary files, `TMPDIR`. Those of killed processes are deleted first.
    pub(crate) fn new() -> io::Result<Self> {
        Self::inside(&std::env::temp_dir())
    }

    /// A new folder in the system's own folder for temporary files, where `TMPDIR` is no such folder.
    pub(crate) fn anywhere() -> io::Result<Self> {
        Self::new().or_else(|_| Self::inside(Path::new("/tmp")))
    }

    fn inside(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        Self::beginning_with(PREFIX, parent)
    }

    /// A new folder in `parent`, whose name begins with `prefix`.
    pub(crate) fn beginning_with(prefix: &str, parent: &Path) -> io::Result<Self> {
        let folder = trust::temporary_folder(prefix, parent)?;
        // Without a lock it works as well, but stays if its maker is killed.
        let lock = lock(folder.path()).ok().flatten();
        Ok(Self { folder, _lock: lock })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// The lock in `folder`. Its file appears locked, so that whoever finds it unlocked knows that its maker is gone.
fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    let making = folder.join(".lock");
    let lock = Lock::try_acquire(&making)?;
    fs::rename(making, folder.join(LOCK))?;
    Ok(lock)
}

/// Whether the maker of `folder` is known to live.
pub(crate) fn is_in_use(folder: &Path) -> bool {
    let lock = folder.join(LOCK);
    lock.exists() && matches!(Lock::try_acquire(&lock), Ok(None))
}

/// Deletes this user's folders in `parent` whose makers are gone. What cannot be deleted does no harm.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let _ = remove_abandoned(&entry);
    }
}

/// Deletes a folder of this kind if its maker is gone.
fn remove_abandoned(entry: &DirEntry) -> io::Result<()> {
    let found = entry.metadata()?;
    let is_own = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    let name = entry.file_name();
    if !is_own || !name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
        return Ok(());
    }
    let lock = entry.path().join(LOCK);
    if lock.exists() {
        match Lock::try_acquire(&lock)? {
            Some(_lock) => fs::remove_dir_all(entry.path()),
            None => Ok(()),
        }
    } else if found.modified()?.elapsed().is_ok_and(|age| age > GRACE) {
        // Only if it is empty: others may give their folders such names.
        fs::remove_dir(entry.path())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_ours_are_swept() {
        let parent = tempfile::tempdir().unwrap();
        let [theirs, dead] = ["oxysycl-results", "oxysycl-dead"].map(|name| parent.path().join(name));
        fs::create_dir(&theirs).unwrap();
        fs::create_dir(&dead).unwrap();
        fs::write(theirs.join("results.csv"), "1").unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * GRACE;
        fs::File::open(&theirs).unwrap().set_modified(long_ago).unwrap();
        let used = Scratch::inside(parent.path()).unwrap();
        sweep(parent.path());
        assert!(theirs.exists() && !dead.exists() && used.path().exists());
    }
}

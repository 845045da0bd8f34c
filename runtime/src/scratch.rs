//! Temporary folders: among the system's, for what no cache can hold, and in a cache, for what is not yet in its place. Their
//! makers hold a lock in them as long as they live, so that those of killed ones are told apart, and deleted by others.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::lock::Lock;
use crate::trust;

/// Starts the name of every such folder among the system's.
const PREFIX: &str = "oxysycl-";

/// The lock's file name.
pub(crate) const LOCK: &str = "lock";

/// A folder without a lock is left alone for this long: its maker may be about to lock it.
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
        // Without a lock it works as well, and is swept up a while after it was last written to.
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
        if let Some(_lock) = abandoned(&entry) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The lock of a folder of this kind, if its maker is gone.
fn abandoned(entry: &DirEntry) -> Option<Option<Lock>> {
    let found = entry.metadata().ok()?;
    let own = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    if !own
        || !entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
    {
        return None;
    }
    let lock: PathBuf = entry.path().join(LOCK);
    if lock.exists() {
        return Lock::try_acquire(&lock).ok()?.map(Some);
    }
    let age = found.modified().ok()?.elapsed().ok()?;
    (age > GRACE).then_some(None)
}

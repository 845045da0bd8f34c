//! One lock per entry, so that it is compiled once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::lock::Lock;

/// The folder of lock files in a cache folder.
const LOCKS: &str = "locks";

/// The lock on the entry `key`, which `about` describes, once nobody else holds it.
pub(super) fn acquire(folder: &Path, key: &str, about: &str) -> io::Result<Lock> {
    let waiting_for = format!("{about}, which another thread or process is compiling");
    Lock::acquire(&file(folder, key)?, &waiting_for)
}

/// The lock on the entry `key`, if nobody holds it.
pub(super) fn try_acquire(folder: &Path, key: &str) -> io::Result<Option<Lock>> {
    Lock::try_acquire(&file(folder, key)?)
}

fn file(folder: &Path, key: &str) -> io::Result<PathBuf> {
    let locks = folder.join(LOCKS);
    fs::create_dir_all(&locks)?;
    Ok(locks.join(key))
}

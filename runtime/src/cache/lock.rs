//! One advisory lock per entry, so that it is compiled once.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::key::Key;

/// The folder of lock files.
const LOCKS: &str = "locks";

/// How often a held lock is tried.
const PAUSE: Duration = Duration::from_millis(20);

/// How long to wait before saying so.
const PATIENCE: Duration = Duration::from_secs(3);

/// A held lock. The system gives it back when its process dies.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    /// Unlocks rather than just closes: a process forked meanwhile has the file open too.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// The lock on the entry `key`. While another process or thread holds it,
/// this waits, and after a few seconds says for what.
pub(super) fn acquire(folder: &Path, key: &Key, about: &str) -> io::Result<Lock> {
    let file = open(folder, key)?;
    let start = Instant::now();
    let mut said = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        if !said && start.elapsed() >= PATIENCE {
            eprintln!("oxysycl: waiting for {about}, which another thread or process is compiling");
            said = true;
        }
    }
}

/// The lock on the entry `key`, if nobody holds it.
pub(super) fn try_acquire(folder: &Path, key: &str) -> io::Result<Option<Lock>> {
    let file = open(folder, key)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn open(folder: &Path, key: impl std::fmt::Display) -> io::Result<File> {
    let locks = folder.join(LOCKS);
    fs::create_dir_all(&locks)?;
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(locks.join(key.to_string()))
}

//! Advisory locks on files. The system gives a lock back when its holder dies, however it dies; the file stays, because
//! deleting one that somebody waits for would let two in.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How often a held lock is tried.
const PAUSE: Duration = Duration::from_millis(20);

/// How long to wait before saying so.
const PATIENCE: Duration = Duration::from_secs(3);

/// A held lock.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Drop for Lock {
    /// Unlocks rather than just closes: a process forked meanwhile has the file open too.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Lock {
    /// The lock on `file`, which is made if need be. While somebody else holds it, this waits, and after a few seconds says
    /// `waiting_for` what.
    pub(crate) fn acquire(file: &Path, waiting_for: &str) -> io::Result<Self> {
        let file = open(file)?;
        let start = Instant::now();
        let mut said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            if !said && start.elapsed() >= PATIENCE {
                eprintln!("oxysycl: waiting for {waiting_for}");
                said = true;
            }
        }
    }

    /// The lock on `file`, which is made if need be; none while somebody else holds it.
    pub(crate) fn try_acquire(file: &Path) -> io::Result<Option<Self>> {
        let file = open(file)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn open(file: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(file)
}

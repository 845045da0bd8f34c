//! Which processes use which entries, so that none in use is deleted to make room.
//!
//! A process keeps one file, with the keys of what it uses, one a line, and holds a lock on it as long as it lives.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::lock::{Lock, host};
use crate::trust;

/// The folder of these files in a cache folder.
const FOLDER: &str = "locks/users";

/// What this process has written of itself to a cache.
#[derive(Debug, Default)]
pub(super) struct User(Mutex<Option<Own>>);

#[derive(Debug)]
struct Own {
    process: u32,
    file: File,
    keys: HashSet<String>,
    _lock: Lock,
}

impl User {
    /// Writes that this process uses the entry `key`. In a cache that cannot be written to, nothing is deleted either.
    pub(super) fn uses(&self, folder: &Path, key: &str) {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A forked process is another one.
        if own.as_ref().is_none_or(|own| own.process != std::process::id()) {
            *own = Own::new(folder);
        }
        if let Some(own) = own.as_mut()
            && !own.keys.contains(key)
            && writeln!(own.file, "{key}").is_ok()
        {
            own.keys.insert(key.to_owned());
        }
    }
}

impl Own {
    fn new(folder: &Path) -> Option<Self> {
        let folder = folder.join(FOLDER);
        trust::create_folder(&folder).ok()?;
        let path = folder.join(format!("{}.{}", host(), std::process::id()));
        let lock = Lock::try_acquire(&path).ok()??;
        // One of this number may have left it.
        let file = File::options().write(true).truncate(true).open(&path).ok()?;
        Some(Self {
            process: std::process::id(),
            file,
            keys: HashSet::new(),
            _lock: lock,
        })
    }
}

/// The keys of the entries in `folder` that are in use. Deletes what processes left that are gone.
pub(super) fn in_use(folder: &Path) -> HashSet<String> {
    let mut keys = HashSet::new();
    for path in files(folder) {
        match Lock::try_acquire(&path) {
            Ok(Some(_lock)) => drop(fs::remove_file(&path)),
            // Nobody can tell, so it counts as used.
            Ok(None) | Err(_) => {
                let text = fs::read_to_string(&path).unwrap_or_default();
                keys.extend(text.lines().map(str::to_owned));
            }
        }
    }
    keys
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(FOLDER)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

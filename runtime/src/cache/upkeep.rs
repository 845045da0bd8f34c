//! Looking through a cache and emptying it.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::{self, Flaw, Manifest};
use super::{Cache, bound, lock_file};
use crate::key::KeyFields;
use crate::lock::{Holder, Lock};
use crate::{scratch, trust};

/// Hexadecimal digits of a key.
const KEY_LENGTH: usize = 64;

/// An entry of a cache, as [`Cache::list`] and [`Cache::verify`] find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entry's key.
    pub key: String,
    /// Its folder.
    pub path: PathBuf,
    /// When it was made.
    pub made: Option<SystemTime>,
    /// When it was last used, to the minute.
    pub used: SystemTime,
    /// What was compiled and the library's length in bytes; or what is wrong with the entry, which will be
    /// compiled anew when it is needed.
    pub contents: Result<(String, u64), String>,
}

/// What [`Cache::clear`] or [`Cache::collect`] deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Entries.
    pub entries: usize,
    /// The length of their files, in bytes.
    pub bytes: u64,
}

impl Cache {
    /// All entries, by key. Libraries are looked at, not read.
    pub fn list(&self) -> io::Result<Vec<Listing>> {
        self.listings(Manifest::read)
    }

    /// All entries, each read and compared with its digest, by key.
    pub fn verify(&self) -> io::Result<Vec<Listing>> {
        self.listings(Manifest::verify)
    }

    fn listings(&self, read: fn(&Path, &str) -> Result<Manifest, Flaw>) -> io::Result<Vec<Listing>> {
        let Ok(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for key in keys(folder)? {
            let path = folder.join(&key);
            let contents = match read(&path, &key) {
                Ok(manifest) => Ok((manifest.about, manifest.bytes)),
                // Deleted since.
                Err(Flaw::Missing) => continue,
                Err(Flaw::Unusable(reason)) => Err(reason),
            };
            found.push(Listing {
                made: fs::metadata(&path).and_then(|found| found.modified()).ok(),
                used: entry::used(&path),
                key,
                path,
                contents,
            });
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(found)
    }

    /// Deletes all entries, logs, and what killed compilations left. Processes that have loaded an entry keep it, and what is
    /// being compiled now stays.
    pub fn clear(&self) -> io::Result<Cleared> {
        let Ok(folder) = &self.folder else {
            return Ok(Cleared::default());
        };
        let mut cleared = Cleared::default();
        for key in keys(folder)? {
            let bytes = entry::length(&folder.join(&key));
            if remove_unless_locked(folder, &key)? {
                cleared.entries += 1;
                cleared.bytes += bytes;
            }
        }
        remove_all_remains(folder)?;
        for log in files(&folder.join(super::LOGS))? {
            let _ = fs::remove_file(log);
        }
        Ok(cleared)
    }

    /// Deletes what killed compilations left, old logs, lock files without an entry, and the entries that were not used for the
    /// longest time, as far as the cache is larger than it may be.
    pub fn collect(&self) -> io::Result<Cleared> {
        let Ok(folder) = &self.folder else {
            return Ok(Cleared::default());
        };
        bound::sweep(folder, Duration::ZERO)?;
        bound::size().map_or(Ok(Cleared::default()), |most| bound::evict(folder, most))
    }

    /// What is being compiled now, and by whom: the entry's key, and the process with its machine.
    pub fn locks(&self) -> io::Result<Vec<(String, String)>> {
        let Ok(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut held = Vec::new();
        for key in keys(&folder.join(super::LOCKS))? {
            let path = folder.join(super::LOCKS).join(&key);
            if Lock::try_acquire(&path)?.is_none() {
                let holder =
                    Holder::of(&path).map_or_else(|| "somebody".to_owned(), |holder| holder.to_string());
                held.push((key, holder));
            }
        }
        Ok(held)
    }

    /// The entry that has most fields in common with `fields`, and what it was made of; none if no entry has any.
    pub fn nearest(&self, fields: &KeyFields) -> io::Result<Option<(String, KeyFields)>> {
        let Ok(folder) = &self.folder else {
            return Ok(None);
        };
        let manifests = keys(folder)?
            .into_iter()
            .filter_map(|key| Manifest::read(&folder.join(&key), &key).ok());
        let nearest = manifests.min_by_key(|manifest| manifest.fields.missing_in(fields).len());
        Ok(nearest.map(|manifest| (manifest.about, manifest.fields)))
    }
}

/// The names in `folder` that are keys.
pub(super) fn keys(folder: &Path) -> io::Result<Vec<String>> {
    Ok(names(folder)?
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| is_key(name))
        .collect())
}

/// What is in `folder`; nothing if there is no such folder.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(names(folder)?
        .into_iter()
        .map(|(_, entry)| entry.path())
        .collect())
}

/// Deletes what killed compilations of `key` left. The caller holds the lock on `key`; those who compile without it, and those
/// who use what could not be put into its place, hold one in their folders. What cannot be deleted does no harm.
pub(super) fn remove_remains(folder: &Path, key: &str) {
    let prefix = format!("{key}.");
    for (name, entry) in names(folder).unwrap_or_default() {
        if name.starts_with(&prefix) && !scratch::is_in_use(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Deletes what killed compilations left, of all keys that nobody compiles now.
pub(super) fn remove_all_remains(folder: &Path) -> io::Result<()> {
    for (name, _) in names(folder)? {
        let Some((key, _)) = name.split_once('.').filter(|(key, _)| is_key(key)) else {
            continue;
        };
        if let Some(_lock) = Lock::try_acquire(&lock_file(folder, key)?)? {
            remove_remains(folder, key);
        }
    }
    Ok(())
}

/// Deletes the entry `key`, unless somebody compiles it now; whether it did.
pub(super) fn remove_unless_locked(folder: &Path, key: &str) -> io::Result<bool> {
    match Lock::try_acquire(&lock_file(folder, key)?)? {
        Some(_lock) => remove_entry(folder, key),
        None => Ok(false),
    }
}

/// Deletes an entry such that nobody finds half of it: moved away first. False if there is none.
pub(super) fn remove_entry(folder: &Path, key: &str) -> io::Result<bool> {
    let grave = trust::temporary_folder(&format!("{key}."), folder)?;
    match fs::rename(folder.join(key), grave.path().join("entry")) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// What is in `folder`, with names; nothing if there is no such folder.
fn names(folder: &Path) -> io::Result<Vec<(String, DirEntry)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    entries
        .map(|entry| entry.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry)))
        .collect()
}

fn is_key(name: &str) -> bool {
    name.len() == KEY_LENGTH && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn folders_in_use_are_no_remains() {
        let cache = tempfile::tempdir().unwrap();
        let [dead, unlocked] = ["KEY.dead", "KEY.unlocked"].map(|name| cache.path().join(name));
        fs::create_dir(&dead).unwrap();
        fs::create_dir(&unlocked).unwrap();
        fs::write(unlocked.join(scratch::LOCK), "").unwrap();
        let used = Scratch::beginning_with("KEY.", cache.path()).unwrap();
        remove_remains(cache.path(), "KEY");
        assert!(!dead.exists() && !unlocked.exists() && used.path().exists());
    }
}

//! Looking through a cache and emptying it.

use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::entry::Manifest;
use super::{Cache, lock};
use crate::key::Key;

/// Hexadecimal digits of a key.
const KEY_LENGTH: usize = 64;

/// An entry of a cache, as [`Cache::list`] finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entry's key.
    pub key: String,
    /// Its folder.
    pub path: PathBuf,
    /// When it was made.
    pub made: Option<SystemTime>,
    /// What was compiled and the library's length in bytes; or what is wrong with the entry, which will be
    /// compiled anew when it is needed.
    pub contents: Result<(String, u64), String>,
}

/// What [`Cache::clear`] deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Entries.
    pub entries: usize,
    /// The length of their files, in bytes.
    pub bytes: u64,
}

impl Cache {
    /// All entries, each read and compared with its digest, by key.
    pub fn list(&self) -> io::Result<Vec<Listing>> {
        let Ok(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for (name, entry) in names(folder)? {
            if !is_key(&name) {
                continue;
            }
            let contents =
                Manifest::read(&entry.path(), &name).map(|manifest| (manifest.about, manifest.bytes));
            let made = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            found.push(Listing {
                key: name,
                path: entry.path(),
                made,
                contents,
            });
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(found)
    }

    /// Deletes all entries, and what killed compilations left. Processes that have loaded an entry keep it,
    /// and what is being compiled now stays.
    pub fn clear(&self) -> io::Result<Cleared> {
        let Ok(folder) = &self.folder else {
            return Ok(Cleared::default());
        };
        let mut cleared = Cleared::default();
        for (name, entry) in names(folder)? {
            let key = name.split('.').next().unwrap_or_default();
            if !is_key(key) {
                continue;
            }
            let Some(_lock) = lock::try_acquire(folder, key)? else {
                continue;
            };
            let bytes = length(&entry.path());
            if is_key(&name) {
                remove(folder, &name)?;
                cleared.entries += 1;
            } else {
                fs::remove_dir_all(entry.path())?;
            }
            cleared.bytes += bytes;
        }
        Ok(cleared)
    }
}

/// Deletes what killed compilations of `key` left, but not `staging`. The caller holds the lock on `key`.
/// What cannot be deleted does no harm.
pub(super) fn remove_remains(folder: &Path, key: &Key, staging: &Path) {
    let prefix = format!("{key}.");
    for (name, entry) in names(folder).unwrap_or_default() {
        if name.starts_with(&prefix) && entry.path() != staging {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Deletes the entry `key`, if there is one. The caller holds the lock on `key`.
pub(super) fn remove_entry(folder: &Path, key: &Key) -> io::Result<()> {
    remove(folder, &key.to_string())
}

/// Deletes an entry such that nobody finds half of it: moved away first.
fn remove(folder: &Path, key: &str) -> io::Result<()> {
    let grave = tempfile::Builder::new()
        .prefix(&format!("{key}."))
        .tempdir_in(folder)?;
    match fs::rename(folder.join(key), grave.path().join("entry")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
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

/// The length of all files in the folder `entry`.
fn length(entry: &Path) -> u64 {
    let files = names(entry).unwrap_or_default();
    files
        .iter()
        .filter_map(|(_, file)| file.metadata().ok())
        .map(|metadata| metadata.len())
        .sum()
}

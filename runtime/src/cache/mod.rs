//! Compiled libraries on disk, shared by all processes of a user.
//!
//! An entry is a folder named by its [`Key`]. It is made beside its place and put there by one rename, so
//! that it is either whole or not there; and it carries the digest of its library, so that one damaged later
//! is noticed, never loaded, and compiled again. The digest guards against accidents. Against other users, owners and
//! permissions do, which are those of this user or of root alone, of the folder and of all that is loaded from it.
//!
//! Processes and threads that want the same missing entry compile it once: they hold an advisory lock on a
//! file of the entry's own, which the system gives back when its holder dies. An entry that is there is used without any
//! lock, in a folder that cannot be written to as well. Where there are no locks, or their holder was stopped, each compiles
//! for itself, and the last rename wins.
//!
//! A cache that cannot be used never keeps a unit from being compiled: it is then compiled into a temporary
//! folder.

mod bound;
mod entry;
mod folder;
mod library;
mod slots;
mod upkeep;
mod users;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use rustix::fs::{CWD, RenameFlags};

use self::entry::{Flaw, LIBRARY, Manifest};
use self::users::User;
use crate::driver::{CompileError, LOG};
use crate::key::{Key, KeyFields};
use crate::lock::{Lock, Turn};
use crate::scratch::Scratch;
use crate::{environment, events, scratch, trust};

pub use self::entry::AlsoRead;
pub use self::library::{Library, Origin};
pub use self::upkeep::{Cleared, Listing};

/// The environment variable that names the cache folder.
pub const VARIABLE: &str = "OXYSYCL_CACHE";

/// The environment variable that names a folder of libraries that is looked into first and never written to, such as one of a
/// container's image.
pub const BASE_VARIABLE: &str = "OXYSYCL_CACHE_BASE";

/// The environment variable with the length that all entries together may have, in bytes, or with K, M or G after the number.
pub const SIZE_VARIABLE: &str = "OXYSYCL_CACHE_SIZE";

/// Less room than this on the cache's file system explains why a compiler could not write its output.
const LITTLE_ROOM: u64 = 16 << 20;

/// The folder of lock files in a cache folder.
const LOCKS: &str = "locks";

/// The folder with the logs of compilers that failed, by key.
const LOGS: &str = "logs";

/// A folder of compiled libraries.
#[derive(Debug)]
pub struct Cache {
    /// The folder, or why there is none to use.
    folder: Result<PathBuf, String>,
    /// A folder that is looked into first.
    base: Option<PathBuf>,
    /// Set when it was said that the cache cannot be used.
    complained: Once,
    /// What was said of entries.
    told: Mutex<HashSet<String>>,
    user: User,
}

/// A library that is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its key.
    pub key: Key,
    /// What the key is made of.
    pub fields: KeyFields,
    /// What it is, in a few words.
    pub about: String,
}

/// What a compilation that succeeded has read, beside what its key is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// Files that nobody could foresee, such as those that only the device's compiler includes. What was made is good as long
    /// as they stay what they are.
    pub also_read: Vec<AlsoRead>,
}

impl Cache {
    /// The cache in the folder that the environment asks for: `OXYSYCL_CACHE`, else `modules` in
    /// `OXYSYCL_HOME`, else `oxysycl/modules` in the user's cache folder; over the one that `OXYSYCL_CACHE_BASE` names. A
    /// variable that is empty counts as not set.
    pub fn from_environment() -> Self {
        let cache = match folder::from_environment() {
            Some(folder) => Self::open(&folder),
            None => Self::unusable("there is no home folder to put a cache in".to_owned()),
        };
        match environment::variable(BASE_VARIABLE) {
            Some(base) => cache.over(Path::new(&base)),
            None => cache,
        }
    }

    /// The cache in `folder`, which is made when the first entry is.
    pub fn open(folder: &Path) -> Self {
        let trusted = std::path::absolute(folder)
            .map_err(|error| error.to_string())
            .and_then(|folder| {
                folder::examine(&folder)?;
                Ok(folder)
            });
        match trusted {
            Ok(folder) => Self::with_folder(Ok(folder)),
            Err(reason) => Self::unusable(format!(
                "the cache folder {} cannot be used: {reason}",
                folder.display()
            )),
        }
    }

    /// This cache, where `base` is looked into first. Nothing is written there.
    pub fn over(mut self, base: &Path) -> Self {
        match folder::examine_read_only(base) {
            Ok(()) => self.base = Some(base.to_owned()),
            Err(reason) => eprintln!(
                "oxysycl: {BASE_VARIABLE}={} is not used: {reason}",
                base.display()
            ),
        }
        self
    }

    fn unusable(reason: String) -> Self {
        Self::with_folder(Err(reason))
    }

    fn with_folder(folder: Result<PathBuf, String>) -> Self {
        Self {
            folder,
            base: None,
            complained: Once::new(),
            told: Mutex::default(),
            user: User::default(),
        }
    }

    /// The folder; the error says why there is none to use.
    pub fn folder(&self) -> Result<&Path, &str> {
        self.folder.as_deref().map_err(String::as_str)
    }

    /// The library of `key`, if it is there and whole.
    pub fn find(&self, key: &Key) -> Option<Library> {
        self.look(key).ok()
    }

    /// The library of `key`; the error says why there is none to use.
    fn look(&self, key: &Key) -> Result<Library, String> {
        if let Some(base) = &self.base
            && let Ok(library) = self.look_into(base, key)
        {
            return Ok(library);
        }
        let folder = self.folder()?;
        let place = folder.join(key.to_string());
        if place.exists() {
            // Before it is looked at, so that nobody deletes it between that and its use.
            self.user.uses(folder, &key.to_string());
        }
        let library = self.look_into(folder, key)?;
        entry::touch(&place);
        Ok(library)
    }

    fn look_into(&self, folder: &Path, key: &Key) -> Result<Library, String> {
        let place = folder.join(key.to_string());
        match Manifest::verify(&place, &key.to_string()) {
            Ok(manifest) => {
                events::hit(key, &place);
                Ok(Library::in_cache(&place, manifest, Origin::Cached))
            }
            Err(Flaw::Missing) => Err("it is not there".to_owned()),
            Err(Flaw::Unusable(reason)) => {
                self.tell(format!("{} is not used: {reason}", place.display()));
                Err(reason)
            }
        }
    }

    /// The library that is `wanted`: from the cache, else by way of `compile`, which is given the path to write it
    /// to, in a folder of its own.
    pub fn obtain(
        &self,
        wanted: &Wanted,
        compile: impl FnMut(&Path) -> Result<Compiled, CompileError>,
    ) -> Result<Library, CompileError> {
        let reason = match self.look(&wanted.key) {
            Ok(found) => return Ok(found),
            Err(reason) => reason,
        };
        events::miss(&wanted.key, &wanted.about, &reason);
        self.make(wanted, None, compile)
    }

    /// Another library than `broken`, which could not be loaded: compiled anew, unless somebody else has put another one
    /// into its place already.
    pub fn replace(
        &self,
        wanted: &Wanted,
        broken: &Library,
        compile: impl FnMut(&Path) -> Result<Compiled, CompileError>,
    ) -> Result<Library, CompileError> {
        self.make(wanted, broken.sha256.as_deref(), compile)
    }

    /// Compiles under the entry's lock, unless somebody else did so, or failed to, while this waited for the lock.
    fn make(
        &self,
        wanted: &Wanted,
        broken: Option<&str>,
        mut compile: impl FnMut(&Path) -> Result<Compiled, CompileError>,
    ) -> Result<Library, CompileError> {
        let folder = match &self.folder {
            Ok(folder) => folder,
            Err(reason) => return self.compile_uncached(reason, compile),
        };
        let unwritable = |error| {
            format!(
                "the cache folder {} cannot be written to: {error}",
                folder.display()
            )
        };
        if let Err(error) = trust::create_folder(folder) {
            return self.compile_uncached(&unwritable(error), compile);
        }
        let mut lock = self.turn(folder, wanted)?;
        if let Some(found) = self
            .find(&wanted.key)
            .filter(|found| found.sha256.as_deref() != broken)
        {
            return Ok(found);
        }
        if lock.is_some() {
            upkeep::remove_remains(folder, &wanted.key.to_string());
        }
        // Beside the entry's place, so that one rename puts it there.
        let staging = match Scratch::beginning_with(&format!("{}.", wanted.key), folder) {
            Ok(staging) => staging,
            Err(error) => return self.compile_uncached(&unwritable(error), compile),
        };
        let _slot = slots::take(folder);
        match compile(&staging.path().join(LIBRARY)) {
            Ok(compiled) => Ok(self.publish(folder, wanted, compiled, staging)),
            Err(error) => {
                let available = room(folder);
                if error.is_for_lack_of_room() || available < LITTLE_ROOM {
                    drop(staging);
                    let reason = unwritable(io::ErrorKind::StorageFull.into());
                    return self
                        .compile_uncached(&reason, compile)
                        .map_err(|_| CompileError::NoSpace {
                            folder: folder.clone(),
                            available,
                            source: Box::new(error),
                        });
                }
                let log = keep_log(folder, wanted, &staging);
                let error = error.logged(log);
                if let Some(lock) = &mut lock {
                    lock.fail(&error.to_string());
                }
                Err(error)
            }
        }
    }

    /// The lock on what is `wanted`, once nobody else compiles it. None where there are no locks, or if whoever holds it does
    /// not go on.
    fn turn(&self, folder: &Path, wanted: &Wanted) -> Result<Option<Lock>, CompileError> {
        let key = wanted.key.to_string();
        let waiting_for = format!("{}, which another thread or process is compiling", wanted.about);
        match lock_file(folder, &key).and_then(|file| Lock::acquire(&file, &waiting_for)) {
            Ok(Turn::Mine(lock)) => Ok(Some(lock)),
            Ok(Turn::Failed(holder, failure)) => Err(CompileError::Elsewhere {
                holder: holder.to_string(),
                failure,
            }),
            Ok(Turn::Stalled(holder)) => {
                let holder = holder.map_or_else(|| "somebody".to_owned(), |holder| holder.to_string());
                eprintln!(
                    "oxysycl: {holder}, does not go on with {}: compiling it here",
                    wanted.about
                );
                Ok(None)
            }
            Err(error) => {
                tracing::warn!(key, %error, "no lock: compiling without");
                Ok(None)
            }
        }
    }

    /// Puts what was compiled in `staging` into its place. If that fails, it is still good for this process.
    fn publish(&self, folder: &Path, wanted: &Wanted, compiled: Compiled, staging: Scratch) -> Library {
        let key = wanted.key.to_string();
        let place = folder.join(&key);
        let published = Manifest::write(staging.path(), wanted, compiled).and_then(|manifest| {
            self.user.uses(folder, &key);
            put(staging.path(), folder, &key)?;
            // It served the staging folder, and came along.
            let _ = fs::remove_file(place.join(scratch::LOCK));
            Ok(manifest)
        });
        match published {
            Ok(manifest) => {
                // What was at its place before, if anything was.
                drop(staging);
                make_room(folder);
                Library::in_cache(&place, manifest, Origin::Compiled)
            }
            Err(error) => {
                self.complain(&format!("cannot write {}: {error}", place.display()));
                Library::temporary(staging)
            }
        }
    }

    fn compile_uncached(
        &self,
        reason: &str,
        mut compile: impl FnMut(&Path) -> Result<Compiled, CompileError>,
    ) -> Result<Library, CompileError> {
        self.complain(reason);
        let staging = Scratch::new().map_err(|source| CompileError::Temporary {
            folder: std::env::temp_dir(),
            source,
        })?;
        compile(&staging.path().join(LIBRARY))?;
        Ok(Library::temporary(staging))
    }

    /// Says `what`, once.
    fn tell(&self, what: String) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.contains(&what) {
            eprintln!("oxysycl: {what}");
            told.insert(what);
        }
    }

    /// Says once that the cache is not used.
    fn complain(&self, reason: &str) {
        self.complained.call_once(|| {
            eprintln!(
                "oxysycl: {reason}; what is compiled now is not kept: \
                 set {VARIABLE} to a folder that can be written to"
            );
        });
    }
}

/// The file that those who compile the entry `key` lock.
fn lock_file(folder: &Path, key: &str) -> io::Result<PathBuf> {
    let locks = folder.join(LOCKS);
    trust::create_folder(&locks)?;
    Ok(locks.join(key))
}

/// Puts the folder `new` into the place of the entry `key`. An older entry there changes places with it, where the file system
/// can do that, so that whoever has just looked at that one finds an equal one.
fn put(new: &Path, folder: &Path, key: &str) -> io::Result<()> {
    let place = folder.join(key);
    let exchange = || rustix::fs::renameat_with(CWD, new, CWD, &place, RenameFlags::EXCHANGE);
    if place.is_dir() && exchange().is_ok() {
        return Ok(());
    }
    upkeep::remove_entry(folder, key)?;
    fs::rename(new, &place)
}

/// Deletes what has to go since there is one entry more. What cannot be deleted is deleted another time.
fn make_room(folder: &Path) {
    let swept = bound::sweep(folder, bound::KEPT).and_then(|()| match bound::size() {
        Some(most) => bound::evict(folder, most).map(drop),
        None => Ok(()),
    });
    if let Err(error) = swept {
        tracing::warn!(%error, "cannot make room");
    }
}

/// Keeps the log of a failed compilation, and says where.
fn keep_log(folder: &Path, wanted: &Wanted, staging: &Scratch) -> Option<PathBuf> {
    let (log, kept) = (staging.path().join(LOG), folder.join(LOGS));
    if !log.exists() {
        return None;
    }
    trust::create_folder(&kept).ok()?;
    let kept = kept.join(format!("{}.log", wanted.key));
    fs::rename(log, &kept).ok()?;
    Some(kept)
}

/// How many bytes are left on the file system of `folder`.
fn room(folder: &Path) -> u64 {
    rustix::fs::statvfs(folder).map_or(u64::MAX, |info| info.f_bavail * info.f_frsize)
}

//! Compiled libraries on disk, shared by all processes of a user.
//!
//! An entry is a folder named by its [`Key`]. It is made beside its place and put there by one rename, so
//! that it is either whole or not there; and it carries the digest of its library, so that one damaged later
//! is noticed, never loaded, and compiled again. (The digest guards against accidents. Against other users,
//! the folder's permissions do.)
//!
//! Processes and threads that want the same missing entry compile it once: they hold an advisory lock on a
//! file of the entry's own, which the system gives back when its holder dies. Lock files stay, because
//! deleting one that somebody waits for would let two in. An entry that is there is used without any lock, in
//! a folder that cannot be written to as well.
//!
//! A cache that cannot be used never keeps a unit from being compiled: it is then compiled into a temporary
//! folder.

mod entry;
mod folder;
mod lock;
mod upkeep;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use tempfile::TempDir;

use self::entry::{LIBRARY, Manifest};
use crate::driver::CompileError;
use crate::key::Key;

pub use self::upkeep::{Cleared, Listing};

/// The environment variable that names the cache folder.
pub const VARIABLE: &str = "OXYSYCL_CACHE";

/// Less room than this on the cache's file system explains why a compiler could not write its output.
const LITTLE_ROOM: u64 = 16 << 20;

/// A folder of compiled libraries.
#[derive(Debug)]
pub struct Cache {
    /// The folder, or why there is none to use.
    folder: Result<PathBuf, String>,
    /// Set when it was said that the cache cannot be used.
    complained: Once,
}

/// A compiled library: in the cache, or in a temporary folder that is deleted with this value.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    origin: Origin,
    sha256: Option<String>,
    _temporary: Option<TempDir>,
}

/// Where a [`Library`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was in the cache.
    Cached,
    /// It was compiled now and put into the cache.
    Compiled,
    /// It was compiled now and is in a temporary folder, because the cache cannot be used.
    Uncached,
}

/// Why a library could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// It could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It could not be compiled, and there was no room left for it.
    #[error(
        "only {available} bytes are left on the file system of the cache folder {folder}: \
         free some, or set {VARIABLE} to a folder with more room\n{source}", folder = folder.display()
    )]
    NoSpace {
        /// The cache folder.
        folder: PathBuf,
        /// Bytes left there.
        available: u64,
        /// What the compiler said.
        source: Box<CompileError>,
    },
    /// Neither the cache folder nor the folder for temporary files can be written to.
    #[error(
        "cannot make a temporary folder in {folder}: {source}\n\
         set {VARIABLE} or TMPDIR to a folder that can be written to", folder = folder.display()
    )]
    Temporary {
        /// The folder for temporary files.
        folder: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl Cache {
    /// The cache in the folder that the environment asks for: `OXYSYCL_CACHE`, else `modules` in
    /// `OXYSYCL_HOME`, else `oxysycl/modules` in the user's cache folder. A variable that is empty counts as
    /// not set.
    pub fn from_environment() -> Self {
        match folder::from_environment() {
            Some(folder) => Self::open(&folder),
            None => Self::unusable("there is no home folder to put a cache in".to_owned()),
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
            Ok(folder) => Self {
                folder: Ok(folder),
                complained: Once::new(),
            },
            Err(reason) => Self::unusable(format!(
                "the cache folder {} cannot be used: {reason}",
                folder.display()
            )),
        }
    }

    fn unusable(reason: String) -> Self {
        Self {
            folder: Err(reason),
            complained: Once::new(),
        }
    }

    /// The folder; the error says why there is none to use.
    pub fn folder(&self) -> Result<&Path, &str> {
        self.folder.as_deref().map_err(String::as_str)
    }

    /// The library of `key`, if it is there and whole.
    pub fn find(&self, key: &Key) -> Option<Library> {
        let place = self.folder.as_ref().ok()?.join(key.to_string());
        let manifest = Manifest::read(&place, &key.to_string()).ok()?;
        Some(Library::in_cache(&place, manifest, Origin::Cached))
    }

    /// The library of `key`: from the cache, else by way of `compile`, which is given the path to write it
    /// to. `about` says in a few words what that is.
    pub fn obtain(
        &self,
        key: &Key,
        about: &str,
        compile: impl FnOnce(&Path) -> Result<(), CompileError>,
    ) -> Result<Library, CacheError> {
        match self.find(key) {
            Some(found) => Ok(found),
            None => self.make(key, about, None, compile),
        }
    }

    /// Another library of `key` than `broken`, which could not be loaded: compiled anew, unless somebody else
    /// has put another one into its place already.
    pub fn replace(
        &self,
        key: &Key,
        about: &str,
        broken: &Library,
        compile: impl FnOnce(&Path) -> Result<(), CompileError>,
    ) -> Result<Library, CacheError> {
        self.make(key, about, broken.sha256.as_deref(), compile)
    }

    /// Compiles under the entry's lock, unless somebody else did so while this waited for the lock.
    fn make(
        &self,
        key: &Key,
        about: &str,
        broken: Option<&str>,
        compile: impl FnOnce(&Path) -> Result<(), CompileError>,
    ) -> Result<Library, CacheError> {
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
        let _lock = match folder::create(folder).and_then(|()| lock::acquire(folder, &key.to_string(), about))
        {
            Ok(lock) => lock,
            Err(error) => return self.compile_uncached(&unwritable(error), compile),
        };
        if let Some(found) = self.find(key).filter(|found| found.sha256.as_deref() != broken) {
            return Ok(found);
        }
        // Beside the entry's place, so that one rename puts it there.
        let staging = match tempfile::Builder::new()
            .prefix(&format!("{key}."))
            .tempdir_in(folder)
        {
            Ok(staging) => staging,
            Err(error) => return self.compile_uncached(&unwritable(error), compile),
        };
        upkeep::remove_remains(folder, key, staging.path());
        compile(&staging.path().join(LIBRARY)).map_err(|error| explain(folder, error))?;
        self.publish(folder, key, about, staging)
    }

    /// Puts what was compiled in `staging` into its place. If that fails, it is still good for this process.
    fn publish(
        &self,
        folder: &Path,
        key: &Key,
        about: &str,
        staging: TempDir,
    ) -> Result<Library, CacheError> {
        let place = folder.join(key.to_string());
        let published = Manifest::write(staging.path(), key, about).and_then(|manifest| {
            upkeep::remove_entry(folder, key)?;
            fs::rename(staging.path(), &place)?;
            Ok(manifest)
        });
        match published {
            Ok(manifest) => {
                // It is not where `staging` would delete it any more.
                let _ = staging.keep();
                Ok(Library::in_cache(&place, manifest, Origin::Compiled))
            }
            Err(error) => {
                self.complain(&format!("cannot write {}: {error}", place.display()));
                Ok(Library::temporary(staging))
            }
        }
    }

    fn compile_uncached(
        &self,
        reason: &str,
        compile: impl FnOnce(&Path) -> Result<(), CompileError>,
    ) -> Result<Library, CacheError> {
        self.complain(reason);
        let staging = tempfile::Builder::new()
            .prefix("oxysycl-")
            .tempdir()
            .map_err(|source| CacheError::Temporary {
                folder: std::env::temp_dir(),
                source,
            })?;
        compile(&staging.path().join(LIBRARY))?;
        Ok(Library::temporary(staging))
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

impl Library {
    fn in_cache(entry: &Path, manifest: Manifest, origin: Origin) -> Self {
        Self {
            path: entry.join(LIBRARY),
            origin,
            sha256: Some(manifest.sha256),
            _temporary: None,
        }
    }

    fn temporary(folder: TempDir) -> Self {
        Self {
            path: folder.path().join(LIBRARY),
            origin: Origin::Uncached,
            sha256: None,
            _temporary: Some(folder),
        }
    }

    /// The shared library. If it is in the cache, it may be replaced by an equal one at any time: copy it to
    /// keep it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        self.origin
    }
}

/// Adds to a compiler's failure that there is no room for its output, where that is so.
fn explain(folder: &Path, error: CompileError) -> CacheError {
    match rustix::fs::statvfs(folder).map(|info| info.f_bavail * info.f_frsize) {
        Ok(available) if available < LITTLE_ROOM => CacheError::NoSpace {
            folder: folder.to_owned(),
            available,
            source: Box::new(error),
        },
        _ => CacheError::Compile(error),
    }
}

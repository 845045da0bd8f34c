//! One entry on disk: a folder that holds a library, a manifest with the library's digest, and the compilers' log.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use object::{Object, ObjectSymbol};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Compiled, Wanted};
use crate::driver::LOG;
use crate::key::KeyFields;
use crate::trust;

/// The library's file name.
pub(super) const LIBRARY: &str = "module.so";

/// The manifest's file name.
pub(super) const MANIFEST: &str = "manifest.json";

/// How exactly it is known when an entry was last used.
const USE: Duration = Duration::from_secs(60);

/// What an entry says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The entry's key.
    pub(super) key: String,
    /// What the key is made of.
    pub(super) fields: KeyFields,
    /// What was compiled, for people.
    pub(super) about: String,
    /// The functions that the library exports.
    pub(super) exports: Vec<String>,
    /// The library's length in bytes.
    pub(super) bytes: u64,
    /// The library's SHA-256 digest.
    pub(super) sha256: String,
    /// What was read that the key knows nothing of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) also_read: Vec<AlsoRead>,
}

/// A file that a compiler has read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoRead {
    path: PathBuf,
    sha256: String,
}

impl AlsoRead {
    /// The file at `path` as it is now.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn now(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            sha256: digest(&fs::read(path)?),
        })
    }

    fn is_unchanged(&self) -> bool {
        Self::now(&self.path).is_ok_and(|now| now == *self)
    }
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It is not there.
    Missing,
    /// It is damaged, or somebody else may have written it.
    Unusable(String),
}

impl Manifest {
    /// Describes the library in the folder `entry`, and writes that beside it. All that is in the folder is made private.
    pub(super) fn write(entry: &Path, wanted: &Wanted, compiled: Compiled) -> std::io::Result<Self> {
        let library = fs::read(entry.join(LIBRARY))?;
        let manifest = Self {
            key: wanted.key.to_string(),
            fields: wanted.fields.clone(),
            about: wanted.about.clone(),
            exports: exports(&library),
            bytes: library.len() as u64,
            sha256: digest(&library),
            also_read: compiled.also_read,
        };
        let mut text = serde_json::to_string_pretty(&manifest)?;
        text.push('\n');
        fs::write(entry.join(MANIFEST), text)?;
        for file in [LIBRARY, MANIFEST] {
            trust::close_file(&entry.join(file))?;
        }
        Ok(manifest)
    }

    /// The manifest in the folder `entry`, called `key`, if nobody else can have written the entry and the library has its
    /// full length.
    pub(super) fn read(entry: &Path, key: &str) -> Result<Self, Flaw> {
        match fs::symlink_metadata(entry) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Flaw::Missing),
            Err(error) => return Err(Flaw::Unusable(error.to_string())),
            Ok(found) => expect("the folder", &found, Metadata::is_dir)?,
        }
        let file = |name: &str| {
            let found =
                fs::symlink_metadata(entry.join(name)).map_err(|error| flaw(name, &format!(": {error}")))?;
            expect(name, &found, Metadata::is_file)?;
            Ok(found)
        };
        file(MANIFEST)?;
        let length = file(LIBRARY)?.len();
        let text = fs::read(entry.join(MANIFEST)).map_err(|error| flaw(MANIFEST, &format!(": {error}")))?;
        let manifest: Self =
            serde_json::from_slice(&text).map_err(|error| flaw(MANIFEST, &format!(": {error}")))?;
        if manifest.key != key || manifest.fields.key().to_string() != key {
            return Err(flaw(MANIFEST, &format!(" is that of {}", manifest.key)));
        }
        if length != manifest.bytes {
            let problem = format!(" has {length} bytes instead of {}", manifest.bytes);
            return Err(flaw(LIBRARY, &problem));
        }
        Ok(manifest)
    }

    /// Like [`read`](Self::read), and the library is what was written, of files that are still the same.
    pub(super) fn verify(entry: &Path, key: &str) -> Result<Self, Flaw> {
        let manifest = Self::read(entry, key)?;
        let library = fs::read(entry.join(LIBRARY)).map_err(|error| flaw(LIBRARY, &format!(": {error}")))?;
        if digest(&library) != manifest.sha256 {
            return Err(flaw(LIBRARY, " is not what was written"));
        }
        if let Some(changed) = manifest.also_read.iter().find(|file| !file.is_unchanged()) {
            let path = changed.path.display();
            return Err(Flaw::Unusable(format!(
                "{path}, which was read for it, has changed"
            )));
        }
        Ok(manifest)
    }
}

/// Says on disk that `entry` is used now, where that can be written.
pub(super) fn touch(entry: &Path) {
    let manifest = entry.join(MANIFEST);
    let now = SystemTime::now();
    let recent = |found: Metadata| found.modified().is_ok_and(|used| used + USE > now);
    if !fs::metadata(&manifest).is_ok_and(recent) {
        let _ = fs::File::options()
            .write(true)
            .open(&manifest)
            .and_then(|file| file.set_modified(now));
    }
}

/// When `entry` was last used.
pub(super) fn used(entry: &Path) -> SystemTime {
    let found = fs::metadata(entry.join(MANIFEST)).or_else(|_| fs::metadata(entry));
    found
        .and_then(|found| found.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The length of all files of `entry`.
pub(super) fn length(entry: &Path) -> u64 {
    let length = |name| fs::symlink_metadata(entry.join(name)).map_or(0, |found| found.len());
    [LIBRARY, MANIFEST, LOG].map(length).iter().sum()
}

fn expect(name: &str, found: &Metadata, is_kind: fn(&Metadata) -> bool) -> Result<(), Flaw> {
    if !is_kind(found) {
        return Err(flaw(name, " is something else"));
    }
    trust::expect(found).map_err(|reason| flaw(name, &format!(": {reason}")))
}

fn flaw(name: &str, problem: &str) -> Flaw {
    Flaw::Unusable(format!("{name}{problem}"))
}

/// The names of the functions that `library` exports; none if it is no library.
fn exports(library: &[u8]) -> Vec<String> {
    let Ok(file) = object::File::parse(library) else {
        return Vec::new();
    };
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let mut names: Vec<String> = defined
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

//! One entry on disk: a folder that holds a library and a manifest with the library's digest.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::key::Key;

/// The library's file name.
pub(super) const LIBRARY: &str = "module.so";

/// The manifest's file name.
const MANIFEST: &str = "manifest.json";

/// What an entry says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The entry's key.
    pub(super) key: String,
    /// What was compiled, for people.
    pub(super) about: String,
    /// The library's length in bytes.
    pub(super) bytes: u64,
    /// The library's SHA-256 digest.
    pub(super) sha256: String,
}

impl Manifest {
    /// Describes the library in the folder `entry`, and writes that beside it.
    pub(super) fn write(entry: &Path, key: &Key, about: &str) -> std::io::Result<Self> {
        let library = fs::read(entry.join(LIBRARY))?;
        let manifest = Self {
            key: key.to_string(),
            about: about.to_owned(),
            bytes: library.len() as u64,
            sha256: digest(&library),
        };
        let mut text = serde_json::to_string_pretty(&manifest)?;
        text.push('\n');
        fs::write(entry.join(MANIFEST), text)?;
        Ok(manifest)
    }

    /// The manifest in the folder `entry`, called `key`, if the entry is whole. The error says what is wrong
    /// with it.
    pub(super) fn read(entry: &Path, key: &str) -> Result<Self, String> {
        let text = fs::read(entry.join(MANIFEST)).map_err(|error| format!("{MANIFEST}: {error}"))?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| format!("{MANIFEST}: {error}"))?;
        if manifest.key != key {
            return Err(format!("{MANIFEST} is that of {}", manifest.key));
        }
        let library = fs::read(entry.join(LIBRARY)).map_err(|error| format!("{LIBRARY}: {error}"))?;
        if library.len() as u64 != manifest.bytes {
            return Err(format!(
                "{LIBRARY} has {} bytes instead of {}",
                library.len(),
                manifest.bytes
            ));
        }
        if digest(&library) != manifest.sha256 {
            return Err(format!("{LIBRARY} is not what was written"));
        }
        Ok(manifest)
    }
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

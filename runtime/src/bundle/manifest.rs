//! What a bundle says about itself, and the files that it consists of.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The manifest's file name.
const NAME: &str = "bundle.json";

/// The version of this format. Libraries of another one are not found, or not understood.
pub(super) const FORMAT: u32 = 1;

/// What a bundle says about itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// [`FORMAT`].
    pub(super) format: u32,
    /// What compiled it: the facts of that driver's identity, name and value.
    pub(super) identity: Vec<(String, String)>,
    /// The targets that it was made for, in icpx's words.
    pub(super) targets: Vec<String>,
    /// Its compiled libraries.
    pub(super) modules: Vec<Entry>,
    /// Every file but this one, by its path in the bundle, with its length in bytes.
    pub(super) files: BTreeMap<String, u64>,
}

/// A compiled library.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Its key.
    pub(super) key: String,
    /// What was compiled, for people.
    pub(super) about: String,
    /// A digest of the source's text.
    pub(super) source: String,
    /// The functions that it exports.
    pub(super) symbols: Vec<String>,
}

impl Manifest {
    /// The manifest of the bundle in `folder`, all of whose files are there in their full length. The error says what is
    /// wrong.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let text = fs::read(folder.join(NAME)).map_err(|error| format!("{NAME}: {error}"))?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| format!("{NAME}: {error}"))?;
        if manifest.format != FORMAT {
            return Err(format!(
                "it is in format {}, and this version of oxysycl reads format {FORMAT}",
                manifest.format
            ));
        }
        for (path, length) in &manifest.files {
            let found = fs::metadata(folder.join(path)).map_err(|error| format!("{path}: {error}"))?;
            if found.len() != *length {
                return Err(format!("{path} has {} bytes instead of {length}", found.len()));
            }
        }
        Ok(manifest)
    }

    /// Writes the manifest into `folder`, with all files that are there.
    pub(super) fn write(mut self, folder: &Path) -> io::Result<()> {
        self.files = files(folder, "")?;
        let mut text = serde_json::to_string_pretty(&self)?;
        text.push('\n');
        fs::write(folder.join(NAME), text)
    }
}

/// The files below `root`/`folder`.
fn files(root: &Path, folder: &str) -> io::Result<BTreeMap<String, u64>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}{}", entry.file_name().to_string_lossy());
        let about = entry.metadata()?;
        if about.is_dir() {
            found.extend(files(root, &format!("{path}/"))?);
        } else {
            found.insert(path, about.len());
        }
    }
    Ok(found)
}

//! Which compiler a program is: its own words about itself, and the contents of its files.
//!
//! Two compilers of one version text may differ, so their files are read; but they are large, so what they held is kept,
//! with what the file system says of them. A file that was written since says another time of change, which nobody can
//! set back.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::CompileError;
use super::source::unreadable;
use crate::{home, trust};

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compiler {
    /// The program.
    pub(super) path: PathBuf,
    /// What it answered, in the asker's order.
    pub(super) answers: Vec<String>,
    /// A digest of the contents of the program.
    pub(super) program: String,
    /// A digest of the contents of its other files.
    pub(super) others: String,
    files: Vec<Stamp>,
    /// Set when nothing was known of it before.
    #[serde(skip)]
    is_new: bool,
}

/// A file as the file system describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    path: PathBuf,
    /// Device, inode, length, and times of writing and change, the latter two in seconds and nanoseconds.
    facts: [i64; 7],
}

impl Compiler {
    /// The compiler `path`. Unless it is known already, `ask` is called for its answers and its files besides the program
    /// itself; those that are not there are left out.
    pub(super) fn examine(
        path: &Path,
        ask: impl FnOnce() -> Result<(Vec<String>, Vec<PathBuf>), CompileError>,
    ) -> Result<Self, CompileError> {
        if let Some(known) = memory(path).and_then(|memory| recall(&memory, path)) {
            return Ok(known);
        }
        let (answers, files) = ask()?;
        let others: Vec<PathBuf> = files.into_iter().filter(|file| file.is_file()).collect();
        Ok(Self {
            program: digest(&[path.to_owned()])?,
            others: digest(&others)?,
            files: std::iter::once(path.to_owned())
                .chain(others)
                .map(|file| Stamp::of(&file).map_err(unreadable(&file)))
                .collect::<Result<_, _>>()?,
            path: path.to_owned(),
            answers,
            is_new: true,
        })
    }

    /// Keeps what is known of it, for the next time. That is for those who compile: whoever only looks leaves nothing.
    pub(super) fn remember(&self) {
        if let Some(memory) = memory(&self.path).filter(|_| self.is_new) {
            // Where it cannot be kept, the files are read again next time.
            let _ = self.keep(&memory);
        }
    }

    fn keep(&self, memory: &Path) -> std::io::Result<()> {
        let folder = memory.parent().unwrap_or(Path::new("/"));
        trust::create_folder(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(memory)?;
        Ok(())
    }
}

impl Stamp {
    fn of(path: &Path) -> std::io::Result<Self> {
        let found = fs::metadata(path)?;
        Ok(Self {
            path: path.to_owned(),
            facts: [
                found.dev().cast_signed(),
                found.ino().cast_signed(),
                found.size().cast_signed(),
                found.mtime(),
                found.mtime_nsec(),
                found.ctime(),
                found.ctime_nsec(),
            ],
        })
    }
}

/// A digest of the contents of `files`.
fn digest(files: &[PathBuf]) -> Result<String, CompileError> {
    let mut digest = Sha256::new();
    for file in files {
        let bytes = fs::read(file).map_err(unreadable(file))?;
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    }
    Ok(hex::encode(digest.finalize()))
}

/// The file that what is known of the compiler `path` is kept in.
fn memory(path: &Path) -> Option<PathBuf> {
    let name = hex::encode(Sha256::digest(path.as_os_str().as_encoded_bytes()));
    Some(home::folder()?.join("compilers").join(&name[..16]))
}

/// What `memory` says of the compiler `path`, if that is still so.
fn recall(memory: &Path, path: &Path) -> Option<Compiler> {
    trust::expect(&fs::symlink_metadata(memory).ok()?).ok()?;
    trust::expect(&fs::symlink_metadata(memory.parent()?).ok()?).ok()?;
    let known: Compiler = serde_json::from_slice(&fs::read(memory).ok()?).ok()?;
    let same = |stamp: &Stamp| Stamp::of(&stamp.path).is_ok_and(|now| now == *stamp);
    (known.path == path && known.files.iter().all(same)).then_some(known)
}

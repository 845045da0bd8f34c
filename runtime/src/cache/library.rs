//! What a cache hands out.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object_rewrite::Rewriter;

use super::entry::{LIBRARY, Manifest};
use crate::scratch::Scratch;

/// A compiled library: in the cache, or in a temporary folder that is deleted with this value.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    origin: Origin,
    pub(super) sha256: Option<String>,
    _temporary: Option<Scratch>,
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

impl Library {
    pub(super) fn in_cache(entry: &Path, manifest: Manifest, origin: Origin) -> Self {
        Self {
            path: entry.join(LIBRARY),
            origin,
            sha256: Some(manifest.sha256),
            _temporary: None,
        }
    }

    pub(super) fn temporary(folder: Scratch) -> Self {
        Self {
            path: folder.path().join(LIBRARY),
            origin: Origin::Uncached,
            sha256: None,
            _temporary: Some(folder),
        }
    }

    /// The shared library. If it is in the cache, it may be replaced by an equal one at any time: copy it to keep it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The library such that whoever loads it need not have loaded before what it needs: with `folders` written into it, to
    /// look there. In the cache it names none, so that a cache works wherever it is.
    pub fn standalone(&self, folders: &[PathBuf]) -> io::Result<Vec<u8>> {
        let bytes = fs::read(&self.path)?;
        let folders: Vec<Vec<u8>> = folders
            .iter()
            .map(|folder| folder.as_os_str().as_bytes().to_vec())
            .collect();
        if let Some(folder) = folders
            .iter()
            .find(|folder| folder.iter().any(|byte| b":$".contains(byte)))
        {
            let problem = format!(
                "a library cannot name the folder {}, in which it has to look for libsycl, since loaders read the `:` or \
                 `$` in it otherwise: move the toolchain, by OXYSYCL_HOME for one",
                String::from_utf8_lossy(folder)
            );
            return Err(io::Error::other(problem));
        }
        let mut out = Vec::new();
        let mut rewriter = Rewriter::read(&bytes).map_err(io::Error::other)?;
        rewriter
            .elf_set_runpath(folders.join(b":".as_slice()))
            .map_err(io::Error::other)?;
        rewriter.write(&mut out).map_err(io::Error::other)?;
        Ok(out)
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        self.origin
    }
}

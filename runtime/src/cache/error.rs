//! Why a library could not be had.

use std::io;
use std::path::PathBuf;

use super::VARIABLE;
use crate::driver::CompileError;

/// Why a library could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// It could not be compiled.
    #[error("{source}{}", log.as_ref().map_or_else(String::new, |log| format!("\nall that was written: {}", log.display())))]
    Compile {
        /// Why not.
        source: CompileError,
        /// The log with every command and all that the compilers wrote; none if that could not be kept.
        log: Option<PathBuf>,
    },
    /// Another process or thread, which this one waited for, could not compile it.
    #[error("{failure}\n(compiled by {holder}, which this process waited for)")]
    Elsewhere {
        /// Who tried.
        holder: String,
        /// What it says.
        failure: String,
    },
    /// It could not be compiled, and there was no room left for it.
    #[error(
        "only {available} bytes are left on the file system of the cache folder {folder}: \
         no space for the compiler's files; free some, or set {VARIABLE} to a folder with more room\n{source}",
        folder = folder.display()
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

impl From<CompileError> for CacheError {
    fn from(source: CompileError) -> Self {
        Self::Compile { source, log: None }
    }
}

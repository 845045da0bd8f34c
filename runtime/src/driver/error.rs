//! Why a unit could not be compiled.

use std::io;
use std::path::PathBuf;

use super::failure::{Cause, Failure};
use crate::toolchain::ToolchainError;

/// Why a unit could not be compiled. Each message names the thing, shows the compiler's own words and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A compiler is not where it was looked for.
    #[error("{what} not found\nlooked at: {looked_at}\n{advice}")]
    NotFound {
        /// The program, such as `icpx` or `g++`.
        what: String,
        /// Every place looked at, comma separated.
        looked_at: String,
        /// What to install or set.
        advice: String,
    },
    /// The program exists and is not the compiler that was asked for, or too old.
    #[error("{path} is not {expected}; its version text is:\n{version}\n{advice}", path = path.display())]
    WrongCompiler {
        /// The program that was run.
        path: PathBuf,
        /// What was expected, such as `icpx`.
        expected: String,
        /// The version text it printed.
        version: String,
        /// What to install or set.
        advice: String,
    },
    /// A compiler did not do what it was asked to.
    #[error(transparent)]
    Failed(Box<Failure>),
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
        "no space for the compiler's files on the file system of the cache folder {folder}, where {available} bytes are \
         left: free some, or set OXYSYCL_CACHE to a folder with more room\n{source}",
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
         set OXYSYCL_CACHE or TMPDIR to a folder that can be written to", folder = folder.display()
    )]
    Temporary {
        /// The folder for temporary files.
        folder: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The unit holds something that the driver cannot compile rightly.
    #[error("{subject}: {reason}")]
    Refused {
        /// The kernel or the file.
        subject: String,
        /// What about it, and what to do.
        reason: String,
    },
    /// It cannot be compiled for one of its targets.
    #[error("target {target}: {source}")]
    Target {
        /// The target, such as `nvptx64-nvidia-cuda`.
        target: &'static str,
        /// Why.
        source: Box<CompileError>,
    },
    /// An environment variable has a value that cannot be used.
    #[error("{variable}={value:?}: expected {expected}")]
    Variable {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// The embedded toolchain could not be provided.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// A file could not be read or written.
    #[error("{action} {path}: {source}", path = path.display())]
    Io {
        /// What was tried, such as `cannot write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl CompileError {
    /// The compiler that failed, if that is the reason.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Target { source, .. } | Self::NoSpace { source, .. } => source.failure(),
            _ => None,
        }
    }

    /// Whether the unit is at fault, not whoever or whatever was to compile it.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Failed(failure) => matches!(failure.cause, Cause::Exit(_) | Cause::BadOutput(_)),
            Self::Refused { .. } => true,
            Self::Target { source, .. } => source.is_refusal(),
            _ => false,
        }
    }

    /// Whether there was no room for a file, be it that another one has given some back since, or that only a quota is
    /// exhausted.
    pub(crate) fn is_for_lack_of_room(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match self {
            // Compilers are asked for the words of the system's own language.
            Self::Failed(failure) => ["No space left on device", "Disk quota exceeded", "File too large"]
                .iter()
                .any(|words| failure.output.contains(words)),
            Self::Io { source, .. } => matches!(source.kind(), FileTooLarge | QuotaExceeded | StorageFull),
            Self::Target { source, .. } => source.is_for_lack_of_room(),
            _ => false,
        }
    }

    /// This error, with the file that holds all that was written.
    pub(crate) fn logged(mut self, log: Option<PathBuf>) -> Self {
        match &mut self {
            Self::Failed(failure) => failure.log = log,
            Self::Target { source, .. } => {
                if let Self::Failed(failure) = &mut **source {
                    failure.log = log;
                }
            }
            _ => {}
        }
        self
    }
}

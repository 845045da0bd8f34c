//! Why the embedded toolchain could not be provided.

use std::io;
use std::path::{Path, PathBuf};

/// Why the embedded toolchain could not be provided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// There are no wheels for this platform.
    #[error("the embedded toolchain exists for Linux on x86-64 only; here, install oneAPI's icpx")]
    Platform,
    /// It is not installed, and downloads are forbidden.
    #[error(
        "the {part} is not installed at {root}, and OXYSYCL_OFFLINE forbids downloads: unset it and run \
         `oxysycl toolchain install`, or set OXYSYCL_HOME to a folder that holds the toolchain", root = root.display()
    )]
    Offline {
        /// The part that is missing.
        part: &'static str,
        /// Where it was looked for.
        root: PathBuf,
    },
    /// There is no folder to install to.
    #[error("there is no home folder to install the embedded toolchain to: set OXYSYCL_HOME to a folder")]
    NoHome,
    /// There is no Python.
    #[error(
        "cannot run `python3`: {source}; install Python 3 with pip (on Debian and Ubuntu: apt install python3-pip)"
    )]
    NoPython {
        /// The system's answer.
        source: io::Error,
    },
    /// Python is there, pip is not.
    #[error("python3 has no pip: install it (on Debian and Ubuntu: apt install python3-pip)\n{output}")]
    NoPip {
        /// What Python wrote.
        output: String,
    },
    /// What was downloaded is not what was pinned.
    #[error(
        "a downloaded wheel does not have the pinned SHA-256 digest, so it was not used: \
         check the package index that pip is configured to use\n{output}"
    )]
    Mismatch {
        /// What pip wrote.
        output: String,
    },
    /// The package index cannot be reached, or lacks the wheels.
    #[error("pip cannot download the wheels: check the network and pip's own configuration\n{output}")]
    Network {
        /// What pip wrote.
        output: String,
    },
    /// pip failed in another way.
    #[error("pip failed ({status})\n{output}")]
    Pip {
        /// Its exit status.
        status: String,
        /// What pip wrote.
        output: String,
    },
    /// A wheel is damaged.
    #[error("{wheel} is damaged: {reason}; try again", wheel = wheel.display())]
    Damaged {
        /// The wheel.
        wheel: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The wheels lack something that the toolchain needs.
    #[error("the installed toolchain would lack {missing}; this version of oxysycl cannot use these wheels")]
    Incomplete {
        /// The missing file.
        missing: String,
    },
    /// Nobody knows what its files were.
    #[error(
        "{root} cannot be verified: an older version of oxysycl installed it, which kept no digests; to have it installed \
         anew, delete that folder and run `oxysycl toolchain install`", root = root.display()
    )]
    NoDigests {
        /// The folder.
        root: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The disk is full.
    #[error(
        "no space left while writing {path}: the embedded toolchain needs 1.5 GB there; \
         free some, or set OXYSYCL_HOME to a folder with more room", path = path.display()
    )]
    NoSpace {
        /// The file or folder.
        path: PathBuf,
    },
    /// The folder cannot be written to.
    #[error("cannot write to {path}: {source}; set OXYSYCL_HOME to a folder that can be written to", path = path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl ToolchainError {
    /// The error for a failure to write `path`.
    pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::NoSpace { path }
            }
            _ => Self::Unwritable { path, source },
        }
    }
}

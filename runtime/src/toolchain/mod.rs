//! The embedded toolchain on disk: Intel's SYCL run time and compiler library from PyPI, provisioned by pip.
//!
//! It lives in `toolchain/<release>-<digest of the pins>/` below the project's home folder. That folder appears by one
//! rename, complete or not at all, and never changes afterwards; its manifest, with the length of every file, tells a damaged
//! one from a whole one.

mod error;
mod install;
pub(crate) mod manifest;
mod nvidia;
mod part;
mod pins;
mod pip;
mod progress;
mod wheel;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use error::ToolchainError;
pub use nvidia::Nvidia;
pub(crate) use progress::Progress;

use self::part::Part;
use crate::environment;

/// The folder in a part's folder with what is built for this machine's g++.
pub(crate) const HOST: &str = "host";

/// The environment variable that forbids downloads.
const OFFLINE: &str = "OXYSYCL_OFFLINE";

/// A complete embedded toolchain on disk.
#[derive(Clone, Debug)]
pub struct Toolchain {
    root: PathBuf,
}

impl Toolchain {
    /// Where the toolchain is, or would be installed: in `OXYSYCL_HOME`, else in `oxysycl` in the user's cache folder.
    pub fn place() -> Result<PathBuf, ToolchainError> {
        part::SYCL.place()
    }

    /// The toolchain at [`Toolchain::place`], if it is there and whole.
    pub fn find() -> Result<Option<Self>, ToolchainError> {
        Ok(part::SYCL.find()?.map(|root| Self { root }))
    }

    /// The toolchain at [`Toolchain::place`]; installed with pip first if need be, which is said on standard error, with
    /// progress if that is a terminal. `OXYSYCL_OFFLINE=1` forbids it.
    pub fn ensure() -> Result<Self, ToolchainError> {
        Ok(Self {
            root: ensure(&part::SYCL)?,
        })
    }

    /// Reads every file of the toolchain, of its part for NVIDIA's GPUs and of what was built for this machine's g++, as far as
    /// they are installed, and compares it with the digest that it had when it was written. The paths of those that differ.
    ///
    /// # Errors
    /// If there is no folder for them, or digests are missing since an older version installed them.
    pub fn verify() -> Result<Vec<PathBuf>, ToolchainError> {
        let mut damaged = Vec::new();
        for part in [&part::SYCL, &part::NVPTX] {
            let root = part.place()?;
            if !root.exists() {
                continue;
            }
            damaged.extend(verify(&root)?);
            let tools = std::fs::read_dir(root.join(HOST)).into_iter().flatten().flatten();
            for folder in tools.map(|entry| entry.path()).filter(|path| path.is_dir()) {
                // Those of older versions of this project are not used any more.
                damaged.extend(verify(&folder).unwrap_or_default());
            }
        }
        Ok(damaged)
    }

    /// Has what [`verify`](Self::verify) finds damaged installed, or built, anew the next time it is needed. What it found.
    ///
    /// # Errors
    /// As those of [`verify`](Self::verify), or if that cannot be written down.
    pub fn condemn_damaged() -> Result<Vec<PathBuf>, ToolchainError> {
        let damaged = Self::verify()?;
        for part in [&part::SYCL, &part::NVPTX] {
            let root = part.place()?;
            let host = root.join(HOST);
            for path in damaged.iter().filter(|path| path.starts_with(&root)) {
                match path
                    .strip_prefix(&host)
                    .ok()
                    .and_then(|below| below.iter().next())
                {
                    Some(tools) => {
                        let tools = host.join(tools);
                        if tools.exists() {
                            std::fs::remove_dir_all(&tools).map_err(ToolchainError::writing(&tools))?;
                        }
                    }
                    None if manifest::is_whole(&root) => manifest::condemn(&root)?,
                    None => {}
                }
            }
        }
        Ok(damaged)
    }

    /// The folder that holds `include/` and `lib/`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the SYCL headers.
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The folder of the libraries.
    pub fn lib(&self) -> PathBuf {
        self.root.join("lib")
    }

    /// What the toolchain is: its release and a digest of the wheels it was made of.
    pub fn version(&self) -> String {
        part::SYCL.version()
    }

    /// Environment variables, name and value, that a process needs before it first touches OpenCL.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        // The loader looks for the list of OpenCL devices in a folder that a wheel cannot write to.
        vec![("OCL_ICD_FILENAMES", self.lib().join("libintelocl.so").into())]
    }
}

/// The files in `folder` that are not what they were.
fn verify(folder: &Path) -> Result<Vec<PathBuf>, ToolchainError> {
    let damaged = manifest::damaged(folder).map_err(|source| ToolchainError::Unreadable {
        path: folder.to_owned(),
        source,
    })?;
    damaged.ok_or_else(|| ToolchainError::NoDigests {
        root: folder.to_owned(),
    })
}

/// The folder of `part`, which is installed if it is not there yet.
fn ensure(part: &Part) -> Result<PathBuf, ToolchainError> {
    let root = part.place()?;
    if !manifest::is_whole(&root) {
        if environment::variable(OFFLINE).is_some_and(|value| value != "0") {
            return Err(ToolchainError::Offline {
                part: part.name,
                root,
            });
        }
        install::install(&root, part)?;
    }
    Ok(root)
}

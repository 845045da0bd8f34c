//! The embedded toolchain on disk: Intel's SYCL run time and compiler library from PyPI, provisioned by pip.

mod error;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use error::ToolchainError;

/// A complete embedded toolchain on disk.
#[derive(Clone, Debug)]
pub struct Toolchain {
    root: PathBuf,
}

impl Toolchain {
    /// The toolchain at its usual place, if it is installed there.
    pub fn find() -> Result<Option<Self>, ToolchainError> {
        unimplemented!()
    }

    /// The toolchain at its usual place; installed first if need be, which is said on standard error.
    pub fn ensure() -> Result<Self, ToolchainError> {
        unimplemented!()
    }

    /// The folder that holds `include/` and `lib/`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Environment variables, name and value, that a process needs before it first touches OpenCL.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![("OCL_ICD_FILENAMES", self.root.join("lib/libintelocl.so").into())]
    }
}

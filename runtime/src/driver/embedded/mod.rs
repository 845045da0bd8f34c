//! The embedded toolchain as a driver: SYCL without icpx and without a GPU.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{CompileError, Driver, Identity};
use crate::toolchain::Toolchain;
use crate::unit::Unit;

/// Compiles with the embedded [`Toolchain`] and the system's g++.
#[derive(Debug)]
pub struct Embedded {
    identity: Identity,
    toolchain: Toolchain,
}

impl Embedded {
    /// A driver over `toolchain` and the `g++` on `PATH`.
    pub fn new(_toolchain: Toolchain) -> Result<Self, CompileError> {
        unimplemented!()
    }

    /// The SPIR-V module with the kernels of `unit`.
    pub fn spirv(&self, _unit: &Unit) -> Result<Vec<u8>, CompileError> {
        unimplemented!()
    }
}

impl Driver for Embedded {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        self.toolchain.environment()
    }

    fn dependencies(&self, _unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        unimplemented!()
    }

    fn compile(&self, _unit: &Unit, _out: &Path) -> Result<(), CompileError> {
        unimplemented!()
    }
}

//! Intel's oneAPI compiler.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{CompileError, Driver, Identity};
use crate::unit::Unit;

/// Intel's oneAPI compiler, `icpx`.
#[derive(Debug)]
pub struct Icpx {
    identity: Identity,
}

impl Icpx {
    /// Looks for `icpx` in `OXYSYCL_ICPX`, then `PATH`, then `ONEAPI_ROOT`, and asks it for its version.
    pub fn find() -> Result<Self, CompileError> {
        unimplemented!()
    }
}

impl Driver for Icpx {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    fn dependencies(&self, _unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        unimplemented!()
    }

    fn compile(&self, _unit: &Unit, _out: &Path) -> Result<(), CompileError> {
        unimplemented!()
    }
}

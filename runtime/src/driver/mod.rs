//! Drivers turn a [`Unit`] into a shared library whose `extern "C"` symbols take a `sycl::queue*` first.

mod command;
mod depfile;
mod embedded;
mod error;
mod icpx;
mod identity;
mod output;
mod probe;
mod search;
mod selection;
mod source;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use embedded::ADAPTERS;
pub use embedded::Embedded;
pub use error::CompileError;
pub use icpx::Icpx;
pub use identity::Identity;
pub use probe::{Probe, probe};
pub use selection::discover;

use sha2::{Digest, Sha256};

use crate::key::Key;
use crate::unit::{Target, Unit};

/// The macro by which every driver tells a header the name of the module that it becomes: an identifier that differs with
/// anything that shapes the module. Kernels in a namespace of that name are never mistaken for another module's.
const MODULE_MACRO: &str = "OXYSYCL_MODULE";

/// Compiles SYCL units to shared libraries.
pub trait Driver: Send + Sync {
    /// Everything about this driver that shapes its output: part of the cache key.
    fn identity(&self) -> &Identity;

    /// Environment variables, name and value, that a process needs before it first touches SYCL through a library of this
    /// driver; a variable that the user has set already keeps its value.
    fn environment(&self) -> Vec<(&'static str, OsString)>;

    /// Every file outside the driver's own toolchain that `unit` reads, in the order the compiler first reads them;
    /// empty for self-contained sources. The cache key covers their contents.
    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError>;

    /// The key of a library that was compiled beforehand and has all `symbols` of `unit`, if there is one: perhaps together
    /// with more than `unit` asks for.
    fn compiled(&self, unit: &Unit, symbols: &[&str]) -> Option<Key> {
        let _ = (unit, symbols);
        None
    }

    /// The SYCL run time to load before the first library, where libraries do not find it by themselves.
    fn sycl_library(&self) -> Option<PathBuf> {
        None
    }

    /// What libraries for `target` need of the SYCL run time where they run: each file's name, and where it is.
    fn run_time(&self, target: &Target) -> Result<Vec<(String, PathBuf)>, CompileError> {
        Err(CompileError::Refused {
            subject: format!("a bundle for {}", target.name()),
            reason: "bundles are made with the embedded toolchain: set OXYSYCL_DRIVER=embedded".to_owned(),
        })
    }

    /// Compiles `unit` into the shared library `out`. On failure nothing is left at `out`.
    fn compile(&self, unit: &Unit, out: &Path) -> Result<(), CompileError>;
}

/// The value of [`MODULE_MACRO`] for the unit with this key.
fn module_name(key: &Key) -> String {
    format!("m_{}", &key.to_string()[..16])
}

/// A digest of `texts`.
fn digest(texts: &[&str]) -> String {
    hex::encode(Sha256::digest(texts.join("\0")))
}

//! Drivers turn a [`Unit`] into a shared library whose `extern "C"` symbols take a `sycl::queue*` first.

mod command;
mod compiler;
mod depfile;
mod embedded;
mod error;
mod failure;
mod icpx;
mod identity;
mod output;
mod probe;
mod search;
mod selection;
mod source;
mod target;
mod work;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use embedded::ADAPTERS;
pub use embedded::Embedded;
pub use error::CompileError;
pub use failure::{Cause, Failure};
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

/// The name of the file, beside a compiled library, with every command that was run for it and all that was written.
pub(crate) const LOG: &str = "compiler.log";

/// Compiles SYCL units to shared libraries.
pub trait Driver: Send + Sync {
    /// Everything about this driver that shapes its output: part of the cache key.
    fn identity(&self) -> &Identity;

    /// Environment variables, name and value, that a process needs before it first touches SYCL through a library of this
    /// driver; a variable that the user has set already keeps its value.
    fn environment(&self) -> Vec<(&'static str, OsString)>;

    /// The folders of the libraries that this driver's output needs, that of the SYCL run time first. Output names no
    /// folder: before it is loaded, what it needs is, from here.
    fn libraries(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What makes compiling slower here than it has to be, each with what to do. As a rule nothing does.
    fn slowed_by(&self) -> Vec<String> {
        Vec::new()
    }

    /// Every file outside the driver's own toolchain that `unit` reads, as far as can be told before it is compiled; empty
    /// for self-contained sources. The cache key covers their contents.
    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError>;

    /// The key of a library that was compiled beforehand and has all `symbols` of `unit`, if there is one: perhaps together
    /// with more than `unit` asks for.
    fn compiled(&self, unit: &Unit, symbols: &[&str]) -> Option<Key> {
        let _ = (unit, symbols);
        None
    }

    /// What libraries for `target` need of the SYCL run time where they run: each file's name, and where it is.
    fn run_time(&self, target: &Target) -> Result<Vec<(String, PathBuf)>, CompileError> {
        Err(CompileError::Refused {
            subject: format!("a bundle for {}", target.name()),
            reason: "bundles are made with the embedded toolchain: set OXYSYCL_DRIVER=embedded".to_owned(),
        })
    }

    /// Compiles `unit` into the shared library `out`, and returns every file outside the driver's own toolchain that was
    /// read. On failure nothing is left at `out`.
    ///
    /// The folder of `out` is this compilation's own: work goes on in a folder there, which is deleted, and the log of the
    /// compilers, `compiler.log`, stays.
    fn compile(&self, unit: &Unit, out: &Path) -> Result<Vec<PathBuf>, CompileError>;
}

/// The value of [`MODULE_MACRO`] for the unit with this key.
fn module_name(key: &Key) -> String {
    format!("m_{}", &key.to_string()[..16])
}

/// Runs `compile`, and once more if the compiler fails without a word: under load, back ends sometimes do, and then do not.
fn twice_if_silent<T>(
    compiler: &str,
    mut compile: impl FnMut() -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    match compile() {
        Err(error) if error.failure().is_some_and(Failure::is_silent) => {
            eprintln!("oxysycl: {compiler} failed without a message; trying once more");
            compile()
        }
        result => result,
    }
}

/// A digest of `texts`.
fn digest(texts: &[&str]) -> String {
    hex::encode(Sha256::digest(texts.join("\0")))
}

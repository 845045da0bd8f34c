//! Drivers turn a [`Unit`] into a shared library whose `extern "C"` symbols take a `sycl::queue*` first.

use std::path::Path;

use crate::unit::Unit;

/// Compiles SYCL units to shared libraries.
pub trait Driver: Send + Sync {
    /// Everything about this driver that shapes its output: part of the cache key.
    fn identity(&self) -> &Identity;

    /// Every file outside the driver's own toolchain that `unit` reads, in the order the compiler first reads them;
    /// empty for self-contained sources. The cache key covers their contents.
    fn dependencies(&self, unit: &Unit) -> Result<Vec<std::path::PathBuf>, CompileError>;

    /// Compiles `unit` into the shared library `out`. On failure nothing is left at `out`.
    fn compile(&self, unit: &Unit, out: &Path) -> Result<(), CompileError>;
}

//! Which driver this process uses.

use super::{CompileError, Driver};

/// The driver to use: `icpx` if there is one, else the embedded toolchain, which is installed on first use.
/// `OXYSYCL_DRIVER=icpx` or `=embedded` forces one of them.
pub fn discover() -> Result<Box<dyn Driver>, CompileError> {
    unimplemented!()
}

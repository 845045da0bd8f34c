//! Which driver this process uses.

use super::{CompileError, Driver, Embedded, Icpx};
use crate::environment;
use crate::toolchain::Toolchain;

/// The environment variable that chooses a driver.
const VARIABLE: &str = "OXYSYCL_DRIVER";

/// The driver to use: `icpx` if there is one, else the embedded toolchain, which is installed on first use.
/// `OXYSYCL_DRIVER=icpx` or `=embedded` forces one of them. Nothing of the answer is remembered.
pub fn discover() -> Result<Box<dyn Driver>, CompileError> {
    let chosen = environment::variable(VARIABLE).map(|value| value.to_string_lossy().into_owned());
    match chosen.as_deref() {
        Some("icpx") => icpx(),
        Some("embedded") => embedded(),
        Some(other) => Err(CompileError::Variable {
            variable: VARIABLE,
            value: other.to_owned(),
            expected: "`icpx` or `embedded`".to_owned(),
        }),
        // One that was asked for and is not there, or not icpx, is an error; one that nobody asked for is not.
        None => match icpx() {
            Err(CompileError::NotFound { .. }) => embedded(),
            found => found,
        },
    }
}

fn icpx() -> Result<Box<dyn Driver>, CompileError> {
    Ok(Box::new(Icpx::find()?))
}

fn embedded() -> Result<Box<dyn Driver>, CompileError> {
    Ok(Box::new(Embedded::new(Toolchain::ensure()?)?))
}

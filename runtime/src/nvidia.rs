//! NVIDIA's driver: whether there is one, and what it can do.

use std::ffi::{c_int, c_uint};
use std::fmt;

use libloading::os::unix::Library;

/// The driver's library.
const LIBRARY: &str = "libcuda.so.1";

/// What the driver says where there is no device.
const NO_DEVICE: c_int = 100;

/// A driver that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The version of NVIDIA's interface that it has: 12080 for 12.8.
    pub version: i32,
    /// How many GPUs it has.
    pub devices: i32,
}

/// Why there is no driver that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// There is none.
    #[error("there is none ({LIBRARY} cannot be loaded); with an NVIDIA GPU, install NVIDIA's driver")]
    Missing,
    /// There is one, and it fails.
    #[error("{LIBRARY} is there, but its function {function} fails with {code}{hint}")]
    Failing {
        /// The function.
        function: &'static str,
        /// What it returns.
        code: i32,
        /// A likely reason, or nothing.
        hint: &'static str,
    },
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = (self.version / 1000, self.version % 1000 / 10);
        write!(f, "CUDA {major}.{minor}, {} GPUs", self.devices)
    }
}

/// Asks NVIDIA's driver, which is loaded if it is there.
///
/// # Errors
/// If there is none, or it cannot be used.
pub fn driver() -> Result<Driver, DriverError> {
    // SAFETY: what the driver does when it is loaded is NVIDIA's business, and the SYCL run time loads it as well.
    let library = unsafe { Library::new(LIBRARY) }.map_err(|_| DriverError::Missing)?;
    let mut found = Driver {
        version: 0,
        devices: 0,
    };
    let ask = |function: &'static str, code: Option<c_int>| match code {
        Some(0) => Ok(()),
        code => Err(DriverError::Failing {
            function,
            code: code.unwrap_or(-1),
            hint: match code {
                Some(NO_DEVICE) => " (it finds no GPU)",
                None => " (it is not there: the driver is too old)",
                _ => "",
            },
        }),
    };
    // SAFETY: these are the functions' documented types, and they write one number each.
    unsafe {
        let init = library
            .get::<unsafe extern "C" fn(c_uint) -> c_int>(b"cuInit\0")
            .ok();
        ask("cuInit", init.map(|init| init(0)))?;
        let version = library
            .get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"cuDriverGetVersion\0")
            .ok();
        ask(
            "cuDriverGetVersion",
            version.map(|version| version(&mut found.version)),
        )?;
        let count = library
            .get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"cuDeviceGetCount\0")
            .ok();
        ask("cuDeviceGetCount", count.map(|count| count(&mut found.devices)))?;
    }
    // It has threads: it stays.
    std::mem::forget(library);
    Ok(found)
}

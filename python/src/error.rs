//! Errors as Python has them.

use oxysycl::operator::{NativeError, Refused};
use oxysycl::runtime::{CallError, Error};
use oxysycl::{LaunchError, LowerError};
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};

/// Statuses of exports from this one on are no fault of the arguments: a device that is lost, an exception of SYCL's.
const NO_ARGUMENT: i32 = 5;

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Python itself, or an object of somebody else's.
    Python(PyErr),
    /// An argument does not do.
    Refused(Refused),
    /// The kernel was not launched.
    Launch(Box<LaunchError>),
    /// The native function gave no result.
    Native(NativeError),
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Refused> for Failure {
    fn from(error: Refused) -> Self {
        Self::Refused(error)
    }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Self {
        Self::Launch(Box::new(error))
    }
}

impl From<LowerError> for Failure {
    fn from(error: LowerError) -> Self {
        LaunchError::from(error).into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        LaunchError::from(error).into()
    }
}

impl From<NativeError> for Failure {
    fn from(error: NativeError) -> Self {
        match error {
            NativeError::Refused(refused) => Self::Refused(refused),
            error => Self::Native(error),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Refused(Refused::Type(text)) => PyTypeError::new_err(text),
            Failure::Refused(Refused::Value(text)) => PyValueError::new_err(text),
            Failure::Native(error) => PyRuntimeError::new_err(error.to_string()),
            Failure::Launch(error) => match *error {
                LaunchError::Call(CallError::Failed { status, reason, .. }) if status < NO_ARGUMENT => {
                    PyValueError::new_err(reason)
                }
                LaunchError::Lower(_) | LaunchError::Runtime(_) | LaunchError::Call(_) => {
                    PyRuntimeError::new_err(error.to_string())
                }
                error => PyValueError::new_err(error.to_string()),
            },
        }
    }
}

//! Why a kernel was not launched.

use oxysycl_runtime::{ArgumentKind, CallError, Error};

use crate::kernel::LowerError;

/// Why a kernel was not launched. Nothing was submitted, so that no buffer has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The kernel cannot be turned into a header.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// There is no instance with these element types or const parameters.
    #[error("{0}")]
    Instance(String),
    /// The environment asks for shapes that there are not.
    #[error("{variable}={value:?}: launches take the shapes of their device, or with `gpu` those of a GPU")]
    Shapes {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// The arguments are of other types than the kernel's parameters.
    #[error("{kernel}: the arguments {given:?} do not fit its signature")]
    Signature {
        /// The kernel.
        kernel: String,
        /// Types of the arguments.
        given: &'static [ArgumentKind],
    },
    /// A size or stride is below zero.
    #[error("{kernel}: {what} is {value}; sizes and strides are 0 or more")]
    Negative {
        /// The kernel.
        kernel: String,
        /// The argument, or the part of a buffer's shape.
        what: String,
        /// Its value.
        value: i64,
    },
    /// An argument is larger than any size can be.
    #[error("{kernel}: `{argument}` is {value}, which is more than an i64 holds")]
    TooLarge {
        /// The kernel.
        kernel: String,
        /// The argument.
        argument: String,
        /// Its value.
        value: i128,
    },
    /// A buffer's shape is too large to be counted.
    #[error("{kernel}: the shape of `{buffer}` cannot be worked out: its sizes and strides are too large")]
    Uncountable {
        /// The kernel.
        kernel: String,
        /// The buffer.
        buffer: String,
    },
    /// A buffer is too short for its shape.
    #[error("{kernel}: `{buffer}` has {given} elements, but its shape {shape} needs {needed}")]
    Short {
        /// The kernel.
        kernel: String,
        /// The buffer.
        buffer: String,
        /// Elements that it has.
        given: usize,
        /// Elements that the kernel may touch.
        needed: i128,
        /// The shape, with the values of the arguments in it.
        shape: String,
    },
    /// A view is longer than its shape, and what is behind the shape is written.
    #[error(
        "{kernel}: `{buffer}` has {given} elements, of which its shape needs {needed}; among the others, which the kernel could \
         read too, are some of `{written}`, which it writes: pass no more of `{buffer}` than it reads"
    )]
    Beyond {
        /// The kernel.
        kernel: String,
        /// The buffer that is read.
        buffer: String,
        /// Elements that it has.
        given: usize,
        /// Elements of its shape.
        needed: i128,
        /// The buffer that is written.
        written: String,
    },
    /// The kernel could not be compiled or loaded.
    #[error(transparent)]
    Runtime(Box<Error>),
    /// The launcher refused the arguments, or the SYCL run time failed.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl From<Error> for LaunchError {
    fn from(error: Error) -> Self {
        LaunchError::Runtime(Box::new(error))
    }
}

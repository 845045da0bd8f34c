//! The operators of oxysycl for Python: the module `oxysycl._native`, on which the package `oxysycl` is built.
//!
//! Python gets a function for each kernel from the kernel's own description, see [`oxysycl::operator`]: `text` writes it, and
//! `operator` is what it calls.

mod array;
mod error;
mod operator;
mod queue;
mod text;

use std::ffi::OsString;

use oxysycl::runtime::Runtime;
use pyo3::prelude::*;

use self::error::Failure;
use self::operator::Operator;

/// The operators of all kernels, by name.
#[pyfunction]
fn operators() -> Result<Vec<Operator>, Failure> {
    Operator::all()
}

/// The text of the module `oxysycl.ops`.
#[pyfunction]
fn source() -> Result<String, Failure> {
    text::module(&Operator::all()?)
}

/// The text of `oxysycl/ops.pyi`.
#[pyfunction]
fn stub() -> Result<String, Failure> {
    text::stub(&Operator::all()?)
}

/// Runs the command, and gives its exit status.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>) -> i32 {
    py.detach(|| oxysycl::cli::run(arguments))
}

/// Loads the SYCL run time that compiled libraries need, if this process has none yet.
#[pyfunction]
fn load_sycl(py: Python<'_>) -> Result<(), Failure> {
    py.detach(|| Runtime::global()?.sycl())?;
    Ok(())
}

/// The C types of a kernel's export after the queue: `pointer`, or the name of a type in Rust.
#[pyfunction]
fn c_types(kernel: &str) -> Result<Option<Vec<String>>, Failure> {
    operator::c_types(kernel)
}

/// What `oxysycl` is built on.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Operator, c_types, load_sycl, operators, run, source, stub};
}

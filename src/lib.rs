//! Kernels for Intel XPUs, written in Rust, reviewed as SYCL, run anywhere.

// Kernels name this crate by its path wherever they are, so also in here.
extern crate self as oxysycl;

mod argument;
pub mod check;
pub mod cli;
mod kernel;
mod launch;
pub mod native;
pub mod ops;
pub mod prelude;

pub use self::kernel::{Kernel, LowerError, kernels};
pub use self::launch::LaunchError;
pub use oxysycl_codegen as codegen;
pub use oxysycl_runtime as runtime;
pub use oxysycl_runtime::{Buffer, Device, Queue, Selector, View};

/// What the attributes expand to. Not for anybody else.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::{DeviceArgument, HostArgument};
    pub use crate::kernel::{Registered, Variant};
    pub use crate::launch::launch;
    pub use inventory::submit;
    pub use oxysycl_codegen::source::{Callee, ConstantType, FunctionSource, KernelSource};
}

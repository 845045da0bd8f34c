//! Kernels for Intel XPUs, written in Rust, reviewed as SYCL, run anywhere.
//!
//! A kernel is a function over slices. `#[sycl_kernel]` leaves the function as it is, and puts beside it what a device
//! needs: a typed launch, and a SYCL header that reads as if written by hand.
//!
//! ```
//! use oxysycl::prelude::*;
//! use oxysycl::{Queue, Selector};
//!
//! /// y = a · x + y
//! #[sycl_kernel(
//!     symbol = "axpy_{T}",
//!     types(T = [f32, f16, bf16]),
//!     shapes(x = [n], y = [n]),
//! )]
//! pub fn axpy<T: Float>(x: &[T], y: &mut [T], a: f32, n: i64) {
//!     for i in elements(n) {
//!         y.store(i, a * x.load(i) + y.load(i));
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // As it stands, on the host.
//!     let mut y = [1.0, 1.0, 1.0];
//!     axpy(&[1.0, 2.0, 3.0f32], &mut y, 0.5, 3);
//!     assert_eq!(y, [1.5, 2.0, 2.5]);
//!
//!     // On a GPU if there is one, else on a CPU; compiled on first use, by icpx or by an embedded toolchain.
//!     let queue = Queue::new(&Selector::Auto)?;
//!     let x = queue.upload(&[1.0, 2.0, 3.0f32])?;
//!     let y = queue.upload(&[1.0f32; 3])?;
//!     axpy::launch(&queue, x.view(), y.view(), 0.5, 3)?;
//!     assert_eq!(y.to_vec()?, [1.5, 2.0, 2.5]);
//!     Ok(())
//! }
//! ```
//!
//! * [`prelude`]: the words of the language, element types and attributes.
//! * [`native`]: what the words mean in plain Rust, and the twins of a kernel that tests use.
//! * [`check`]: kernels compared with their own native functions on a device.
//! * [`cli`]: the command. `fn main() { oxysycl::cli::main() }` has every kernel that is linked into the program.
//! * [`log`](mod@log): what the run time does, said as it does it.
//! * [`operator`]: kernels called with arrays, whose shapes tell sizes and strides.
//! * [`ops`]: the operators of this project.

// Kernels name this crate by its path wherever they are, so also in here.
extern crate self as oxysycl;

mod argument;
mod bench;
pub mod check;
pub mod cli;
mod kernel;
mod launch;
pub mod log;
pub mod native;
pub mod operator;
pub mod ops;
pub mod prelude;

pub use self::kernel::{Header, Kernel, LowerError, clear_module_cache, headers, kernels};
pub use self::launch::{LaunchError, shaped_for_gpu};
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

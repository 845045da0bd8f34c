//! From a Rust kernel function to a SYCL header.
//!
//! ```text
//! kernel fn ──front──▶ typed IR ──check──▶ ──schedule──▶ program ──emit──▶ header.hpp
//! ```
#![forbid(unsafe_code)]

mod check;
mod checked;
mod diagnostics;
mod emit;
pub mod eval;
mod expand;
mod front;
mod instance;
pub mod ir;
mod judge;
mod lower;
pub mod program;
mod schedule;
pub mod source;

pub use self::check::{Indices, indices};
#[doc(hidden)]
pub use self::checked::{Checked, checked};
pub use self::emit::{header, shared_header};
pub use self::expand::{sycl_fn, sycl_kernel};
pub use self::instance::Instance;
pub use self::judge::judge;
pub use self::lower::kernel;

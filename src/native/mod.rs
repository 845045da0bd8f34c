//! What the words of the kernel language mean in plain Rust, and the two ways to run a kernel that tests need.
//!
//! A kernel called from Rust runs on this module: one element after the other, checked at every access. The macro also
//! writes two twins of each kernel, which run on this module as well:
//!
//! * its *shadow* computes with [`Real`], in `f64` and with a bound on how far the device may be off;
//! * its *shuffled* twin splits every `lanes` loop into [`work_items`], in any order and with accumulators of their own.

mod cast;
mod element;
pub(crate) mod functions;
mod lanes;
mod real;
mod reductions;
mod row;
mod shadow;
mod words;

pub use self::cast::{CastTo, Lift, cast};
pub use self::element::{Element, Float, Index};
pub use self::functions::*;
pub use self::lanes::{Accumulator, Gathered, Part, WorkItem, shuffle, work_items};
pub use self::real::{Real, Side, computed_by, decide};
pub use self::reductions::*;
pub use self::row::{Load, Row, RowMut, Rows, Store};
pub use self::shadow::Shadow;
pub use self::words::{Grid, elements, groups, lanes};
pub use oxysycl_codegen::ir::{Library, Reduce};

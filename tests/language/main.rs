//! Kernels that must be accepted, and what must hold for each of them:
//!
//! * the macro and the lowering agree that it is a kernel, and its header comes out the same every time;
//! * its twin with run-time sizes gives the function's own bits;
//! * its shuffled twin, whatever the order of lanes, gives them too where sums are exact, and keeps to the shadow's bounds
//!   where they are not;
//! * so does the function itself.
#![allow(
    clippy::manual_clamp,
    clippy::match_bool,
    clippy::mut_range_bound,
    clippy::needless_late_init,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::reversed_empty_ranges,
    clippy::single_match,
    clippy::too_many_arguments,
    reason = "kernels are written here in every way that is right, not only in good ones"
)]

mod arms;
mod choices;
mod flow;
mod functions;
mod grids;
mod integers;
mod loops;
mod names;
mod order;
mod places;
mod reductions;
mod scans;
mod support;
mod values;

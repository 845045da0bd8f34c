//! What Rust means is what the device does: bit for bit, in vectors and one by one.

// The kernels are written badly on purpose.
#![allow(
    clippy::assign_op_pattern,
    clippy::eq_op,
    clippy::match_bool,
    clippy::precedence,
    clippy::single_match,
    clippy::unnecessary_cast,
    clippy::upper_case_acronyms
)]

mod absent;
mod arms;
mod choices;
mod control;
mod floats;
mod gathered;
mod integers;
mod names;
mod places;
mod ranges;
mod reductions;
mod scans;
mod sequences;
mod strided;
mod support;

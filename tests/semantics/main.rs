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

use std::process::Command;

/// The shapes of a GPU have vectors and larger work-groups than those of the CPU device.
#[test]
fn all_of_it_holds_in_the_shapes_of_a_gpu() {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args(["--skip", "all_of_it_holds_in_the_shapes_of_a_gpu"])
        .env("OXYSYCL_SHAPES", "gpu")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("test result: ok."), "{said}");
}

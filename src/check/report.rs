//! Results of a check, as `--json` prints them.

use serde::Serialize;

/// The results of `check`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The device that the kernels ran on.
    pub device: String,
    /// The driver that compiled them: `icpx` or `embedded`.
    pub driver: String,
    /// Whether everything is right.
    pub passed: bool,
    /// One entry per kernel and combination of element types.
    pub results: Vec<Checked>,
}

/// The results for one kernel with its element types chosen.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The kernel.
    pub kernel: String,
    /// Its element types, such as `fp16`, in the order of its type parameters.
    pub dtypes: Vec<String>,
    /// How results are compared: `bits` with the native function, or `bounds` of the shadow in `f64`.
    pub compared: &'static str,
    /// Cases run.
    pub cases: usize,
    /// Elements of results compared.
    pub elements: u64,
    /// Those among them whose bound leaves fewer than three digits: extreme numbers went in, or nearly equal ones were
    /// subtracted. They are held to their bound, and left out of `worst_ulp`.
    pub ill_conditioned: u64,
    /// The largest error in units in the last place of the element type; 0 if there is none.
    pub worst_ulp: f64,
    /// The case and element with the largest error.
    pub worst_at: Option<String>,
    /// The condition of an `assert!` for which nothing was run: no arguments that are drawn meet it.
    pub unmet: Option<String>,
    /// Whether nothing is wrong.
    pub passed: bool,
    /// Cases that went wrong.
    pub failed_cases: usize,
    /// The first of them.
    pub failure: Option<Failure>,
}

/// A case that went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The case's number.
    pub case: usize,
    /// Its const parameters, arguments and layout.
    pub arguments: String,
    /// What is wrong.
    pub problem: String,
    /// A command that runs this case alone.
    pub repro: String,
}

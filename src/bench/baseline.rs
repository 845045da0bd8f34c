//! This project's own headers written by hand, which generated ones are measured against.

use oxysycl_codegen::ir::Kernel as Ir;

use super::header::Header;
use crate::kernel::Kernel;

/// What the sets of headers are called: one as they are usually written for GPUs, and one for CPUs.
pub(crate) const NAMES: [&str; 2] = [GPU, CPU];
const GPU: &str = "handwritten";
/// The set for CPUs.
pub(crate) const CPU: &str = "handwritten-cpu";

/// A header written by hand.
struct Baseline {
    set: &'static str,
    operator: &'static str,
    file: &'static str,
    text: &'static str,
}

macro_rules! baselines {
    ($($set:ident $operator:literal $file:literal;)*) => {
        &[$(Baseline {
            set: $set,
            operator: $operator,
            file: $file,
            text: include_str!(concat!("../../benches/handwritten/", $file)),
        }),*]
    };
}

const BASELINES: &[Baseline] = baselines! {
    GPU "act_and_mul" "activation.hpp";
    GPU "fused_rope" "rope.hpp";
    GPU "fused_rope_store" "rope.hpp";
    GPU "qknorm" "qknorm.hpp";
    GPU "rmsnorm" "rmsnorm.hpp";
    GPU "scale" "scale.hpp";
    GPU "timestep_embedding" "timestep_embedding.hpp";
    CPU "act_and_mul" "cpu/activation.hpp";
    CPU "fused_rope" "cpu/rope.hpp";
    CPU "fused_rope_store" "cpu/rope.hpp";
    CPU "qknorm" "cpu/qknorm.hpp";
    CPU "rmsnorm" "cpu/rmsnorm.hpp";
};

/// The header for `kernel` in the set `name`.
pub(crate) fn of(kernel: &Kernel, ir: &Ir, name: &str) -> Option<Header> {
    let is_operator = kernel.module().starts_with("oxysycl::ops::");
    let mut all = BASELINES.iter();
    let found = all.find(|baseline| baseline.set == name && baseline.operator == ir.name && is_operator)?;
    Some(Header {
        name: name.to_owned(),
        file: found.file.to_owned(),
        text: found.text.to_owned(),
        last_error: None,
    })
}

/// The operators that the set `name` has headers for.
pub(crate) fn kernels(name: &str) -> Vec<&'static str> {
    let of_set = BASELINES.iter().filter(|baseline| baseline.set == name);
    of_set.map(|baseline| baseline.operator).collect()
}

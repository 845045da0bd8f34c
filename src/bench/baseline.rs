//! This project's own headers written by hand, which generated ones are measured against.

use oxysycl_codegen::ir::Kernel as Ir;

use super::header::Header;
use crate::kernel::Kernel;

/// What the sets of headers are called: one as they are usually written for GPUs, and one for CPUs.
pub(crate) const NAMES: [&str; 2] = [GPU, CPU];
const GPU: &str = "handwritten";
/// The set for CPUs.
pub(crate) const CPU: &str = "handwritten-cpu";

macro_rules! headers {
    ($($name:ident $kernel:literal $file:literal;)*) => {
        [$(($name, $kernel, $file, include_str!(concat!("../../benches/handwritten/", $file)))),*]
    };
}

/// The set, the operator, and the header's file and text.
const HEADERS: [(&str, &str, &str, &str); 0] = headers! {};

/// The header for `kernel` in the set `name`.
pub(crate) fn of(kernel: &Kernel, ir: &Ir, name: &str) -> Option<Header> {
    let is_operator = kernel.module().starts_with("oxysycl::ops::");
    let (_, _, file, text) = HEADERS
        .iter()
        .find(|(set, operator, ..)| *set == name && *operator == ir.name && is_operator)?;
    Some(Header {
        name: name.to_owned(),
        file: (*file).to_owned(),
        text: (*text).to_owned(),
        last_error: None,
    })
}

/// The operators that the set `name` has headers for.
pub(crate) fn kernels(name: &str) -> Vec<&'static str> {
    let of_set = HEADERS.iter().filter(|(set, ..)| *set == name);
    of_set.map(|(_, operator, ..)| *operator).collect()
}

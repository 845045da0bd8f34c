//! Addition of two buffers.

use crate::prelude::*;

/// out = a + b, element by element, rounded once.
#[sycl_kernel(
    symbol = "add_forward_{T}",
    header = "elementwise/add.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_ADD_DTYPE_{T}"),
    shapes(a = [numel], b = [numel], output = [numel]),
    alias(output = a, output = b),
)]
pub fn add<T: Float>(a: &[T], b: &[T], output: &mut [T], numel: i64) {
    for i in elements(numel) {
        output.store(i, a.load(i) + b.load(i));
    }
}

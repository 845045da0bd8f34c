//! Multiplication of two buffers.

use crate::prelude::*;

/// out = a · b, element by element, rounded once.
#[sycl_kernel(
    symbol = "mul_forward_{T}",
    header = "elementwise/mul.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_MUL_DTYPE_{T}"),
    shapes(a = [numel], b = [numel], output = [numel]),
    alias(output = a, output = b),
)]
pub fn mul<T: Float>(a: &[T], b: &[T], output: &mut [T], numel: i64) {
    for i in elements(numel) {
        output.store(i, a.load(i) * b.load(i));
    }
}

//! Multiplication by a number.

use crate::prelude::*;

/// out = in · factor
#[sycl_kernel(
    symbol = "scale_forward_{T}",
    header = "elementwise/scale.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_SCALE_DTYPE_{T}"),
    shapes(input = [numel], output = [numel]),
    alias(output = input),
)]
pub fn scale<T: Float>(input: &[T], output: &mut [T], factor: f32, numel: i64) {
    for i in elements(numel) {
        output.store(i, input.load(i) * factor);
    }
}

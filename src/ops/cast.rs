//! Conversion between float types.

use crate::prelude::*;

/// out = in in another type: the nearest number, of two equally near ones the even one; beyond the largest, infinity.
#[sycl_kernel(
    symbol = "cast_forward_{T}_{U}",
    header = "elementwise/cast.hpp",
    types(T = [f32, f16, bf16], U = [f32, f16, bf16]),
    select(T = "SGL_CAST_FROM_{T}", U = "SGL_CAST_TO_{U}"),
    shapes(input = [numel], output = [numel]),
)]
pub fn cast<T: Float, U: Float>(input: &[T], output: &mut [U], numel: i64) {
    for i in elements(numel) {
        output.store(i, input.load(i));
    }
}

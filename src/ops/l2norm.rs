//! Normalisation to unit length.

use crate::prelude::*;

/// y = x / sqrt(sum(x²) + eps), row by row. A row of zeros stays one if `eps` is above 0.
///
/// Squares are as in [`rmsnorm`](fn@super::rmsnorm::rmsnorm).
#[sycl_kernel(
    symbol = "l2norm_forward_{T}",
    header = "elementwise/l2norm.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_L2NORM_DTYPE_{T}"),
    shapes(
        input = [num_tokens @ input_stride, hidden_size],
        output = [num_tokens @ output_stride, hidden_size],
    ),
    alias(output = input),
)]
pub fn l2norm<T: Float>(
    input: &[T],
    output: &mut [T],
    num_tokens: i64,
    hidden_size: i64,
    input_stride: i64,
    output_stride: i64,
    eps: f32,
) {
    for token in groups(num_tokens) {
        let x = input.row(token * input_stride);
        let mut y = output.row_mut(token * output_stride);
        let mut sum_sq = 0.0;
        for i in lanes(hidden_size) {
            sum_sq += x.load(i) * x.load(i);
        }
        let scale = rsqrt(group_sum(sum_sq) + eps);
        for i in lanes(hidden_size) {
            y.store(i, x.load(i) * scale);
        }
    }
}

//! Softmax of rows.

use crate::prelude::*;

/// y = exp(x − max(x)) / Σ exp(x − max(x)), row by row.
///
/// Exponents and their sum are `f32`, and the result is rounded once, in place too. A row with a NaN or ∞, or of −∞ alone,
/// becomes NaN.
#[sycl_kernel(
    symbol = "softmax_forward_{T}",
    header = "elementwise/softmax.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_SOFTMAX_DTYPE_{T}"),
    shapes(
        input = [num_rows @ input_stride, width],
        output = [num_rows @ output_stride, width],
    ),
    alias(output = input),
)]
pub fn softmax<T: Float>(
    input: &[T],
    output: &mut [T],
    num_rows: i64,
    width: i64,
    input_stride: i64,
    output_stride: i64,
) {
    for row in groups(num_rows) {
        let x = input.row(row * input_stride);
        let mut y = output.row_mut(row * output_stride);
        let mut most = f32::NEG_INFINITY;
        for i in lanes(width) {
            most = most.max(x.load(i));
        }
        let most = group_max(most);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += (x.load(i) - most).exp();
        }
        let sum = group_sum(sum);
        for i in lanes(width) {
            y.store(i, (x.load(i) - most).exp() / sum);
        }
    }
}

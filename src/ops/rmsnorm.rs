//! Root mean square normalisation.

use crate::prelude::*;

/// y = x / sqrt(mean(x²) + eps) · weight, row by row.
///
/// Squares are not scaled: where those of a row add up to more than 3.4e38, the row becomes zeros; below 1e-45 they vanish.
#[sycl_kernel(
    symbol = "rmsnorm_forward_{T}_{HIDDEN_SIZE}",
    header = "elementwise/rmsnorm.hpp",
    types(T = [f32, f16, bf16]),
    select(HIDDEN_SIZE = "SGL_RMSNORM_HIDDEN_SIZE", T = "SGL_RMSNORM_DTYPE_{T}"),
    instances(HIDDEN_SIZE = [64, 128, 256, 512, 1024, 1536, 2048, 2304, 2560, 3072, 4096, 5120, 6144, 7168, 8192, 12288, 16384]),
    shapes(
        input = [num_tokens @ input_stride, HIDDEN_SIZE],
        weight = [HIDDEN_SIZE],
        output = [num_tokens @ output_stride, HIDDEN_SIZE],
    ),
    alias(output = input),
)]
pub fn rmsnorm<T: Float, const HIDDEN_SIZE: i64>(
    input: &[T],
    weight: &[T],
    output: &mut [T],
    num_tokens: i64,
    input_stride: i64,
    output_stride: i64,
    eps: f32,
) {
    for token in groups(num_tokens) {
        let x = input.row(token * input_stride);
        let mut y = output.row_mut(token * output_stride);
        let mut sum_sq = 0.0;
        for i in lanes(HIDDEN_SIZE) {
            sum_sq += x.load(i) * x.load(i);
        }
        let scale = rsqrt(group_sum(sum_sq) / HIDDEN_SIZE as f32 + eps);
        for i in lanes(HIDDEN_SIZE) {
            y.store(i, x.load(i) * scale * weight.load(i));
        }
    }
}

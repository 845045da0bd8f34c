//! Gemma's root mean square normalisation.

use crate::prelude::*;

/// y = x / sqrt(mean(x²) + eps) · (1 + weight), row by row; `1 + weight` is formed in `f32`.
///
/// Squares are as in [`rmsnorm`](fn@super::rmsnorm::rmsnorm).
#[sycl_kernel(
    symbol = "gemma_rmsnorm_forward_{T}_{W}_{HIDDEN_SIZE}",
    header = "elementwise/gemma_rmsnorm.hpp",
    types((T, W) = [(f32, f32), (f16, f16), (bf16, bf16), (f32, bf16), (f16, f32), (bf16, f32)]),
    select(
        HIDDEN_SIZE = "SGL_GEMMA_RMSNORM_HIDDEN_SIZE",
        T = "SGL_GEMMA_RMSNORM_DTYPE_{T}",
        W = "SGL_GEMMA_RMSNORM_WEIGHT_DTYPE_{W}",
    ),
    instances(HIDDEN_SIZE = [1024, 2048, 4096, 5120, 7168, 8192]),
    shapes(
        input = [num_tokens @ input_stride, HIDDEN_SIZE],
        weight = [HIDDEN_SIZE],
        output = [num_tokens @ output_stride, HIDDEN_SIZE],
    ),
    alias(output = input),
)]
pub fn gemma_rmsnorm<T: Float, W: Float, const HIDDEN_SIZE: i64>(
    input: &[T],
    weight: &[W],
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
            y.store(i, x.load(i) * scale * (1.0 + weight.load(i)));
        }
    }
}

//! Gemma's normalisation of a sum, which becomes the new residual.

use crate::prelude::*;

/// residual = residual + input; input = residual / sqrt(mean(residual²) + eps) · (1 + weight), row by row.
///
/// What is normalised is the residual as it was stored; `1 + weight` is formed in `f32`. Squares are as in [`rmsnorm`](fn@super::rmsnorm::rmsnorm).
#[sycl_kernel(
    symbol = "gemma_fused_add_rmsnorm_forward_{T}_{W}_{HIDDEN_SIZE}",
    header = "elementwise/gemma_fused_add_rmsnorm.hpp",
    types((T, W) = [(f32, f32), (f16, f16), (bf16, bf16), (f16, f32), (bf16, f32)]),
    select(
        HIDDEN_SIZE = "SGL_GEMMA_FUSED_ADD_RMSNORM_HIDDEN_SIZE",
        T = "SGL_GEMMA_FUSED_ADD_RMSNORM_DTYPE_{T}",
        W = "SGL_GEMMA_FUSED_ADD_RMSNORM_WEIGHT_DTYPE_{W}",
    ),
    instances(HIDDEN_SIZE = [1024, 2048, 4096, 5120, 7168, 8192]),
    shapes(
        input = [num_tokens @ input_stride, HIDDEN_SIZE],
        residual = [num_tokens @ residual_stride, HIDDEN_SIZE],
        weight = [HIDDEN_SIZE],
    ),
)]
pub fn gemma_fused_add_rmsnorm<T: Float, W: Float, const HIDDEN_SIZE: i64>(
    input: &mut [T],
    residual: &mut [T],
    weight: &[W],
    num_tokens: i64,
    input_stride: i64,
    residual_stride: i64,
    eps: f32,
) {
    for token in groups(num_tokens) {
        let mut x = input.row_mut(token * input_stride);
        let mut r = residual.row_mut(token * residual_stride);
        let mut sum_sq = 0.0;
        for i in lanes(HIDDEN_SIZE) {
            r.store(i, r.load(i) + x.load(i));
            sum_sq += r.load(i) * r.load(i);
        }
        let scale = rsqrt(group_sum(sum_sq) / HIDDEN_SIZE as f32 + eps);
        for i in lanes(HIDDEN_SIZE) {
            x.store(i, r.load(i) * scale * (1.0 + weight.load(i)));
        }
    }
}

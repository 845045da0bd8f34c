//! Layer normalisation.

use crate::prelude::*;

/// y = (x − mean(x)) / sqrt(var(x) + eps) · weight + bias, row by row; without `weight` or `bias` where they are null.
///
/// The mean of a row is an `f32`, rounded, and so is what its additions lose; in a second pass the mean of what is left
/// corrects it, so that a mean that is large beside the spread costs no digits. The result is rounded once.
#[sycl_kernel(
    symbol = "layernorm_forward_{T}_{W}_{HIDDEN_SIZE}",
    header = "elementwise/layernorm.hpp",
    types((T, W) = [(f32, f32), (f16, f16), (bf16, bf16), (f16, f32), (bf16, f32)]),
    select(
        HIDDEN_SIZE = "SGL_LAYERNORM_HIDDEN_SIZE",
        T = "SGL_LAYERNORM_DTYPE_{T}",
        W = "SGL_LAYERNORM_WEIGHT_DTYPE_{W}",
    ),
    instances(HIDDEN_SIZE = [768, 1024, 1152, 2048, 4096]),
    shapes(
        input = [num_tokens @ input_stride, HIDDEN_SIZE],
        weight = [HIDDEN_SIZE],
        bias = [HIDDEN_SIZE],
        output = [num_tokens @ output_stride, HIDDEN_SIZE],
    ),
    alias(output = input),
    optional(weight, bias),
)]
#[allow(clippy::too_many_arguments)]
pub fn layernorm<T: Float, W: Float, const HIDDEN_SIZE: i64>(
    input: &[T],
    weight: &[W],
    bias: &[W],
    output: &mut [T],
    num_tokens: i64,
    input_stride: i64,
    output_stride: i64,
    eps: f32,
) {
    for token in groups(num_tokens) {
        let x = input.row(token * input_stride);
        let mut y = output.row_mut(token * output_stride);
        let mut sum = 0.0;
        for i in lanes(HIDDEN_SIZE) {
            sum += x.load(i);
        }
        let mean = group_sum(sum) / HIDDEN_SIZE as f32;
        let mut rest = 0.0;
        let mut sum_sq = 0.0;
        for i in lanes(HIDDEN_SIZE) {
            let centred = x.load(i) - mean;
            rest += centred;
            sum_sq += centred * centred;
        }
        let correction = group_sum(rest) / HIDDEN_SIZE as f32;
        let variance = group_sum(sum_sq) / HIDDEN_SIZE as f32 - correction * correction;
        let scale = rsqrt(variance.max(0.0) + eps);
        for i in lanes(HIDDEN_SIZE) {
            let factor = if weight.is_empty() { 1.0 } else { weight.load(i) };
            let shift = if bias.is_empty() { 0.0 } else { bias.load(i) };
            y.store(i, (x.load(i) - mean - correction) * scale * factor + shift);
        }
    }
}

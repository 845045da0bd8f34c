//! The gated activation of GPT-OSS.

use super::activation::{at_most, sigmoid};
use crate::prelude::*;

/// out = g · sigmoid(alpha · g) · (u + 1) with g = min(gate, limit) and u = clamp(up, −limit, limit), where each row of the
/// input interleaves gate and up: `gate[i] = x[2i]`, `up[i] = x[2i + 1]`.
///
/// The limit is at least 0; NaN stays NaN. The result is rounded once.
#[sycl_kernel(
    symbol = "swiglu_alpha_limit_forward_{T}",
    header = "elementwise/swiglu_alpha_limit.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_SWIGLU_ALPHA_LIMIT_DTYPE_{T}"),
    shapes(
        input = [num_tokens @ input_stride, 2 * dim],
        output = [num_tokens @ output_stride, dim],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn swiglu_alpha_limit<T: Float>(
    input: &[T],
    output: &mut [T],
    num_tokens: i64,
    dim: i64,
    input_stride: i64,
    output_stride: i64,
    alpha: f32,
    limit: f32,
) {
    assert!(limit >= 0.0);
    for token in groups(num_tokens) {
        let x = input.row(token * input_stride);
        let mut y = output.row_mut(token * output_stride);
        for i in lanes(dim) {
            let gate = at_most(x.load(2 * i), limit);
            let up = x.load(2 * i + 1).clamp(-limit, limit);
            y.store(i, gate * sigmoid(alpha * gate) * (up + 1.0));
        }
    }
}

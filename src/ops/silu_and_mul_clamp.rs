//! SwiGLU with limits.

use super::activation::{at_most, silu};
use crate::prelude::*;

/// out = silu(min(gate, limit)) · clamp(up, −limit, limit), where each row of the input is `gate | up`.
///
/// The limit is an `f32` of at least 0; NaN stays NaN. The result is rounded once.
#[sycl_kernel(
    symbol = "silu_and_mul_clamp_forward_{T}",
    header = "elementwise/silu_and_mul_clamp.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_SILU_AND_MUL_CLAMP_DTYPE_{T}"),
    shapes(
        input = [num_tokens @ input_stride, 2 * dim],
        output = [num_tokens @ output_stride, dim],
    ),
)]
pub fn silu_and_mul_clamp<T: Float>(
    input: &[T],
    output: &mut [T],
    num_tokens: i64,
    dim: i64,
    input_stride: i64,
    output_stride: i64,
    limit: f32,
) {
    assert!(limit >= 0.0);
    for token in groups(num_tokens) {
        let x = input.row(token * input_stride);
        let mut y = output.row_mut(token * output_stride);
        for i in lanes(dim) {
            let gate = at_most(x.load(i), limit);
            let up = x.load(i + dim).clamp(-limit, limit);
            y.store(i, silu(gate) * up);
        }
    }
}

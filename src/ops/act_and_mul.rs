//! Gated activations.

use super::activation::{gelu, gelu_tanh, silu};
use crate::prelude::*;

/// out = act(gate) · up, where each row of the input is `gate | up`.
///
/// `act_kind` is 0 for [`silu`](fn@silu), 1 for [`gelu`](fn@gelu) and 2 for [`gelu_tanh`](fn@gelu_tanh); any other is refused. Computed in `f32`, rounded
/// once.
#[sycl_kernel(
    symbol = "act_and_mul_forward_{T}",
    header = "elementwise/activation.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_ACT_DTYPE_{T}"),
    shapes(input = [num_tokens, 2 * dim], output = [num_tokens, dim]),
    specialize(act_kind in [0, 1, 2]),
)]
pub fn act_and_mul<T: Float>(input: &[T], output: &mut [T], num_tokens: i64, dim: i64, act_kind: i32) {
    for token in groups(num_tokens) {
        let x = input.row(token * (2 * dim));
        let mut y = output.row_mut(token * dim);
        for i in lanes(dim) {
            let gate = x.load(i);
            let act = match act_kind {
                0 => silu(gate),
                1 => gelu(gate),
                _ => gelu_tanh(gate),
            };
            y.store(i, act * x.load(i + dim));
        }
    }
}

//! Normalisation and rotation of query and key heads in a packed tensor.

use crate::prelude::*;

/// Normalises every query and key head of a packed `q | k | v` as [`qknorm`](fn@super::qknorm::qknorm) does, and rotates the
/// first `rope_dim` elements as [`fused_rope`](fn@super::fused_rope::fused_rope) does, in place; values stay as they are.
///
/// `rope_dim` is even and no more than `HEAD_DIM`. Between the two nothing is rounded. A token whose position is that of no row of the table is normalised and not rotated.
#[sycl_kernel(
    symbol = "fused_qk_norm_rope_forward_{NEOX}_{HEAD_DIM}_{T}_{I}",
    header = "elementwise/fused_qk_norm_rope.hpp",
    types(T = [f16, bf16], I = [i32, i64]),
    instances(HEAD_DIM = [64, 128, 256]),
    shapes(
        qkv = [num_tokens as i64 @ stride, num_qo_heads as i64 + num_kv_heads as i64 + num_kv_heads as i64, HEAD_DIM],
        q_weight = [HEAD_DIM],
        k_weight = [HEAD_DIM],
        cos_sin_cache = [num_positions, rope_dim],
        positions = [num_tokens as i64],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn fused_qk_norm_rope<T: Float, I: Index, const HEAD_DIM: i64, const NEOX: bool>(
    qkv: &mut [T],
    q_weight: &[T],
    k_weight: &[T],
    cos_sin_cache: &[f32],
    positions: &[I],
    stride: i64,
    rope_dim: i64,
    num_positions: i64,
    num_qo_heads: u32,
    num_kv_heads: u32,
    num_tokens: u32,
    eps: f32,
) {
    assert!(rope_dim % 2 == 0 && rope_dim <= HEAD_DIM);
    let half = rope_dim / 2;
    let q_heads = num_qo_heads as i64;
    let heads = q_heads + num_kv_heads as i64;
    for (token, head) in groups((num_tokens as i64, heads)) {
        let mut x = qkv.row_mut(token * stride + head * HEAD_DIM);
        let weight = if head < q_heads {
            q_weight.row(0)
        } else {
            k_weight.row(0)
        };
        let mut sum_sq = 0.0;
        for i in lanes(HEAD_DIM) {
            sum_sq += x.load(i) * x.load(i);
        }
        let scale = rsqrt(group_sum(sum_sq) / HEAD_DIM as f32 + eps);
        let position = positions.load(token);
        let known = position >= 0 && position < num_positions;
        for i in lanes(half) {
            let cos = if known {
                cos_sin_cache.load(position * rope_dim + i)
            } else {
                1.0
            };
            let sin = if known {
                cos_sin_cache.load(position * rope_dim + half + i)
            } else {
                0.0
            };
            let (a, b) = if NEOX { (i, i + half) } else { (2 * i, 2 * i + 1) };
            let u = x.load(a) * scale * weight.load(a);
            let v = x.load(b) * scale * weight.load(b);
            x.store(a, u * cos - v * sin);
            x.store(b, u * sin + v * cos);
        }
        for i in lanes(HEAD_DIM - 2 * half) {
            let rest = 2 * half + i;
            x.store(rest, x.load(rest) * scale * weight.load(rest));
        }
    }
}

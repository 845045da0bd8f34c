//! Rotary position embedding of queries and keys, in place.

use crate::prelude::*;

/// Rotates the first `ROPE_DIM` elements of every query and key head by the angles of the token's position.
///
/// With `h = ROPE_DIM / 2`, of an even `ROPE_DIM`, and the table's row `cos[0..h], sin[0..h]` of the position, each pair becomes
/// `(u · cos − v · sin, u · sin + v · cos)`: pairs are `(i, i + h)` if `NEOX`, else `(2i, 2i + 1)`. Products and sums are
/// `f32`, results are rounded once. A token whose position is that of no row of the table is left alone.
///
/// The drop-in knows one stride of heads, and no length of the table: there negative positions are skipped, and the caller
/// vouches for the others.
#[sycl_kernel(
    symbol = "fused_rope_strided_{NEOX}_{ROPE_DIM}_{T}_{I}",
    header = "elementwise/rope.hpp",
    types(T = [f16, bf16], I = [i32, i64]),
    select(ROPE_DIM = "SGL_ROPE_DIM"),
    instances(ROPE_DIM = [64, 128, 256]),
    shapes(
        q = [num_tokens as i64 @ q_stride, num_qo_heads as i64 @ q_head_stride, ROPE_DIM],
        k = [num_tokens as i64 @ k_stride, num_kv_heads as i64 @ k_head_stride, ROPE_DIM],
        cos_sin_cache = [num_positions, ROPE_DIM],
        positions = [num_tokens as i64],
    ),
    drop_in(
        symbol = "fused_rope_{NEOX}_{ROPE_DIM}_{T}_{I}",
        args(
            q, k, cos_sin_cache, positions,
            q_stride, k_stride, head_stride: i64,
            num_qo_heads, num_kv_heads, num_tokens,
        ),
        q_head_stride = head_stride, k_head_stride = head_stride, num_positions = unbounded,
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn fused_rope<T: Float, I: Index, const ROPE_DIM: i64, const NEOX: bool>(
    q: &mut [T],
    k: &mut [T],
    cos_sin_cache: &[f32],
    positions: &[I],
    q_stride: i64,
    k_stride: i64,
    q_head_stride: i64,
    k_head_stride: i64,
    num_qo_heads: u32,
    num_kv_heads: u32,
    num_tokens: u32,
    num_positions: i64,
) {
    assert!(ROPE_DIM % 2 == 0);
    let q_heads = num_qo_heads as i64;
    let heads = q_heads + num_kv_heads as i64;
    for (token, head) in groups((num_tokens as i64, heads)) {
        let mut x = if head < q_heads {
            q.row_mut(token * q_stride + head * q_head_stride)
        } else {
            k.row_mut(token * k_stride + (head - q_heads) * k_head_stride)
        };
        let position = positions.load(token);
        if position >= 0 && position < num_positions {
            let cos = cos_sin_cache.row(position * ROPE_DIM);
            let sin = cos_sin_cache.row(position * ROPE_DIM + ROPE_DIM / 2);
            for i in lanes(ROPE_DIM / 2) {
                let (a, b) = if NEOX {
                    (i, i + ROPE_DIM / 2)
                } else {
                    (2 * i, 2 * i + 1)
                };
                let (u, v) = (x.load(a), x.load(b));
                x.store(a, u * cos.load(i) - v * sin.load(i));
                x.store(b, u * sin.load(i) + v * cos.load(i));
            }
        }
    }
}

//! Rotary position embedding of queries and keys in place, with keys and values written to the cache.

use crate::prelude::*;

/// Rotates the first `ROPE_DIM` elements of every query and key head as [`fused_rope`](fn@super::fused_rope::fused_rope)
/// does, and stores the rotated keys, unrotated tail included, and the values in the token's slot of the cache.
///
/// A token whose position is that of no row of the table is left alone and not stored; one whose slot is that of no row of
/// the cache is rotated and not stored. No two tokens may have one slot.
///
/// The drop-in knows one stride of heads, which is their length too, one stride of slots, and no length of the table or of
/// the cache: there negative positions and slots are skipped, and the caller vouches for the others.
#[sycl_kernel(
    symbol = "fused_rope_store_strided_{NEOX}_{ROPE_DIM}_{T}_{I}",
    header = "elementwise/rope.hpp",
    types(T = [f16, bf16], I = [i32, i64]),
    select(ROPE_DIM = "SGL_ROPE_DIM"),
    instances(ROPE_DIM = [64, 128, 256]),
    shapes(
        q = [num_tokens as i64 @ q_stride, num_qo_heads as i64 @ q_head_stride, head_dim],
        k = [num_tokens as i64 @ k_stride, num_kv_heads as i64 @ k_head_stride, head_dim],
        v = [num_tokens as i64 @ v_stride, num_kv_heads as i64 @ v_head_stride, head_dim],
        k_cache = [num_slots @ k_cache_stride, num_kv_heads as i64 @ k_cache_head_stride, head_dim],
        v_cache = [num_slots @ v_cache_stride, num_kv_heads as i64 @ v_cache_head_stride, head_dim],
        cos_sin_cache = [num_positions, ROPE_DIM],
        positions = [num_tokens as i64],
        out_loc = [num_tokens as i64],
    ),
    scatter(k_cache by out_loc, v_cache by out_loc),
    drop_in(
        symbol = "fused_rope_store_{NEOX}_{ROPE_DIM}_{T}_{I}",
        args(
            q, k, v, k_cache, v_cache, cos_sin_cache, positions, out_loc,
            q_stride, k_stride, v_stride, head_stride: i64, cache_stride: i64,
            num_qo_heads, num_kv_heads, num_tokens,
        ),
        k_cache_stride = cache_stride, v_cache_stride = cache_stride,
        q_head_stride = head_stride, k_head_stride = head_stride, v_head_stride = head_stride,
        k_cache_head_stride = head_stride, v_cache_head_stride = head_stride, head_dim = head_stride,
        num_positions = unbounded, num_slots = unbounded,
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn fused_rope_store<T: Float, I: Index, const ROPE_DIM: i64, const NEOX: bool>(
    q: &mut [T],
    k: &mut [T],
    v: &[T],
    k_cache: &mut [T],
    v_cache: &mut [T],
    cos_sin_cache: &[f32],
    positions: &[I],
    out_loc: &[I],
    q_stride: i64,
    k_stride: i64,
    v_stride: i64,
    k_cache_stride: i64,
    v_cache_stride: i64,
    q_head_stride: i64,
    k_head_stride: i64,
    v_head_stride: i64,
    k_cache_head_stride: i64,
    v_cache_head_stride: i64,
    head_dim: i64,
    num_positions: i64,
    num_slots: i64,
    num_qo_heads: u32,
    num_kv_heads: u32,
    num_tokens: u32,
) {
    assert!(ROPE_DIM % 2 == 0 && ROPE_DIM <= head_dim);
    let q_heads = num_qo_heads as i64;
    let heads = q_heads + num_kv_heads as i64;
    for (token, head) in groups((num_tokens as i64, heads)) {
        let mut x = if head < q_heads {
            q.row_mut(token * q_stride + head * q_head_stride)
        } else {
            k.row_mut(token * k_stride + (head - q_heads) * k_head_stride)
        };
        let (position, slot) = (positions.load(token), out_loc.load(token));
        if position >= 0 && position < num_positions {
            let cos = cos_sin_cache.row(position * ROPE_DIM);
            let sin = cos_sin_cache.row(position * ROPE_DIM + ROPE_DIM / 2);
            for i in lanes(ROPE_DIM / 2) {
                let (a, b) = if NEOX {
                    (i, i + ROPE_DIM / 2)
                } else {
                    (2 * i, 2 * i + 1)
                };
                let (u, w) = (x.load(a), x.load(b));
                x.store(a, u * cos.load(i) - w * sin.load(i));
                x.store(b, u * sin.load(i) + w * cos.load(i));
            }
            if head >= q_heads && slot >= 0 && slot < num_slots {
                let kv_head = head - q_heads;
                let value = v.row(token * v_stride + kv_head * v_head_stride);
                let mut key_out = k_cache.row_mut(slot * k_cache_stride + kv_head * k_cache_head_stride);
                let mut value_out = v_cache.row_mut(slot * v_cache_stride + kv_head * v_cache_head_stride);
                for i in lanes(head_dim) {
                    key_out.store(i, x.load(i));
                    value_out.store(i, value.load(i));
                }
            }
        }
    }
}

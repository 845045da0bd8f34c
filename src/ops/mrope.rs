//! Multimodal rotary position embedding of queries and keys, in place.

use crate::prelude::*;

/// Rotates the first `rope_dim` elements of every query and key head, each pair by the token's time, height or width
/// position.
///
/// With `h = rope_dim / 2`, pair `i` of a head, from `(i, i + h)` if `NEOX`, else `(2i, 2i + 1)`, becomes
/// `(u · cos − v · sin, u · sin + v · cos)`. Its angle is that of row `positions[axis]` of the table, whose rows are
/// `cos[0..h], sin[0..h]`. Axes are blocks of `section_t`, then `section_h`, then `section_w` pairs; if `INTERLEAVED`, they take
/// turns: pair `3j + 1` is height below `3 · section_h`, pair `3j + 2` is width below `3 · section_w`, all others are time.
///
/// `rope_dim` is even, sections are not negative and add up to `h`; interleaved, no more than `(h + 1) / 3` can be height and
/// `h / 3` width.
///
/// A pair whose position is that of no row of the table is left alone.
#[sycl_kernel(
    symbol = "mrope_forward_{NEOX}_{INTERLEAVED}_{T}_{I}",
    header = "elementwise/mrope.hpp",
    types(T = [f16, bf16], I = [i32, i64]),
    shapes(
        q = [num_tokens as i64 @ q_stride, num_qo_heads as i64 @ q_head_stride, rope_dim],
        k = [num_tokens as i64 @ k_stride, num_kv_heads as i64 @ k_head_stride, rope_dim],
        cos_sin_cache = [num_positions, rope_dim],
        positions = [3 @ positions_stride, num_tokens as i64],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn mrope<T: Float, I: Index, const NEOX: bool, const INTERLEAVED: bool>(
    q: &mut [T],
    k: &mut [T],
    cos_sin_cache: &[f32],
    positions: &[I],
    q_stride: i64,
    k_stride: i64,
    q_head_stride: i64,
    k_head_stride: i64,
    positions_stride: i64,
    rope_dim: i64,
    section_t: i64,
    section_h: i64,
    section_w: i64,
    num_positions: i64,
    num_qo_heads: u32,
    num_kv_heads: u32,
    num_tokens: u32,
) {
    let half = rope_dim / 2;
    assert!(rope_dim % 2 == 0);
    assert!(0 <= section_h && section_h <= if INTERLEAVED { (half + 1) / 3 } else { half });
    assert!(0 <= section_w && section_w <= if INTERLEAVED { half / 3 } else { half - section_h });
    assert!(
        section_t == half - section_h - section_w,
        "sections add up to the number of pairs"
    );
    let q_heads = num_qo_heads as i64;
    let heads = q_heads + num_kv_heads as i64;
    for (token, head) in groups((num_tokens as i64, heads)) {
        let mut x = if head < q_heads {
            q.row_mut(token * q_stride + head * q_head_stride)
        } else {
            k.row_mut(token * k_stride + (head - q_heads) * k_head_stride)
        };
        for i in lanes(half) {
            let axis = if INTERLEAVED {
                if i % 3 == 1 && i < 3 * section_h {
                    1
                } else if i % 3 == 2 && i < 3 * section_w {
                    2
                } else {
                    0
                }
            } else if i < section_t {
                0
            } else if i < section_t + section_h {
                1
            } else {
                2
            };
            let position = positions.load(axis * positions_stride + token);
            if position >= 0 && position < num_positions {
                let cos = cos_sin_cache.load(position * rope_dim + i);
                let sin = cos_sin_cache.load(position * rope_dim + half + i);
                let (a, b) = if NEOX { (i, i + half) } else { (2 * i, 2 * i + 1) };
                let (u, v) = (x.load(a), x.load(b));
                x.store(a, u * cos - v * sin);
                x.store(b, u * sin + v * cos);
            }
        }
    }
}

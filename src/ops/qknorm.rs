//! Root mean square normalisation of query and key heads.

use crate::prelude::*;

/// x = x / sqrt(mean(x²) + eps) · weight for every query and key head, in place and in one launch.
///
/// Heads of a token follow each other without a gap; tokens are `q_stride` and `k_stride` elements apart. Sums are `f32`,
/// results are rounded once. Squares are as in [`rmsnorm`](fn@super::rmsnorm::rmsnorm).
#[sycl_kernel(
    symbol = "qknorm_forward_{T}_{HEAD_DIM}",
    header = "elementwise/qknorm.hpp",
    types(T = [f16, bf16]),
    select(HEAD_DIM = "SGL_QKNORM_HEAD_DIM", T = "SGL_QKNORM_DTYPE_{T}"),
    instances(HEAD_DIM = [64, 128, 256, 512, 1024]),
    shapes(
        q = [num_tokens as i64 @ q_stride, num_qo_heads as i64, HEAD_DIM],
        k = [num_tokens as i64 @ k_stride, num_kv_heads as i64, HEAD_DIM],
        q_weight = [HEAD_DIM],
        k_weight = [HEAD_DIM],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn qknorm<T: Float, const HEAD_DIM: i64>(
    q: &mut [T],
    k: &mut [T],
    q_weight: &[T],
    k_weight: &[T],
    q_stride: i64,
    k_stride: i64,
    num_qo_heads: u32,
    num_kv_heads: u32,
    num_tokens: u32,
    eps: f32,
) {
    let q_heads = num_qo_heads as i64;
    let heads = q_heads + num_kv_heads as i64;
    for (token, head) in groups((num_tokens as i64, heads)) {
        let (mut x, weight) = if head < q_heads {
            (q.row_mut(token * q_stride + head * HEAD_DIM), q_weight.row(0))
        } else {
            (
                k.row_mut(token * k_stride + (head - q_heads) * HEAD_DIM),
                k_weight.row(0),
            )
        };
        let mut sum_sq = 0.0;
        for i in lanes(HEAD_DIM) {
            sum_sq += x.load(i) * x.load(i);
        }
        let scale = rsqrt(group_sum(sum_sq) / HEAD_DIM as f32 + eps);
        for i in lanes(HEAD_DIM) {
            x.store(i, x.load(i) * scale * weight.load(i));
        }
    }
}

//! Quantisation to 8-bit integers, with a scale for each group of a row.

use crate::prelude::*;

/// For each group of `GROUP_SIZE` neighbours: scale = max(eps, max|x|) / 127 and codes = x / scale, rounded to nearest, of
/// two equally near integers to the even one.
///
/// Codes are from −127 to 127; a group of zeros has codes 0 and the scale eps / 127. `eps` is at least 1.5e-36, so that no scale
/// is subnormal. NaN has the code 0 and does not count
/// for the scale; in a group with an infinite element the scale is infinite and all codes are 0.
#[sycl_kernel(
    symbol = "per_token_group_quant_int8_forward_{T}_{GROUP_SIZE}",
    header = "gemm/per_token_group_quant_int8.hpp",
    types(T = [f32, f16, bf16]),
    select(GROUP_SIZE = "SGL_PTGQ_INT8_GROUP_SIZE", T = "SGL_PTGQ_INT8_IN_{T}"),
    instances(GROUP_SIZE = [32, 64, 128, 256, 512]),
    shapes(
        input = [num_tokens @ input_stride, num_groups, GROUP_SIZE],
        codes = [num_tokens @ codes_stride, num_groups, GROUP_SIZE],
        scales = [num_tokens @ scales_stride, num_groups],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn per_token_group_quant_int8<T: Float, const GROUP_SIZE: i64>(
    input: &[T],
    codes: &mut [i8],
    scales: &mut [f32],
    num_tokens: i64,
    num_groups: i64,
    input_stride: i64,
    codes_stride: i64,
    scales_stride: i64,
    eps: f32,
) {
    assert!(
        eps >= 1.5e-36,
        "a scale below the normal numbers has too few digits for codes up to 127"
    );
    for (token, group) in groups((num_tokens, num_groups)) {
        let x = input.row(token * input_stride + group * GROUP_SIZE);
        let mut q = codes.row_mut(token * codes_stride + group * GROUP_SIZE);
        let mut most = eps;
        for i in lanes(GROUP_SIZE) {
            most = most.max(x.load(i).abs());
        }
        let scale = group_max(most) / 127.0;
        scales.store(token * scales_stride + group, scale);
        for i in lanes(GROUP_SIZE) {
            q.store(i, (x.load(i) / scale).round_ties_even() as i64);
        }
    }
}

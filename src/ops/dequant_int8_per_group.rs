//! From 8-bit integers with a scale for each group of a row back to floats.

use crate::prelude::*;

/// out = code · scale, with one scale for each group of `GROUP_SIZE` neighbours: what
/// [`per_token_group_quant_int8`](fn@super::per_token_group_quant_int8::per_token_group_quant_int8) has taken apart.
///
/// Products are `f32`, and rounded once more where the output is narrower.
#[sycl_kernel(
    symbol = "dequant_int8_per_group_forward_{T}_{GROUP_SIZE}",
    header = "gemm/dequant_int8_per_group.hpp",
    types(T = [f32, f16, bf16]),
    select(GROUP_SIZE = "SGL_DEQUANT_INT8_GROUP_SIZE", T = "SGL_DEQUANT_INT8_OUT_{T}"),
    instances(GROUP_SIZE = [32, 64, 128, 256, 512]),
    shapes(
        codes = [num_tokens @ codes_stride, num_groups, GROUP_SIZE],
        scales = [num_tokens @ scales_stride, num_groups],
        output = [num_tokens @ output_stride, num_groups, GROUP_SIZE],
    ),
)]
#[allow(clippy::too_many_arguments)]
pub fn dequant_int8_per_group<T: Float, const GROUP_SIZE: i64>(
    codes: &[i8],
    scales: &[f32],
    output: &mut [T],
    num_tokens: i64,
    num_groups: i64,
    codes_stride: i64,
    scales_stride: i64,
    output_stride: i64,
) {
    for (token, group) in groups((num_tokens, num_groups)) {
        let q = codes.row(token * codes_stride + group * GROUP_SIZE);
        let mut y = output.row_mut(token * output_stride + group * GROUP_SIZE);
        let scale = scales.load(token * scales_stride + group);
        for i in lanes(GROUP_SIZE) {
            y.store(i, q.load(i) as f32 * scale);
        }
    }
}

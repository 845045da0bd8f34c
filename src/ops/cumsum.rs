//! Running sums of rows.

use crate::prelude::*;

/// yᵢ = x₀ + x₁ + … + xᵢ, row by row.
///
/// Sums are `f32`, and each is rounded once, in place too. They are added in no fixed order, so that a sum may be off by half
/// an ULP of Σ|x| for each addition in it. A NaN or infinity spoils the sums from there on.
#[sycl_kernel(
    symbol = "cumsum_forward_{T}",
    header = "elementwise/cumsum.hpp",
    types(T = [f32, f16, bf16]),
    select(T = "SGL_CUMSUM_DTYPE_{T}"),
    shapes(
        input = [num_rows @ input_stride, width],
        output = [num_rows @ output_stride, width],
    ),
    alias(output = input),
)]
pub fn cumsum<T: Float>(
    input: &[T],
    output: &mut [T],
    num_rows: i64,
    width: i64,
    input_stride: i64,
    output_stride: i64,
) {
    for row in groups(num_rows) {
        let x = input.row(row * input_stride);
        let mut y = output.row_mut(row * output_stride);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i);
            y.store(i, group_scan_sum(sum));
        }
    }
}

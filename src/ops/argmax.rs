//! The largest of rows.

use crate::prelude::*;

/// The place of the largest element of each row, the first of several that are equally large.
///
/// As in PyTorch NaN is larger than any number, so that a row with NaNs gives the first of them. -0.0 and 0.0 are equal. A
/// place beyond what `I` holds becomes the largest that it does. A row without elements has no largest one, and is refused.
#[sycl_kernel(
    symbol = "argmax_forward_{T}_{I}",
    header = "elementwise/argmax.hpp",
    types(T = [f32, f16, bf16], I = [i32, i64]),
    select(T = "SGL_ARGMAX_DTYPE_{T}", I = "SGL_ARGMAX_INDEX_{I}"),
    shapes(input = [num_rows @ input_stride, width], output = [num_rows]),
)]
pub fn argmax<T: Float, I: Index>(
    input: &[T],
    output: &mut [I],
    num_rows: i64,
    width: i64,
    input_stride: i64,
) {
    assert!(width > 0, "a row without elements has no largest one");
    for row in groups(num_rows) {
        let x = input.row(row * input_stride);
        let (mut most, mut place, mut nan) = (f32::NEG_INFINITY, 0, width);
        for i in lanes(width) {
            let v = x.load(i);
            if v > most {
                most = v;
                place = i;
            }
            if v.is_nan() {
                nan = nan.min(i);
            }
        }
        let (place, nan) = (group_argmax(most, place), group_min(nan));
        output.store(row, if nan < width { nan } else { place });
    }
}

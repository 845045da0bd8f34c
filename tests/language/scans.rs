//! Running sums over lanes.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given};

/// Sums up to each lane, with and without its own term, of floats and integers; what else a loop does meanwhile; the sum of all
/// afterwards.
#[sycl_kernel(
    types(T = [f32, f16]),
    shapes(input = [rows, width], codes = [rows, width], up_to = [rows, width], before = [rows, width], places = [rows, width], totals = [rows, 4]),
)]
fn running<T: Float>(
    input: &[T],
    codes: &[i32],
    up_to: &mut [f32],
    before: &mut [i64],
    places: &mut [i32],
    totals: &mut [i64],
    rows: i64,
    width: i64,
) {
    for row in groups(rows) {
        let (x, c) = (input.row(row * width), codes.row(row * width));
        let mut y = up_to.row_mut(row * width);
        let mut z = before.row_mut(row * width);
        let mut p = places.row_mut(row * width);
        let (mut sum, mut codes, mut kept) = (0.0, 0, 0_u32);
        let (mut most, mut positive) = (i64::MIN, 0);
        for i in lanes(width) {
            let (v, mut code) = (x.load(i), c.load(i));
            most = most.max(code);
            if v > 0.0 {
                positive += 1;
                code += 1;
            }
            sum += v * v;
            y.store(i, group_scan_sum(sum) + code as f32);
            let earlier = group_scan_sum(codes) * 3;
            codes -= code;
            z.store(i, earlier + group_sum_of(code));
            kept += if code % 3 == 0 { 1 } else { 0 };
            if code % 3 == 0 {
                p.store(i, group_scan_sum(kept) as i64);
            } else {
                p.store(i, -1);
            }
        }
        let all = group_sum(codes);
        totals.store(4 * row, all);
        totals.store(4 * row + 1, group_sum(kept) as i64 + group_max(most));
        totals.store(4 * row + 2, group_sum(positive));
        totals.store(4 * row + 3, if all > 0 { group_sum(kept) as i64 } else { 7 });
    }
}

/// A function of a lane.
#[sycl_fn]
fn group_sum_of(code: i64) -> i64 {
    code * 2
}

/// A sum that goes on from round to round.
#[sycl_kernel(shapes(input = [rows, heads, width], output = [rows, heads, width]), alias(output = input))]
fn over_rounds(input: &[f32], output: &mut [f32], rows: i64, heads: i64, width: i64) {
    for row in groups(rows) {
        let mut sum = 0.0;
        for head in 0..heads {
            let x = input.row((row * heads + head) * width);
            let mut y = output.row_mut((row * heads + head) * width);
            if group_sum(sum) < 1e9 {
                for i in lanes(width) {
                    sum += x.load(i);
                    y.store(i, group_scan_sum(sum));
                }
            }
        }
    }
}

#[test]
fn sums_run_over_lanes() {
    for width in [0, 1, 5, 64, 301] {
        let codes: Vec<i64> = (0..2 * width).map(|i| i * 7919 % 23 - 5).collect();
        let len = 2 * width as usize;
        agree!(running[f32](x: buffer(len) => slice, c: given(&codes) => slice, y: buffer(len) => slice_mut, z: buffer(len) => slice_mut, p: buffer(len) => slice_mut, t: buffer(8) => slice_mut, rows: 2i64 => scalar, width: width => scalar));
        agree!(running[f16](x: buffer(len) => slice, c: given(&codes) => slice, y: buffer(len) => slice_mut, z: buffer(len) => slice_mut, p: buffer(len) => slice_mut, t: buffer(8) => slice_mut, rows: 2i64 => scalar, width: width => scalar));
    }
    agree!(over_rounds(a: buffer(180) => slice, b: buffer(180) => slice_mut, rows: 2i64 => scalar, heads: 3i64 => scalar, width: 30i64 => scalar));
}

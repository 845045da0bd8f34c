//! `continue`, in loops of every kind, and ranges in steps and from their end.

use oxysycl::prelude::*;

use crate::support::{agree, buffer};

/// Rows, lanes and rounds that are left out, beside those that are not; some ways through a lane end early.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [rows, width], output = [rows, width]))]
fn early<T: Float>(input: &[T], output: &mut [T], rows: i64, width: i64, skipped: i64) {
    for row in groups(rows) {
        if row == skipped {
            continue;
        }
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            if i % 3 == 0 {
                continue;
            }
            sum += x.load(i);
        }
        let sum = group_sum(sum);
        for i in lanes(width) {
            let v = x.load(i);
            if v > 0.0 {
                if i % 2 == 0 {
                    continue;
                }
                y.store(i, v);
            }
            let mut most = v;
            for s in 0..width {
                if s == i {
                    continue;
                }
                most = x.load(s).max(most);
            }
            y.store(i, most - sum);
        }
    }
}

/// The first element alone passes the condition, written the other way round.
#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn leaders(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row);
        for i in lanes(width) {
            if i != 0 {
                continue;
            }
            y.store(0, x.load(i));
        }
    }
}

/// A recurrence from the end, in blocks of two, one block a lane.
#[sycl_kernel(shapes(input = [n, 6], output = [n, 6]))]
fn backwards(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        let mut last = 0.0;
        for s in (0..6).rev() {
            last = 0.5 * last + input.load(6 * i + s);
            output.store(6 * i + s, last);
        }
        for s in (0..6).step_by(2) {
            output.store(6 * i + s, output.load(6 * i + s) - output.load(6 * i + s + 1));
        }
    }
}

/// Methods that give two values or the bits of one.
#[sycl_kernel(shapes(x = [n], y = [n]))]
fn angles(x: &[f32], y: &mut [f32], n: i64) {
    for i in elements(n) {
        let v = x.load(i);
        let (sin, cos) = (2.0 * v).sin_cos();
        let turned = sin.atan2(cos).hypot(v.atan()) + (v / 8.0).asin() * (v / 8.0).acos();
        let cut = f32::from_bits(v.to_bits() & 0xffff_0000);
        y.store(i, turned + erfc(cut));
    }
}

#[test]
fn statements_that_end_early() {
    agree!(early[f32](input: buffer(5 * 40) => slice, output: buffer(5 * 40) => slice_mut, rows: 5i64 => scalar, width: 40i64 => scalar, skipped: 3i64 => scalar));
    agree!(early[f16](input: buffer(3 * 7) => slice, output: buffer(3 * 7) => slice_mut, rows: 3i64 => scalar, width: 7i64 => scalar, skipped: 9i64 => scalar));
    agree!(leaders(input: buffer(3 * 7) => slice, output: buffer(3) => slice_mut, rows: 3i64 => scalar, width: 7i64 => scalar));
}

#[test]
fn steps_and_ranges_from_their_end() {
    agree!(backwards(input: buffer(6 * 5) => slice, output: buffer(6 * 5) => slice_mut, n: 5i64 => scalar));
}

#[test]
fn functions_of_angles() {
    agree!(angles(x: buffer(50) => slice, y: buffer(50) => slice_mut, n: 50i64 => scalar));
}

//! Reductions: sums, maxima, minima, several of them, from one loop or from many.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given};

/// Softmax with re-reads: a maximum, a sum that needs it, a result that needs both.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [rows, width], output = [rows, width]), alias(output = input))]
fn softmax<T: Float>(input: &[T], output: &mut [T], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let mut largest = f32::NEG_INFINITY;
        for i in lanes(width) {
            largest = largest.max(x.load(i));
        }
        let largest = group_max(largest);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += (x.load(i) - largest).exp();
        }
        let scale = group_sum(sum).recip();
        for i in lanes(width) {
            y.store(i, (x.load(i) - largest).exp() * scale);
        }
    }
}

/// Several variables in one loop, one variable in several loops, a sum that is asked for twice.
#[sycl_kernel(shapes(input = [rows, width], output = [rows, 5]))]
fn statistics(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let (mut sum, mut squares) = (0.0, 0.0);
        let (mut low, mut high) = (f32::INFINITY, 0.0f32);
        for i in lanes(width) {
            let v = x.load(i);
            sum += v;
            squares += v * v;
            if v > -2.0 {
                low = low.min(v);
            }
        }
        for i in lanes(width / 2) {
            sum -= x.load(2 * i);
            high = high.max(x.load(i).abs());
        }
        output.store(row * 5, group_sum(sum));
        output.store(row * 5 + 1, group_sum(sum) + group_sum(squares));
        output.store(row * 5 + 2, group_min(low));
        output.store(row * 5 + 3, group_max(high));
        output.store(
            row * 5 + 4,
            if group_sum(sum) > 0.0 {
                group_max(high)
            } else {
                group_min(low)
            },
        );
    }
}

/// A sum of its own in every round, and one over all rounds; a name that is bound again.
#[sycl_kernel(shapes(input = [rows, heads, width], output = [rows, heads + 1]))]
fn by_round(input: &[f32], output: &mut [f32], rows: i64, heads: i64, width: i64) {
    for row in groups(rows) {
        let mut y = output.row_mut(row * (heads + 1));
        let mut all = 0.0;
        for head in 0..heads {
            let x = input.row((row * heads + head) * width);
            let mut sum = 0.0;
            for i in lanes(width) {
                sum += x.load(i);
                for _ in 0..2 {
                    all += x.load(i);
                }
            }
            let sum = group_sum(sum);
            {
                let mut sum = 0.0;
                for i in lanes(width) {
                    let x = x.load(i);
                    sum += x * x;
                }
                y.store(head, group_sum(sum));
            }
            y.store(head, y.load(head) - sum);
        }
        y.store(heads, group_sum(all));
    }
}

/// Counts, extremes of integers of every width that is gathered, and conditions; a place is found in two loops.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [rows, width], codes = [rows, width], output = [rows, 9]))]
fn integers<T: Float>(input: &[T], codes: &[i32], output: &mut [i64], rows: i64, width: i64, limit: i64) {
    for row in groups(rows) {
        let (x, c) = (input.row(row * width), codes.row(row * width));
        let mut out = output.row_mut(row * 9);
        let (mut positive, mut balance, mut unsigned) = (0, 0_i64, 0_u64);
        let (mut most, mut least, mut narrow) = (limit, i64::MAX, u32::MAX);
        let (mut some, mut every) = (false, true);
        let mut largest = f32::NEG_INFINITY;
        for i in lanes(width) {
            let (v, code) = (x.load(i), c.load(i));
            if v > 0.0 {
                positive += 1;
            }
            balance += code;
            balance -= 3;
            unsigned += code.max(0) as u64;
            most = most.max(code);
            least = least.min(code);
            narrow = narrow.min(code as u32);
            some |= v > 1.0;
            every &= code > -4;
            largest = largest.max(v);
        }
        let largest = group_max(largest);
        let mut place = width;
        for i in lanes(width) {
            if x.load(i) == largest {
                place = place.min(i);
            }
        }
        out.store(0, group_sum(positive) as i64);
        out.store(1, group_sum(balance));
        out.store(2, group_sum(unsigned) as i64);
        out.store(3, group_max(most));
        out.store(4, group_min(least));
        out.store(5, group_min(narrow) as i64);
        out.store(6, if group_any(some) { 1 } else { 0 });
        out.store(7, if group_all(every) { 1 } else { 0 });
        out.store(8, group_min(place));
    }
}

#[test]
fn maxima_and_sums() {
    agree!(softmax [f32] (a: buffer(3 * 50) => slice, b: buffer(150) => slice_mut, rows: 3i64 => scalar, width: 50i64 => scalar));
    agree!(softmax [f16] (a: buffer(2 * 5) => slice, b: buffer(10) => slice_mut, rows: 2i64 => scalar, width: 5i64 => scalar));
}

#[test]
fn several_reductions() {
    agree!(statistics (a: buffer(2 * 70) => slice, b: buffer(10) => slice_mut, rows: 2i64 => scalar, width: 70i64 => scalar));
    agree!(statistics (a: buffer(0) => slice, b: buffer(5) => slice_mut, rows: 1i64 => scalar, width: 0i64 => scalar));
}

#[test]
fn reductions_in_rounds() {
    agree!(by_round (
        a: buffer(2 * 3 * 40) => slice, b: buffer(8) => slice_mut,
        rows: 2i64 => scalar, heads: 3i64 => scalar, width: 40i64 => scalar,
    ));
}

#[test]
fn integers_and_conditions_are_gathered() {
    for width in [0, 1, 7, 300] {
        let codes: Vec<i64> = (0..3 * width).map(|i| i * 7919 % 23 - 5).collect();
        let len = 3 * width as usize;
        agree!(integers[f32](input: buffer(len) => slice, codes: given(&codes) => slice, output: buffer(27) => slice_mut, rows: 3i64 => scalar, width: width => scalar, limit: 9i64 => scalar));
    }
    agree!(integers[f16](input: buffer(64) => slice, codes: buffer(64) => slice, output: buffer(9) => slice_mut, rows: 1i64 => scalar, width: 64i64 => scalar, limit: -99i64 => scalar));
}

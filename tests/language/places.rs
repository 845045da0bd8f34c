//! Where lanes find the largest or smallest of a row.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given};

/// The first largest and the first smallest, with their values; searches among some lanes, in a branch, with what else a loop
/// gathers.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [rows, width], codes = [rows, width], places = [rows, 6], values = [rows, 3]))]
fn extremes<T: Float>(
    input: &[T],
    codes: &[i32],
    places: &mut [i64],
    values: &mut [f32],
    rows: i64,
    width: i64,
    limit: i64,
) {
    for row in groups(rows) {
        let (x, c) = (input.row(row * width), codes.row(row * width));
        let (mut most, mut top) = (f32::NEG_INFINITY, -1);
        let (mut least, mut bottom) = (0.5_f32, width);
        let (mut code, mut at) = (i64::MIN, -2_i64);
        let (mut narrow, mut narrow_at) = (u32::MAX, -3);
        let (mut few, mut few_at) = (i32::MIN, -4);
        let mut sum = 0;
        for i in lanes(width) {
            let v = x.load(i);
            if v > most {
                most = v;
                top = i;
            }
            if least > x.load(i) {
                bottom = i;
                least = x.load(i);
            }
            sum += c.load(i);
            if c.load(i) < limit && c.load(i) > code {
                code = c.load(i);
                at = i;
            }
            if i % 2 == 1 {
                let n = c.load(i) as u32;
                if n < narrow {
                    narrow = n;
                    narrow_at = i;
                }
            }
            for s in 0..3 {
                if c.load(i) as i32 % 7 - s > few {
                    few = c.load(i) as i32 % 7 - s;
                    few_at = i;
                }
            }
        }
        let top = group_argmax(most, top);
        places.store(6 * row, top);
        places.store(6 * row + 1, group_argmin(least, bottom));
        places.store(6 * row + 2, group_argmax(code, at) + group_sum(sum));
        if top >= 0 {
            places.store(6 * row + 3, group_argmin(narrow, narrow_at));
        }
        places.store(6 * row + 4, group_argmax(few, few_at));
        places.store(6 * row + 5, group_argmax(few, few_at) + group_max(few) as i64);
        values.store(3 * row, group_max(most));
        values.store(3 * row + 1, group_min(least));
        values.store(3 * row + 2, if top < 0 { 0.0 } else { x.load(top) });
    }
}

/// The largest few, one after the other: each is the first behind the one before, by value and then by place.
#[sycl_kernel(shapes(input = [rows, width], places = [rows, K]), instances(K = [3]))]
fn largest<const K: i64>(input: &[f32], places: &mut [i64], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut found = places.row_mut(row * K);
        let (mut last, mut last_at) = (f32::INFINITY, -1);
        for k in 0..K {
            let (mut most, mut at) = (f32::NEG_INFINITY, -1);
            for i in lanes(width) {
                let v = x.load(i);
                let is_left = v < last || (v == last && i > last_at);
                if is_left && v > most {
                    most = v;
                    at = i;
                }
            }
            last = group_max(most);
            last_at = group_argmax(most, at);
            found.store(k, last_at);
        }
    }
}

#[test]
fn places_are_the_first() {
    for width in [0, 1, 5, 64, 301] {
        let codes: Vec<i64> = (0..2 * width).map(|i| i * 7919 % 23 - 5).collect();
        let len = 2 * width as usize;
        for limit in [4, -9] {
            agree!(extremes[f32](a: buffer(len) => slice, c: given(&codes) => slice, p: buffer(12) => slice_mut, v: buffer(6) => slice_mut, rows: 2i64 => scalar, width: width => scalar, limit: limit => scalar));
            agree!(extremes[f16](a: buffer(len) => slice, c: given(&codes) => slice, p: buffer(12) => slice_mut, v: buffer(6) => slice_mut, rows: 2i64 => scalar, width: width => scalar, limit: limit => scalar));
        }
    }
}

#[test]
fn the_largest_few_are_in_order() {
    agree!(largest {3} (a: buffer(90) => slice, p: buffer(9) => slice_mut, rows: 3i64 => scalar, width: 30i64 => scalar));
    let x = [1.0, 5.0, f32::NAN, 5.0, 2.0, 5.0, f32::NEG_INFINITY];
    let mut found = [9; 5];
    largest::<5>(&x, &mut found, 1, 7);
    assert_eq!(found, [1, 3, 5, 4, 0]);
}

//! Reductions give the native numbers wherever a kernel asks for them, and however often.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// One accumulator combined again and again, in branches, in loops, as a bound, as an offset and beside an operand that
/// decides alone. All sums are small integers, so that any order gives them.
#[sycl_kernel(shapes(x = [rows, n], offsets = [8], out = [rows, 16]))]
fn everywhere(x: &[f32], offsets: &[f32], out: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let x = x.row(row * n);
        let mut out = out.row_mut(row * 16);
        let mut sum = 0.0;
        for i in lanes(n) {
            sum += x.load(i);
        }
        if row % 2 == 0 {
            out.store(0, group_sum(sum));
        } else {
            out.store(0, -group_sum(sum));
        }
        for i in lanes(n) {
            sum += x.load(i);
        }
        out.store(1, group_sum(sum));
        let named = group_sum(sum);
        if named > 6.0 {
            for i in lanes(n) {
                sum += x.load(n - 1 - i);
            }
        }
        out.store(2, named + group_sum(sum));
        for k in 0..3 {
            out.store(3 + k, group_sum(sum));
            for i in lanes(n) {
                sum -= x.load(i);
            }
        }
        let chosen = if row == 1 { group_sum(sum) } else { 0.0 };
        out.store(6, chosen);
        let kind = match row {
            0 => group_sum(sum) * 2.0,
            1 => 7.0,
            _ => group_sum(sum) * 3.0,
        };
        out.store(7, kind);
        if row > 0 && group_sum(sum) < 1000.0 {
            out.store(8, 1.0);
        } else if group_sum(sum) * named > 0.0 {
            out.store(8, 2.0);
        }
        let at = offsets.row(if named > 6.0 { 2 } else { 1 } + (group_sum(sum) * 0.0) as i64);
        out.store(9, at.load((group_sum(sum) * 0.0) as i64));
        let mut rounds = 0.0;
        for _ in 0..(group_sum(sum) * 0.0) as i64 + 3 {
            rounds += 1.0;
        }
        out.store(10, rounds);
        for head in 0..2 {
            let mut own = 0.0;
            for i in lanes(n) {
                own += x.load(i) * head as f32;
            }
            out.store(11 + head, group_sum(own));
        }
    }
}

#[test]
fn an_accumulator_is_combined_wherever_it_is_asked_for() {
    for (rows, n) in [(1, 4), (3, 37), (2, 600)] {
        let x: Vec<f32> = (0..rows * n).map(|i| (i % 5) as f32).collect();
        let offsets: Vec<f32> = (0..8).map(|i| i as f32 * 1.5).collect();
        let mut native = vec![0.0f32; rows * 16];
        everywhere(&x, &offsets, &mut native, rows as i64, n as i64);
        let (x, offsets, out) = (
            upload(&x, 0),
            upload(&offsets, 0),
            upload(&vec![0.0f32; rows * 16], 0),
        );
        everywhere::launch(
            queue(),
            x.view(),
            offsets.view(),
            out.view(),
            rows as i64,
            n as i64,
        )
        .unwrap();
        same(&native, &out.to_vec().unwrap());
    }
}

/// The largest and the smallest element, from the first one on, as one writes it.
#[sycl_kernel(shapes(x = [rows, n], out = [rows, 2]))]
fn extremes(x: &[f32], out: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let x = x.row(row * n);
        let mut out = out.row_mut(row * 2);
        let (mut most, mut least) = (x.load(0), x.load(0));
        for i in lanes(n) {
            most = most.max(x.load(i));
            least = least.min(x.load(i));
        }
        out.store(0, group_max(most));
        out.store(1, group_min(least));
    }
}

#[test]
fn extremes_of_nans_are_nan_and_those_of_others_are_not() {
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    for n in [1, 3, 40, 700] {
        let rows: [&dyn Fn(usize) -> f32; 6] = [
            &|_| nan,
            &|i| if i == n - 1 { -infinity } else { nan },
            &|i| if i == n / 2 { infinity } else { nan },
            &|i| if i == 0 { nan } else { i as f32 },
            &|i| if i == 0 { 2.0 } else { nan },
            &|i| i as f32 - 5.0,
        ];
        let x: Vec<f32> = rows.iter().flat_map(|row| (0..n).map(row)).collect();
        let mut native = [0.0f32; 12];
        extremes(&x, &mut native, 6, n as i64);
        let (x, out) = (upload(&x, 0), upload(&[0.0f32; 12], 0));
        extremes::launch(queue(), x.view(), out.view(), 6, n as i64).unwrap();
        same(&native, &out.to_vec().unwrap());
    }
}

/// Rows that begin where a lane says, by a variable that nothing else reads.
#[sycl_kernel(shapes(x = [rows, n], y = [rows, n]))]
fn by_lane(x: &[f32], y: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let mut y = y.row_mut(row * n);
        for i in lanes(n) {
            let start = row * n + i;
            let x = x.row(start);
            y.store(i, x.load(0));
        }
    }
}

#[test]
fn rows_begin_where_lanes_say() {
    let x: Vec<f32> = (0..80).map(|i| i as f32).collect();
    let mut native = [0.0f32; 80];
    by_lane(&x, &mut native, 2, 40);
    let (x, y) = (upload(&x, 0), upload(&[0.0f32; 80], 0));
    by_lane::launch(queue(), x.view(), y.view(), 2, 40).unwrap();
    same(&native, &y.to_vec().unwrap());
}

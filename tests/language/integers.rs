//! Integers: buffers of them, casts, wrapping arithmetic, division and shifts.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given};

/// Loads widen to `i64`, stores saturate.
#[sycl_kernel(types(I = [i8, i32, i64], J = [i8, i64]), shapes(a = [n], b = [n]))]
fn convert<I: Index, J: Index>(a: &[I], b: &mut [J], n: i64, factor: i64) {
    for i in elements(n) {
        b.store(i, a.load(i) * factor + i);
    }
}

/// Casts between all kinds of numbers.
#[sycl_kernel(shapes(a = [n], b = [n, 8]))]
fn casts(a: &[f32], b: &mut [i64], n: i64, unsigned: u32, small: i16, flag: bool) {
    for i in elements(n) {
        let x = a.load(i) * 300.7;
        b.store(8 * i, x as i8 as i64);
        b.store(8 * i + 1, x as u8 as i64);
        b.store(8 * i + 2, (x as i32 as u32) as i64);
        b.store(8 * i + 3, (x as i64 as i16) as i64);
        b.store(8 * i + 4, unsigned as i32 as i64);
        b.store(8 * i + 5, small as u16 as i64 + flag as i64);
        b.store(8 * i + 6, (x / 0.0) as i32 as i64);
        b.store(8 * i + 7, (x as u64 % 1000) as i64);
    }
}

/// Arithmetic that wraps, divides, shifts and masks.
#[sycl_kernel(shapes(a = [n], b = [n, 6]))]
fn bits(a: &[i32], b: &mut [i64], n: i64) {
    for i in elements(n) {
        let x = a.load(i);
        let narrow = x as u8;
        b.store(6 * i, narrow.wrapping_add(200).wrapping_mul(3) as i64);
        b.store(6 * i + 1, x / 7 + x % 7 * 10);
        b.store(6 * i + 2, (x << 3) ^ (x >> 1) & 0xff | 5);
        b.store(6 * i + 3, i64::MIN.wrapping_sub(x).wrapping_neg());
        b.store(6 * i + 4, !x.abs().min(50).max(-50));
        b.store(6 * i + 5, (x as i32).wrapping_mul(i32::MAX) as i64);
    }
}

/// Rows picked by indices: a gather.
#[sycl_kernel(types(T = [f32, f16], I = [i32, i64]), shapes(table = [entries, width], ids = [rows], out = [rows, width]))]
fn embed<T: Float, I: Index>(table: &[T], ids: &[I], out: &mut [T], rows: i64, width: i64, entries: i64) {
    for row in groups(rows) {
        let id = ids.load(row);
        let x = table.row(id * width);
        let mut y = out.row_mut(row * width);
        for i in lanes(width) {
            y.store(i, if id >= 0 && id < entries { x.load(i) } else { 0.0 });
        }
    }
}

#[test]
fn buffers_of_integers() {
    agree!(convert [i8, i64] (a: buffer(9) => slice, b: buffer(9) => slice_mut, n: 9i64 => scalar, f: 3i64 => scalar));
    agree!(convert [i32, i8] (a: buffer(9) => slice, b: buffer(9) => slice_mut, n: 9i64 => scalar, f: -2i64 => scalar));
    agree!(convert [i64, i64] (a: given(&[1 << 40, -5]) => slice, b: buffer(2) => slice_mut, n: 2i64 => scalar, f: 9i64 => scalar));
}

#[test]
fn casts_follow_rust() {
    agree!(casts (
        a: buffer(10) => slice, b: buffer(80) => slice_mut,
        n: 10i64 => scalar, u: u32::MAX => scalar, s: -3i16 => scalar, flag: true => scalar,
    ));
}

#[test]
fn integer_arithmetic_follows_rust() {
    agree!(bits (a: given(&[0, 1, -1, 77, -78, 12345]) => slice, b: buffer(36) => slice_mut, n: 6i64 => scalar));
}

#[test]
fn gathers() {
    agree!(embed [f16, i32] (
        table: buffer(20) => slice, ids: given(&[4, -1, 0, 9]) => slice, out: buffer(16) => slice_mut,
        rows: 4i64 => scalar, width: 4i64 => scalar, entries: 5i64 => scalar,
    ));
}

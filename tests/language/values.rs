//! Expressions: `if` and blocks that give values, tuples, shadowed names, constants, the functions of `f32`.

use oxysycl::prelude::*;

use crate::support::{agree, buffer};

/// Values of branches, with and without statements in them.
#[sycl_kernel(types(T = [f32, bf16]), shapes(input = [n], output = [n]))]
fn branches<T: Float>(input: &[T], output: &mut [T], n: i64, flip: bool) {
    for i in elements(n) {
        let x = input.load(i);
        let sign = if flip { -1.0 } else { 1.0 };
        let scaled = if x > 1.0 {
            let over = x - 1.0;
            1.0 + over * 0.5
        } else if x < -1.0 {
            let under = x + 1.0;
            let halved = under * 0.5;
            -1.0 + halved
        } else {
            x
        };
        let (low, high) = if i % 2 == 0 {
            (scaled, 2.0)
        } else {
            let tripled = scaled * 3.0;
            (tripled, 3.0)
        };
        let total;
        if !flip || i > 2 {
            total = low + high;
        } else {
            total = low - high;
        }
        output.store(i, total * sign);
    }
}

/// Names that are bound again, blocks with names of their own, swapped tuples.
#[sycl_kernel(shapes(input = [n], output = [n]))]
fn shadowed(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        let x = input.load(i);
        let x = x + 1.0;
        let inner = {
            let x = 5.0;
            x * 2.0
        };
        {
            let x = 100.0f32;
            let _unused = x;
        }
        let (x, inner) = (inner, x);
        let (mut a, mut b): (f32, f32) = (x, inner);
        a += b;
        b -= a;
        let n = n - 1;
        output.store(i, a * 10.0 + b + if i == n { 0.5 } else { 0.0 });
    }
}

/// Every function of `f32`, one column each.
#[sycl_kernel(shapes(input = [rows], output = [rows, 35]))]
fn functions(input: &[f32], output: &mut [f32], rows: i64) {
    for row in elements(rows) {
        let x = input.load(row);
        let p = x.abs() + 0.25;
        output.store(row * 35, x.abs());
        output.store(row * 35 + 1, x.ceil());
        output.store(row * 35 + 2, p.copysign(x));
        output.store(row * 35 + 3, x.cos());
        output.store(row * 35 + 4, erf(x));
        output.store(row * 35 + 5, x.exp());
        output.store(row * 35 + 6, x.exp2());
        output.store(row * 35 + 7, x.floor());
        output.store(row * 35 + 8, if x.is_finite() { 1.0 } else { 0.0 });
        output.store(row * 35 + 9, if (x / 0.0).is_infinite() { 1.0 } else { 0.0 });
        output.store(row * 35 + 10, if (x / 0.0 * 0.0).is_nan() { 1.0 } else { 0.0 });
        output.store(row * 35 + 11, p.ln());
        output.store(row * 35 + 12, p.log2());
        output.store(row * 35 + 13, x.max(0.5));
        output.store(row * 35 + 14, x.min(0.5));
        output.store(row * 35 + 15, x.mul_add(2.0, -0.5));
        output.store(row * 35 + 16, p.powf(0.75));
        output.store(row * 35 + 17, p.recip());
        output.store(row * 35 + 18, x.round());
        output.store(row * 35 + 19, rsqrt(p));
        output.store(row * 35 + 20, x.sin());
        output.store(row * 35 + 21, p.sqrt());
        output.store(row * 35 + 22, x.tanh());
        output.store(row * 35 + 23, x.trunc());
        output.store(row * 35 + 24, x.clamp(-0.5, p));
        output.store(row * 35 + 25, x.cosh());
        output.store(row * 35 + 26, x.exp_m1());
        output.store(row * 35 + 27, p.log10());
        output.store(row * 35 + 28, p.ln_1p());
        output.store(row * 35 + 29, p.powi(-3));
        output.store(row * 35 + 30, x.round_ties_even());
        output.store(row * 35 + 31, x.sinh());
        output.store(row * 35 + 32, (x * 0.25).tan());
        output.store(row * 35 + 33, x.fract());
        output.store(row * 35 + 34, x.signum());
    }
}

/// Constants of types, of modules, and of the kernel itself.
#[sycl_kernel(shapes(input = [n], output = [n]))]
fn constants(input: &[f32], output: &mut [f32], n: i64) {
    const HALF: f32 = 0.5;
    const STEPS: i64 = 3;
    for i in elements(n) {
        const OFFSET: f32 = 0.25;
        let x = input.load(i) * HALF + OFFSET;
        let wrapped = if x > std::f32::consts::PI {
            x - std::f32::consts::TAU
        } else {
            x
        };
        let limited = wrapped.max(f32::MIN_POSITIVE).min(f32::MAX);
        let far = if i == STEPS {
            f32::NEG_INFINITY
        } else {
            f32::INFINITY
        };
        output.store(
            i,
            limited.min(far) + (i32::MAX as i64 - STEPS) as f32 * f32::EPSILON,
        );
    }
}

/// Operators and their order.
#[sycl_kernel(shapes(input = [n], output = [n]))]
fn operators(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        let (x, y) = (input.load(i), 0.5f32);
        let mut v = x - (y - 1.5) - -x;
        v = -(-v) * (x + y) / (2.0 - 4.0);
        v %= 3.0;
        v /= 2.0;
        v -= 1e-3;
        let odd = i & 1 == 1 && !(x > y) || x == y && x != 0.0;
        let both = (x >= y) ^ (x <= -y) | odd & (i < 5);
        output.store(i, if both != odd { v } else { v + 1f32 });
    }
}

/// Floats in every spelling.
#[sycl_kernel(shapes(input = [n], output = [n]))]
fn spellings(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        let x = input.load(i) * 10. + 1_0.2_5 - 2e+1 / 7_f32;
        output.store(i, x.clamp(-1E3, 3.) + 0.5_f32 * 5f32);
    }
}

/// Buffers themselves, rows of one buffer beside each other, rows far away that are never touched.
#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn rows_of_all_kinds(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let here = input.row(row * width);
        let next = input.row((row + 1) * width);
        let beyond = input.row(1_000_000_000_000);
        for i in lanes(width) {
            let below = if row + 1 < rows { next.load(i) } else { 0.0 };
            let never = if width < 0 { beyond.load(i) } else { 0.0 };
            output.store(row * width + i, here.load(i) + below + never + input.load(0));
        }
    }
}

/// Bytes and conditions in memory: a byte saturates, a condition is stored as it is.
#[sycl_kernel(
    types(I = [u8, i8]),
    shapes(x = [rows, width], mask = [rows, width], y = [rows, width], kept = [rows, width], any = [rows]),
)]
fn masked<I: Index>(
    x: &[I],
    mask: &[bool],
    y: &mut [u8],
    kept: &mut [bool],
    any: &mut [bool],
    rows: i64,
    width: i64,
) {
    for row in groups(rows) {
        let (x, m) = (x.row(row * width), mask.row(row * width));
        let mut y = y.row_mut(row * width);
        let mut k = kept.row_mut(row * width);
        let mut found = false;
        for i in lanes(width) {
            let keep = m.load(i) && x.load(i) > 3;
            y.store(i, if m.load(i) { 5 * x.load(i) } else { -1 });
            k.store(i, keep != k.load(i));
            found |= keep;
        }
        any.store(row, group_any(found));
    }
}

#[test]
fn branches_and_blocks_give_values() {
    agree!(branches [f32] (a: buffer(11) => slice, b: buffer(11) => slice_mut, n: 11i64 => scalar, flip: true => scalar));
    agree!(branches [bf16] (a: buffer(11) => slice, b: buffer(11) => slice_mut, n: 11i64 => scalar, flip: false => scalar));
}

#[test]
fn names_mean_what_was_bound_last() {
    agree!(shadowed (a: buffer(5) => slice, b: buffer(5) => slice_mut, n: 5i64 => scalar));
}

#[test]
fn every_function() {
    agree!(functions (a: buffer(20) => slice, b: buffer(20 * 35) => slice_mut, rows: 20i64 => scalar));
}

#[test]
fn constants_of_all_kinds() {
    agree!(constants (a: buffer(6) => slice, b: buffer(6) => slice_mut, n: 6i64 => scalar));
}

#[test]
fn operators_keep_their_order() {
    agree!(operators (a: buffer(16) => slice, b: buffer(16) => slice_mut, n: 16i64 => scalar));
}

#[test]
fn floats_are_spelled_in_many_ways() {
    agree!(spellings (a: buffer(6) => slice, b: buffer(6) => slice_mut, n: 6i64 => scalar));
}

#[test]
fn rows_are_views() {
    agree!(rows_of_all_kinds (
        a: buffer(12) => slice, b: buffer(12) => slice_mut, rows: 3i64 => scalar, width: 4i64 => scalar,
    ));
}

#[test]
fn bytes_and_conditions_are_elements() {
    agree!(masked[u8](x: buffer(90) => slice, mask: buffer(90) => slice, y: buffer(90) => slice_mut, kept: buffer(90) => slice_mut, any: buffer(2) => slice_mut, rows: 2i64 => scalar, width: 45i64 => scalar));
    agree!(masked[i8](x: buffer(7) => slice, mask: buffer(7) => slice, y: buffer(7) => slice_mut, kept: buffer(7) => slice_mut, any: buffer(1) => slice_mut, rows: 1i64 => scalar, width: 7i64 => scalar));
}

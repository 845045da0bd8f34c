//! Kernels with what the project's own have not: every function of the language, literals that C++ would take for `double`,
//! integers of both widths, and names that macros of well-known headers own.
#![allow(non_snake_case, reason = "macros of C headers are spelt like that")]
#![allow(clippy::too_many_arguments, reason = "a kernel takes what it takes")]

use oxysycl::prelude::*;

/// 31 results for every pair of inputs.
#[sycl_kernel(
    types(T = [f32, f16, bf16]),
    select(T = "OXYSYCL_TEST_DTYPE_{T}"),
    shapes(major = [I], minor = [I], makedev = [31 * I]),
)]
pub(crate) fn every_function<T: Float>(
    major: &[T],
    minor: &[T],
    makedev: &mut [f32],
    I: i64,
    EOF: f32,
    linux: bool,
) {
    for i in elements(I) {
        let (NAN, unix) = (major.load(i), minor.load(i));
        makedev.store(31 * i, NAN.exp() * 0.5);
        makedev.store(31 * i + 1, NAN.exp2() + 1e-6);
        makedev.store(31 * i + 2, NAN.ln() / 1e30);
        makedev.store(31 * i + 3, NAN.log2());
        makedev.store(31 * i + 4, NAN.sin());
        makedev.store(31 * i + 5, NAN.cos());
        makedev.store(31 * i + 6, NAN.tanh());
        makedev.store(31 * i + 7, erf(NAN));
        makedev.store(31 * i + 8, NAN.sqrt());
        makedev.store(31 * i + 9, rsqrt(NAN));
        makedev.store(31 * i + 10, NAN.powf(unix));
        makedev.store(31 * i + 11, NAN.mul_add(unix, EOF));
        makedev.store(31 * i + 12, NAN.max(unix));
        makedev.store(31 * i + 13, NAN.min(unix));
        makedev.store(31 * i + 14, NAN.abs());
        makedev.store(31 * i + 15, NAN.floor() + NAN.ceil() + NAN.round() + NAN.trunc());
        makedev.store(31 * i + 16, NAN.copysign(unix));
        makedev.store(31 * i + 17, NAN % unix);
        makedev.store(
            31 * i + 18,
            if NAN.is_nan() || unix.is_infinite() {
                1.0
            } else {
                I as f32
            },
        );
        makedev.store(
            31 * i + 19,
            if NAN.is_finite() && linux {
                0.1
            } else {
                f32::INFINITY
            },
        );
        makedev.store(31 * i + 20, NAN.recip() * 16777217.0);
        makedev.store(31 * i + 21, NAN.tan());
        makedev.store(31 * i + 22, NAN.exp_m1());
        makedev.store(31 * i + 23, NAN.ln_1p());
        makedev.store(31 * i + 24, NAN.log10());
        makedev.store(31 * i + 25, NAN.sinh());
        makedev.store(31 * i + 26, NAN.cosh());
        makedev.store(31 * i + 27, NAN.powi(3));
        makedev.store(31 * i + 28, NAN.round_ties_even());
        makedev.store(31 * i + 29, NAN.clamp(-1.0, 1.0));
        makedev.store(31 * i + 30, 0.1_f32.powi(I as i32));
    }
}

/// The sum, the largest and the smallest of every row, and an integer of each width.
#[sycl_kernel(shapes(x = [rows, width], ids = [rows], y = [rows, width], counts = [rows, width]))]
pub(crate) fn integers_and_reductions(
    x: &[f16],
    ids: &[i32],
    y: &mut [bf16],
    counts: &mut [i64],
    rows: i64,
    width: i64,
    shift: u32,
) {
    for row in groups(rows) {
        let x = x.row(row * width);
        let id = ids.load(row);
        let mut y = y.row_mut(row * width);
        let mut counts = counts.row_mut(row * width);
        let mut sum = 0.0;
        let mut most = f32::NEG_INFINITY;
        let mut least = f32::INFINITY;
        for i in lanes(width) {
            sum += x.load(i);
            most = most.max(x.load(i));
            least = least.min(x.load(i));
        }
        let range = group_max(most) - group_min(least);
        let mean = group_sum(sum) / width as f32;
        for i in lanes(width) {
            y.store(i, (x.load(i) - mean) / range);
            counts.store(
                i,
                id.wrapping_mul(i) / (shift as i64 + 1) + (x.load(i) * 1000.0) as i32 as i64,
            );
        }
    }
}

/// Chosen by the launcher: values, and buffers that there may be.
#[sycl_kernel(
    types(T = [f32, f16]),
    shapes(input = [rows, n], bias = [n], scale = [rows], output = [rows, n]),
    specialize(kind in [0, 1, -3], flip in [false, true], small in [7], wide in [0, 18]),
    optional(bias, scale),
)]
pub(crate) fn choices<T: Float>(
    input: &[T],
    bias: &[T],
    scale: &[f32],
    output: &mut [T],
    rows: i64,
    n: i64,
    kind: i32,
    flip: bool,
    small: u8,
    wide: u64,
) {
    let step = match kind {
        0..=1 => 1.0,
        _ => 2.0,
    };
    for row in groups(rows) {
        let x = input.row(row * n);
        let mut y = output.row_mut(row * n);
        let factor = if scale.is_empty() { step } else { scale.load(row) };
        let b = bias.row(0);
        if bias.is_empty() {
            for i in lanes(n) {
                y.store(i, x.load(i) * factor);
            }
        } else {
            for i in lanes(n) {
                let v = match kind {
                    0 => x.load(i),
                    1 => x.load(i).max(0.0),
                    _ => small as f32,
                };
                y.store(i, if flip { -v } else { v } + b.load(i));
            }
        }
        match wide {
            0 => {}
            _ => {
                for i in lanes(n) {
                    match x.load(i) as i64 {
                        ..=-1 => y.store(i, 0.0),
                        0 | 1 => {}
                        2.. => y.store(i, 1.0),
                    }
                }
            }
        }
    }
}

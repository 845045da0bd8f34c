//! Buffers that may be null.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// Asked in lanes, in the group, around loops, on the host, and of two buffers.
#[sycl_kernel(
    types(T = [f32, bf16]),
    shapes(input = [rows @ stride, n], bias = [n], scale = [rows], output = [rows @ stride, n]),
    optional(bias, scale), alias(output = input),
)]
fn adjust<T: Float, const NEGATE: bool>(
    input: &[T],
    bias: &[T],
    scale: &[f32],
    output: &mut [T],
    rows: i64,
    stride: i64,
    n: i64,
) {
    let has_bias = !bias.is_empty();
    let start = if scale.is_empty() { 0.25 } else { 0.5 };
    for row in groups(rows) {
        let x = input.row(row * stride);
        let mut y = output.row_mut(row * stride);
        let b = bias.row(0);
        let factor = if !scale.is_empty() && scale.load(row) != 3.0 {
            scale.load(row)
        } else {
            start
        };
        if bias.is_empty() {
            for i in lanes(n) {
                y.store(i, x.load(i) * factor);
            }
        } else if NEGATE {
            for i in lanes(n) {
                y.store(i, x.load(i) * factor - b.load(i));
            }
        } else {
            for i in lanes(n) {
                let last = if i == n - 1 && has_bias { bias.load(0) } else { 0.0 };
                y.store(i, x.load(i) * factor + b.load(i) + last);
            }
        }
    }
}

fn check<const NEGATE: bool>(n: usize, stride: usize, bias: bool, scale: bool, offset: usize) {
    let number = |i: usize| bf16::from_f32((i * 7 % 31) as f32 * 0.25 - 3.0);
    let x: Vec<bf16> = (0..3 * stride).map(number).collect();
    let b: Vec<bf16> = (0..if bias { n } else { 0 }).map(|i| number(i + 3)).collect();
    let s: Vec<f32> = (0..if scale { 3 } else { 0 }).map(|i| i as f32 + 2.0).collect();
    let mut native = vec![bf16::ZERO; 3 * stride];
    adjust::<bf16, NEGATE>(&x, &b, &s, &mut native, 3, stride as i64, n as i64);
    let (x, b, s) = (upload(&x, 0), upload(&b, offset), upload(&s, offset));
    let out = queue().upload(&vec![bf16::ZERO; 3 * stride]).expect("small");
    let b = b.slice(offset..).expect("inside");
    let s = s.slice(offset..).expect("inside");
    adjust::launch::<bf16, NEGATE>(queue(), x.view(), b, s, out.view(), 3, stride as i64, n as i64)
        .expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn buffers_that_are_not_given_are_not_read() {
    for (bias, scale) in [(false, false), (false, true), (true, false), (true, true)] {
        for (n, stride, offset) in [(64, 64, 0), (64, 72, 1), (7, 9, 0), (1, 1, 3)] {
            check::<false>(n, stride, bias, scale, offset);
            check::<true>(n, stride, bias, scale, offset);
        }
    }
}

#[test]
fn what_is_given_is_long_enough() {
    let x = upload(&[bf16::ONE; 8], 0);
    let (short, scale) = (upload(&[bf16::ONE; 3], 0), upload::<f32>(&[], 0));
    let out = queue().upload(&[bf16::ONE; 8]).expect("small");
    let error =
        adjust::launch::<bf16, true>(queue(), x.view(), short.view(), scale.view(), out.view(), 2, 4, 4)
            .expect_err("refused");
    assert_eq!(
        error.to_string(),
        "adjust: `bias` has 3 elements, but its shape [n = 4] needs 4"
    );
    assert_eq!(out.to_vec().expect("copy"), [bf16::ONE; 8]);
}

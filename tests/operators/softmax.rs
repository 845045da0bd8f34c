//! Softmax of rows.

use fastrand::Rng;
use oxysycl::ops::softmax::softmax;
use oxysycl::prelude::*;

use crate::support::*;

/// exp(x − max) / Σ exp(x − max) of one row. The difference loses half an ULP, which moves its exponent by that much times the
/// difference; `exp` loses 3 ULP; a sum of positive terms half an ULP in each of its additions, and the division as much.
fn formula<T: Format>(x: &[T]) -> Vec<Within> {
    let x = wide(x);
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponents: Vec<f64> = x.iter().map(|x| (x - most).exp()).collect();
    let sum: f64 = exponents.iter().sum();
    let halves = |x: f64| (x - most).abs() + 6.0;
    let lost: f64 = x.iter().zip(&exponents).map(|(x, e)| halves(*x) * e).sum::<f64>() / sum;
    let additions = x.len() as f64;
    let row = x.iter().zip(exponents);
    row.map(|(x, e)| Within::relative(e / sum, halves(*x) + lost + additions + 1.0, 64.0))
        .collect()
}

fn softmax_is_its_formula<T: Format>() {
    for (rows, width) in [(1, 1), (3, 7), (4, 64), (2, 769), (0, 8), (3, 0)] {
        let rng = &mut Rng::with_seed(width as u64);
        let x: Vec<T> = moderate(rng, rows * width);
        let expected: Vec<Within> = x.chunks(width.max(1)).flat_map(formula).collect();
        let strides = [width + 3, width + 8];
        let input = Strided::new(Rows::new(rows, strides[0], width), &x, 1);
        let output = Strided::new(Rows::new(rows, strides[1], width), &vec![canary(); x.len()], 2);
        let (n, w, [from, to]) = (rows as i64, width as i64, strides.map(|stride| stride as i64));
        softmax::launch(queue(), input.view(), output.view(), n, w, from, to).unwrap();
        expect_within("on the device", &output.after(), &expected);
        input.memory.expect_untouched();
        let mut native = output.memory.before().to_vec();
        softmax(input.memory.before(), &mut native, n, w, from, to);
        expect_within("natively", &output.rows.gather(&native), &expected);
        softmax::launch(queue(), input.view(), input.view(), n, w, from, from).unwrap();
        expect_within("in place", &input.after(), &expected);
    }
}

#[test]
fn softmax_is_its_formula_in_f32() {
    softmax_is_its_formula::<f32>();
}

#[test]
fn softmax_is_its_formula_in_bf16() {
    softmax_is_its_formula::<bf16>();
}

/// Large numbers do not overflow; a NaN or infinity spoils its own row.
#[test]
fn specials_spoil_their_own_rows() {
    let infinity = f32::INFINITY;
    let x = [
        3e38,
        3e38,
        -3e38,
        f32::NAN,
        1.0,
        1.0,
        infinity,
        1.0,
        1.0,
        -infinity,
        -infinity,
        -infinity,
        -infinity,
        0.0,
        0.0,
    ];
    let (input, output) = (Guarded::new(&x, 0), Guarded::new(&[canary::<f32>(); 15], 0));
    softmax::launch(queue(), input.view(), output.view(), 5, 3, 3, 3).unwrap();
    let y = output.after();
    assert_eq!((&y[..3], &y[12..]), (&[0.5, 0.5, 0.0][..], &[0.0, 0.5, 0.5][..]));
    assert!(y[3..12].iter().all(|y| y.is_nan()), "{y:?}");
}

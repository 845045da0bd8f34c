//! The largest of rows.

use fastrand::Rng;
use oxysycl::ops::argmax::argmax;
use oxysycl::prelude::*;

use crate::support::*;

/// The first NaN of a row, or else the first of its largest numbers.
fn formula<T: Format>(x: &[T]) -> i64 {
    let x = wide(x);
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let nan = x.iter().position(|x| x.is_nan());
    let first = nan.or_else(|| x.iter().position(|x| *x == largest));
    first.expect("a row has elements") as i64
}

/// Rows of every kind: without a repeated number, of a few numbers, of one number alone, with NaNs and infinities.
fn draw<T: Format>(rng: &mut Rng, rows: usize, width: usize) -> Vec<T> {
    let specials = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1.0, -1.0];
    let row = |row: usize| -> Vec<T> {
        match row % 5 {
            0 => moderate(rng, width),
            1 => (0..width).map(|_| T::convert(rng.i32(-2..=2).into())).collect(),
            2 => vec![T::convert(-3.0); width],
            3 => (0..width)
                .map(|_| T::convert(specials[rng.usize(0..7)]))
                .collect(),
            _ => (0..width)
                .map(|_| T::convert(specials[rng.usize(2..5)]))
                .collect(),
        }
    };
    (0..rows).flat_map(row).collect()
}

fn argmax_is_its_formula<T: Format + Memory, I: Index + Memory>(kept: impl Fn(I) -> i64) {
    for (rows, width) in [(1, 1), (5, 7), (10, 64), (7, 769), (11, 5000), (0, 8), (5, 1)] {
        let rng = &mut Rng::with_seed(width as u64);
        let x: Vec<T> = draw(rng, rows, width);
        let expected: Vec<i64> = x.chunks(width).map(formula).collect();
        let stride = width + 3;
        let input = Strided::new(Rows::new(rows, stride, width), &x, 1);
        let output = Guarded::new(&vec![I::narrow(-7); rows], 2);
        let (n, w, s) = (rows as i64, width as i64, stride as i64);
        argmax::launch(queue(), input.view(), output.view(), n, w, s).unwrap();
        let found: Vec<i64> = output.after().into_iter().map(&kept).collect();
        assert_eq!(found, expected, "on the device, {rows} rows of {width}");
        input.memory.expect_untouched();
        let mut native = vec![I::narrow(-7); rows];
        argmax(input.memory.before(), &mut native, n, w, s);
        let found: Vec<i64> = native.into_iter().map(&kept).collect();
        assert_eq!(found, expected, "natively, {rows} rows of {width}");
    }
}

#[test]
fn argmax_is_its_formula_in_f32() {
    argmax_is_its_formula::<f32, i64>(|place| place);
}

#[test]
fn argmax_is_its_formula_in_f16() {
    argmax_is_its_formula::<f16, i32>(i64::from);
}

#[test]
fn argmax_is_its_formula_in_bf16() {
    argmax_is_its_formula::<bf16, i32>(i64::from);
}

#[test]
fn rows_without_elements_are_refused() {
    let (input, output) = (Guarded::new(&[0.0_f32; 4], 0), Guarded::new(&[-7_i64; 2], 0));
    let error = argmax::launch(queue(), input.view(), output.view(), 2, 0, 2).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a row without elements has no largest one"),
        "{error}"
    );
    output.expect_untouched();
}

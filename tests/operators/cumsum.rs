//! Running sums of rows.

use fastrand::Rng;
use oxysycl::ops::cumsum::cumsum;
use oxysycl::prelude::*;

use crate::support::*;

/// x[0] + .. + x[i] of one row. Each of the additions may lose half an ULP of the sum of magnitudes, in whatever order they are
/// done.
fn formula<T: Format>(x: &[T]) -> Vec<Within> {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    let row = wide(x).into_iter().enumerate();
    row.map(|(additions, x)| {
        sum += x;
        magnitude += f64::abs(x);
        Within {
            value: sum,
            error: additions as f64 * U * magnitude * 1.0001,
        }
    })
    .collect()
}

fn cumsum_is_its_formula<T: Format + Memory>() {
    for (rows, width) in [(1, 1), (3, 7), (4, 64), (2, 769), (3, 3001), (0, 8), (3, 0)] {
        let rng = &mut Rng::with_seed(width as u64);
        let x: Vec<T> = moderate(rng, rows * width);
        let expected: Vec<Within> = x.chunks(width.max(1)).flat_map(formula).collect();
        let strides = [width + 3, width + 8];
        let input = Strided::new(Rows::new(rows, strides[0], width), &x, 1);
        let output = Strided::new(Rows::new(rows, strides[1], width), &vec![canary(); x.len()], 2);
        let (n, w, [from, to]) = (rows as i64, width as i64, strides.map(|stride| stride as i64));
        cumsum::launch(queue(), input.view(), output.view(), n, w, from, to).unwrap();
        expect_within("on the device", &output.after(), &expected);
        input.memory.expect_untouched();
        let mut native = output.memory.before().to_vec();
        cumsum(input.memory.before(), &mut native, n, w, from, to);
        expect_within("natively", &output.rows.gather(&native), &expected);
        cumsum::launch(queue(), input.view(), input.view(), n, w, from, from).unwrap();
        expect_within("in place", &input.after(), &expected);
    }
}

#[test]
fn cumsum_is_its_formula_in_f32() {
    cumsum_is_its_formula::<f32>();
}

#[test]
fn cumsum_is_its_formula_in_f16() {
    cumsum_is_its_formula::<f16>();
}

#[test]
fn cumsum_is_its_formula_in_bf16() {
    cumsum_is_its_formula::<bf16>();
}

/// Sums of small integers are exact in whatever order; what is no number spoils what follows it in its own row.
#[test]
fn exact_sums_are_exact_and_specials_spoil_what_follows() {
    let width = 1000;
    let row = |special: f32| -> Vec<f32> {
        (0..width)
            .map(|i| if i == 700 { special } else { (i % 7) as f32 - 2.0 })
            .collect()
    };
    let x = [row(3.0), row(f32::NAN), row(f32::INFINITY), row(-1.0)].concat();
    let (input, output) = (
        Guarded::new(&x, 0),
        Guarded::new(&vec![canary::<f32>(); x.len()], 0),
    );
    let w = width as i64;
    cumsum::launch(queue(), input.view(), output.view(), 4, w, w, w).unwrap();
    let y = output.after();
    for (x, y) in x.chunks(width).zip(y.chunks(width)) {
        let mut sum = 0.0;
        for (x, y) in x.iter().zip(y) {
            sum += x;
            assert!(*y == sum || (y.is_nan() && sum.is_nan()), "{y} is {sum}");
        }
    }
}

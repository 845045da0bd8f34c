//! Sinusoidal embeddings.

use fastrand::Rng;
use oxysycl::ops::timestep_embedding::timestep_embedding;
use oxysycl::prelude::*;
use proptest::prelude::any;

use crate::support::*;

/// Sine and cosine of scale · t · max_period^(−i / (half − shift)).
///
/// The exponent loses 3 ULP in `ln` and half an ULP in the difference, the quotient and the product, the power 3 ULP of its
/// own, and its two factors half an ULP each. An error of the angle is one of its sine; `sin` and `cos` lose 4 ULP.
fn waves(t: f64, i: usize, half: usize, shift: f32, scale: f32, max_period: i32) -> (Within, Within) {
    let exponent = -f64::from(max_period).ln() / (half as f64 - shift.wide()) * i as f64;
    let angle = scale.wide() * t * exponent.exp();
    let halves = exponent.abs() * (6.0 + 3.0) + 6.0 + 2.0;
    let wave = |value: f64| Within {
        value,
        error: (angle.abs() * halves + 8.0 * value.abs()) * U * 1.001 + TINY,
    };
    (wave(angle.sin()), wave(angle.cos()))
}

fn timestep_embedding_is_its_formula<T: Format>() {
    let shapes = (0usize..4, 0usize..70, 0usize..9, any::<u64>());
    property(
        24,
        (shapes, any::<bool>()),
        |((batch, dim, offset, seed), flip)| {
            let rng = &mut Rng::with_seed(seed);
            let t: Vec<T> = of((0..batch).map(|_| f64::from(rng.u32(..1000))));
            // Half a row of one element has no steps that a shift of 1 could leave.
            let shift = if dim < 4 { 0.0 } else { rng.u8(..2).into() };
            let (scale, max_period) = ([1.0, 0.5][rng.usize(..2)], [10_000, 100][rng.usize(..2)]);
            let times = Guarded::new(&t, offset);
            let output = Guarded::new(&vec![canary(); batch * dim], offset);
            let (n, width) = (batch as i32, dim as i32);
            let launch = timestep_embedding::launch::<T>;
            launch(
                queue(),
                times.view(),
                output.view(),
                width,
                flip,
                shift,
                scale,
                max_period,
                n,
            )
            .unwrap();
            let half = dim / 2;
            let rows = t.iter().flat_map(|t| {
                let waves = (0..half).map(|i| waves(t.wide(), i, half, shift, scale, max_period));
                let (sines, cosines): (Vec<_>, Vec<_>) = waves.unzip();
                let last = vec![
                    Within {
                        value: 0.0,
                        error: 0.0
                    };
                    dim % 2
                ];
                if flip {
                    [cosines, sines, last].concat()
                } else {
                    [sines, cosines, last].concat()
                }
            });
            let expected: Vec<Within> = rows.collect();
            expect_within("on the device", &output.after(), &expected);
            times.expect_untouched();
            let mut native = output.before().to_vec();
            timestep_embedding(&t, &mut native, width, flip, shift, scale, max_period, n);
            expect_within("natively", &native, &expected);
        },
    );
}

#[test]
fn timestep_embedding_is_its_formula_in_f32() {
    timestep_embedding_is_its_formula::<f32>();
}

#[test]
fn timestep_embedding_is_its_formula_in_f16() {
    timestep_embedding_is_its_formula::<f16>();
}

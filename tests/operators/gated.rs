//! Gated activations.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use fastrand::Rng;
use oxysycl::ops::act_and_mul::act_and_mul;
use oxysycl::ops::{silu_and_mul_clamp::silu_and_mul_clamp, swiglu_alpha_limit::swiglu_alpha_limit};
use oxysycl::prelude::*;
use proptest::prelude::{Strategy, any};

use crate::support::*;

/// What e⁻ˣ may be off by in half ULPs: 3 ULP.
const EXP: f64 = 6.0;

/// 1 / (1 + e⁻ˣ) and the half ULPs that it may be off by, where `x` itself may be off by half an ULP `inexact` times.
///
/// An error of `x` is one of e⁻ˣ that is |x| times as large relative to it; of what e⁻ˣ is off by, 1 + e⁻ˣ only has the part
/// that e⁻ˣ is of it. The sum and the division lose half an ULP each.
fn sigmoid(x: f64, inexact: f64) -> (f64, f64) {
    let e = (-x).exp();
    let part = if e.is_infinite() { 1.0 } else { e / (1.0 + e) };
    (1.0 / (1.0 + e), (x.abs() * inexact + EXP) * part + 2.0)
}

/// Where e⁻ˣ is beyond the largest f32, or may be, the device divides by infinity.
fn may_vanish(x: f64) -> bool {
    -x > 88.72
}

/// silu(x)
pub(crate) fn silu(x: f64) -> Within {
    if x == f64::NEG_INFINITY {
        return Within {
            value: f64::NAN,
            error: 0.0,
        };
    }
    let (sigmoid, halves) = sigmoid(x, 0.0);
    let mut within = Within::relative(x * sigmoid, halves, 0.0);
    if may_vanish(x) {
        within.error += within.value.abs();
    }
    within
}

/// tanh-GELU, which is x · sigmoid(2u).
pub(crate) fn tanh_gelu(x: f64) -> Within {
    let twice = 2.0 * (2.0 / PI).sqrt() * (x + 0.044715 * x * x * x);
    // 0.044715 and its three products, the sum, √(8/π) and its product: x³ takes part in seven roundings.
    let (sigmoid, halves) = sigmoid(twice, 7.0);
    let mut within = Within::relative(x * sigmoid, halves, 0.0);
    if may_vanish(twice) {
        within.error += within.value.abs();
    }
    within
}

/// Φ(x) · x, with 16 ULP for the complementary error function of a number that is off by two roundings.
pub(crate) fn erf_gelu(x: f64) -> Within {
    let t = x * FRAC_1_SQRT_2;
    let slope = if t.is_finite() {
        2.0 / PI.sqrt() * (-t * t).exp() * t.abs()
    } else {
        0.0
    };
    let erfc = libm::erfc(-t);
    let value = 0.5 * x * erfc;
    let error = 0.5 * x.abs() * (U * (32.0 * erfc + 2.0 * slope) + 32.0 * TINY) + U * value.abs();
    Within {
        value,
        error: error * 1.001 + TINY,
    }
}

/// The lesser of two; NaN stays NaN.
fn at_most(x: f64, limit: f64) -> f64 {
    if x > limit { limit } else { x }
}

/// silu(min(gate, limit)) · clamp(up, −limit, limit)
pub(crate) fn clamped(gate: f64, up: f64, limit: f64) -> Within {
    silu(at_most(gate, limit)).times(-at_most(-at_most(up, limit), limit))
}

/// g · sigmoid(alpha · g) · (u + 1)
pub(crate) fn gpt(gate: f64, up: f64, alpha: f64, limit: f64) -> Within {
    let gate = at_most(gate, limit);
    let up = -at_most(-at_most(up, limit), limit);
    let (sigmoid, halves) = sigmoid(alpha * gate, 1.0);
    let value = gate * sigmoid * (up + 1.0);
    let mut within = Within::relative(value, halves + 3.0, (up + 1.0).abs() * (1.0 + gate.abs()));
    if may_vanish(alpha * gate) {
        within.error += value.abs();
    }
    within
}

/// Rows, width, strides beyond it, offsets and what the rows hold.
fn shapes() -> impl Strategy<Value = (usize, usize, [usize; 2], [usize; 2], u64)> {
    (
        0usize..5,
        0usize..80,
        [0usize..20, 0usize..20],
        [0usize..9, 0usize..9],
        any::<u64>(),
    )
}

fn silu_and_mul_clamp_is_its_formula<T: Format>() {
    property(24, shapes(), |(rows, dim, gaps, offsets, seed)| {
        let rng = &mut Rng::with_seed(seed);
        let mut x: Vec<T> = moderate(rng, rows * 2 * dim);
        // Gates from where e⁻ˣ is infinite to where it vanishes.
        x.iter_mut()
            .step_by(3)
            .for_each(|x| *x = T::nearest(x.wide() * 4.0));
        let limit = [7.0, 0.5, 1e4][rng.usize(..3)];
        let [input_stride, output_stride] = [2 * dim + gaps[0], dim + gaps[1]];
        let input = Strided::new(Rows::new(rows, input_stride, 2 * dim), &x, offsets[0]);
        let output = Strided::new(
            Rows::new(rows, output_stride, dim),
            &vec![canary(); rows * dim],
            offsets[1],
        );
        let gates = (0..rows * dim).map(|i| i / dim * 2 * dim + i % dim);
        let expected: Vec<Within> = gates
            .map(|at| clamped(x[at].wide(), x[at + dim].wide(), limit))
            .collect();
        let (n, width, is, os) = (rows as i64, dim as i64, input_stride as i64, output_stride as i64);
        let limit = limit as f32;
        silu_and_mul_clamp::launch(queue(), input.view(), output.view(), n, width, is, os, limit).unwrap();
        expect_within("on the device", &output.after(), &expected);
        input.memory.expect_untouched();
        let mut native = output.memory.before().to_vec();
        silu_and_mul_clamp(input.memory.before(), &mut native, n, width, is, os, limit);
        output.rows.expect_gaps(output.memory.before(), &native);
        expect_within("natively", &output.rows.gather(&native), &expected);
    });
}

#[test]
fn silu_and_mul_clamp_is_its_formula_in_f32() {
    silu_and_mul_clamp_is_its_formula::<f32>();
}

#[test]
fn silu_and_mul_clamp_is_its_formula_in_f16() {
    silu_and_mul_clamp_is_its_formula::<f16>();
}

#[test]
fn silu_and_mul_clamp_is_its_formula_in_bf16() {
    silu_and_mul_clamp_is_its_formula::<bf16>();
}

fn swiglu_alpha_limit_is_its_formula<T: Format>() {
    property(24, shapes(), |(rows, dim, gaps, offsets, seed)| {
        let rng = &mut Rng::with_seed(seed);
        let x: Vec<T> = moderate(rng, rows * 2 * dim);
        let (alpha, limit) = [(1.702f32, 7f32), (1.0, 1e4), (-0.5, 3.0)][rng.usize(..3)];
        let [input_stride, output_stride] = [2 * dim + gaps[0], dim + gaps[1]];
        let input = Strided::new(Rows::new(rows, input_stride, 2 * dim), &x, offsets[0]);
        let output = Strided::new(
            Rows::new(rows, output_stride, dim),
            &vec![canary(); rows * dim],
            offsets[1],
        );
        let pairs = x.chunks(2);
        let expected: Vec<Within> = pairs
            .map(|x| gpt(x[0].wide(), x[1].wide(), alpha.into(), limit.into()))
            .collect();
        let (n, width, is, os) = (rows as i64, dim as i64, input_stride as i64, output_stride as i64);
        swiglu_alpha_limit::launch(
            queue(),
            input.view(),
            output.view(),
            n,
            width,
            is,
            os,
            alpha,
            limit,
        )
        .unwrap();
        expect_within("on the device", &output.after(), &expected);
        input.memory.expect_untouched();
        let mut native = output.memory.before().to_vec();
        swiglu_alpha_limit(input.memory.before(), &mut native, n, width, is, os, alpha, limit);
        output.rows.expect_gaps(output.memory.before(), &native);
        expect_within("natively", &output.rows.gather(&native), &expected);
    });
}

#[test]
fn swiglu_alpha_limit_is_its_formula_in_f32() {
    swiglu_alpha_limit_is_its_formula::<f32>();
}

#[test]
fn swiglu_alpha_limit_is_its_formula_in_f16() {
    swiglu_alpha_limit_is_its_formula::<f16>();
}

fn act_and_mul_is_its_formula<T: Format>() {
    let acts = [silu, erf_gelu, tanh_gelu];
    property(
        24,
        (shapes(), 0usize..3),
        |((rows, dim, _, offsets, seed), kind)| {
            let rng = &mut Rng::with_seed(seed);
            let mut x: Vec<T> = moderate(rng, rows * 2 * dim);
            x.iter_mut()
                .step_by(3)
                .for_each(|x| *x = T::nearest(x.wide() / 16.0));
            let input = Guarded::new(&x, offsets[0]);
            let output = Guarded::new(&vec![canary(); rows * dim], offsets[1]);
            let gates = (0..rows * dim).map(|i| i / dim * 2 * dim + i % dim);
            let expected: Vec<Within> = gates
                .map(|at| acts[kind](x[at].wide()).times(x[at + dim].wide()))
                .collect();
            let (n, width, act_kind) = (rows as i64, dim as i64, kind as i32);
            act_and_mul::launch(queue(), input.view(), output.view(), n, width, act_kind).unwrap();
            expect_within("on the device", &output.after(), &expected);
            input.expect_untouched();
            let mut native = vec![canary(); rows * dim];
            act_and_mul(&x, &mut native, n, width, act_kind);
            expect_within("natively", &native, &expected);
        },
    );
}

#[test]
fn act_and_mul_is_its_formula_in_f32() {
    act_and_mul_is_its_formula::<f32>();
}

#[test]
fn act_and_mul_is_its_formula_in_f16() {
    act_and_mul_is_its_formula::<f16>();
}

/// x · Φ(x) by a table of high precision: where 1 + erf has no digits left, and on to the subnormal numbers.
#[test]
fn the_negative_tail_of_gelu_keeps_its_digits() {
    let known = [
        (-4.0f32, -1.2668497e-4f64),
        (-5.0, -1.4332579e-6),
        (-5.25, -3.9926043e-7),
        (-5.5, -1.0444259e-7),
        (-6.0, -5.9195259e-9),
        (-8.0, -4.9767685e-15),
        (-10.0, -7.6198530e-23),
    ];
    let n = known.len();
    let x: Vec<f32> = known.iter().map(|(x, _)| *x).chain([1.0; 7]).collect();
    let (input, output) = (Guarded::new(&x, 0), Guarded::new(&vec![canary(); n], 0));
    act_and_mul::launch(queue(), input.view(), output.view(), 1, n as i64, 1).unwrap();
    for ((x, known), found) in known.into_iter().zip(output.after()) {
        let error = ((found.wide() - known) / known).abs();
        assert!(error < 2e-5, "gelu({x}) = {found:e}, off by {error:e}");
    }
}

//! Family C: activations and quantisation.
//!
//! Not here:
//! * 52: there is no fp8.

use oxysycl::ops::act_and_mul::act_and_mul;
use oxysycl::ops::activation::{gelu, gelu_tanh, sigmoid, silu};
use oxysycl::ops::per_token_group_quant_int8::per_token_group_quant_int8;
use oxysycl::ops::{add::add, cast::cast, mul::mul, scale::scale, silu_and_mul_clamp::silu_and_mul_clamp};
use oxysycl::prelude::*;

use crate::gated::{erf_gelu, tanh_gelu};
use crate::support::*;

/// Every activation function of every number.
#[sycl_kernel(
    symbol = "activations_{T}",
    types(T = [f32, f16, bf16]),
    shapes(x = [n], s = [n], t = [n], u = [n], v = [n]),
)]
pub(super) fn activations<T: Float>(x: &[T], s: &mut [T], t: &mut [T], u: &mut [T], v: &mut [T], n: i64) {
    for i in elements(n) {
        s.store(i, sigmoid(x.load(i)));
        t.store(i, silu(x.load(i)));
        u.store(i, gelu(x.load(i)));
        v.store(i, gelu_tanh(x.load(i)));
    }
}

/// sigmoid, silu, gelu and gelu_tanh of every number.
fn activated<T: Format>(x: &[T]) -> [Vec<T>; 4] {
    let input = Guarded::new(x, 0);
    let outputs = [(); 4].map(|()| Guarded::new(&vec![T::nearest(7.0); x.len()], 0));
    let [s, t, u, v] = [0, 1, 2, 3].map(|at| outputs[at].view());
    activations::launch(queue(), input.view(), s, t, u, v, x.len() as i64).unwrap();
    input.expect_untouched();
    outputs.map(|output| output.after())
}

fn tanh_gelu_of_large_numbers<T: Format>() {
    let large = [11.0, 13.0, 40.0, 88.0, 1000.0];
    let x: Vec<T> = of(large.into_iter().chain(large.map(|x| -x)));
    let [.., found] = activated(&x);
    for (x, y) in x.iter().zip(&found) {
        let expected = if x.wide() > 0.0 { x.wide() } else { 0.0 };
        // From |x| = 11 on what is left of a negative number is below 1e-24.
        assert!((y.wide() - expected).abs() < 1e-24, "{x:?}: {y:?}");
    }
}

/// C46.
#[test]
fn tanh_gelu_is_a_number_for_large_ones() {
    tanh_gelu_of_large_numbers::<f32>();
    tanh_gelu_of_large_numbers::<f16>();
    tanh_gelu_of_large_numbers::<bf16>();
}

/// C47, and what the functions say of infinities and NaN.
#[test]
fn silu_is_a_number_for_extreme_ones() {
    let x = [-88f32, -89.0, -104.0, -1e4, 89.0, 1e4, f32::MAX, f32::MIN];
    let [_, found, ..] = activated(&x);
    for (x, y) in x.iter().zip(&found) {
        let expected = if *x > 0.0 { *x } else { 0.0 };
        assert!((y - expected).abs() < 1e-35, "{x}: {y}");
    }
    let [_, found, ..] = activated(&[f16::MIN, f16::MAX, f16::nearest(-89.0)]);
    expect_same("f16", &found, &[-f16::ZERO, f16::MAX, -f16::ZERO]);
    assert!(
        activated(&[f32::NEG_INFINITY])[1][0].is_nan(),
        "as the function says"
    );
}

/// C47 in the operator.
#[test]
fn gates_at_either_end_are_numbers() {
    let gates = [-88.0, -89.0, -104.0, -1e4, 89.0, 1e4, -65504.0];
    let up = [1.0; 7];
    let x: Vec<f16> = of([gates, up].concat());
    let (input, output) = (Guarded::new(&x, 0), Guarded::new(&[f16::NAN; 7], 0));
    silu_and_mul_clamp::launch(queue(), input.view(), output.view(), 1, 7, 14, 7, 7e4).unwrap();
    for (gate, y) in gates.into_iter().zip(output.after()) {
        let expected = if gate > 0.0 { gate } else { 0.0 };
        assert_eq!(y.wide(), f16::nearest(expected).wide(), "{gate}");
    }
}

/// C48.
#[test]
fn the_negative_tail_of_tanh_gelu_keeps_its_digits() {
    let x: Vec<f32> = (-400..=400).map(|i| i as f32 / 40.0).collect();
    let [.., found] = activated(&x);
    expect_within(
        "tanh-GELU",
        &found,
        &x.iter().map(|x| tanh_gelu(x.wide())).collect::<Vec<_>>(),
    );
    // Half of the last digit of these, and the error of the computation.
    for (at, known, digit) in [(-5.0, -2.2918e-7, 5e-12), (-5.5, -5.9276e-9, 5e-14)] {
        let found = found[x.iter().position(|x| *x == at).unwrap()].wide();
        assert!(
            (found - known).abs() < digit + tanh_gelu(at.wide()).error,
            "{at}: {found}"
        );
    }
}

/// C49's other function: what erf itself loses, and no more.
#[test]
fn gelu_is_its_formula() {
    let x: Vec<f32> = (-400..=400).map(|i| i as f32 / 40.0).collect();
    let [_, _, found, _] = activated(&x);
    expect_within(
        "GELU",
        &found,
        &x.iter().map(|x| erf_gelu(x.wide())).collect::<Vec<_>>(),
    );
}

/// What the activations document: sigmoid, silu, gelu and gelu_tanh of ∞, −∞ and NaN.
const SPECIALS: [(f64, [f64; 4]); 3] = [
    (f64::INFINITY, [1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]),
    (f64::NEG_INFINITY, [0.0, f64::NAN, f64::NAN, f64::NAN]),
    (f64::NAN, [f64::NAN; 4]),
];

fn specials_among_finite_numbers<T: Format>() {
    let x: Vec<T> = of((0..64).map(|i| f64::from(i) / 8.0 - 4.0));
    let finite = activated(&x);
    for (special, expected) in SPECIALS {
        for at in [0, 1, 7, 31, 63] {
            let mut x = x.clone();
            x[at] = T::convert(special);
            for ((found, finite), expected) in activated(&x).iter().zip(&finite).zip(expected) {
                let mut all = finite.clone();
                all[at] = T::convert(expected);
                expect_same(&format!("{special} at {at}"), found, &all);
            }
        }
        let alone = activated(&[T::convert(special)]);
        for (found, expected) in alone.iter().zip(expected) {
            expect_same(&format!("{special} alone"), found, &[T::convert(expected)]);
        }
        for (found, expected) in [sigmoid, silu, gelu, gelu_tanh].iter().zip(expected) {
            expect_same(
                &format!("{special} natively"),
                &[found(special as f32)],
                &[expected as f32],
            );
        }
    }
}

/// C49.
#[test]
fn infinities_and_nan_leave_finite_neighbours_alone() {
    specials_among_finite_numbers::<f32>();
    specials_among_finite_numbers::<f16>();
    specials_among_finite_numbers::<bf16>();
}

/// C51. Groups of zeros, of tiny numbers, and with a single large one.
#[test]
fn groups_of_zeros_have_a_scale_above_0() {
    let mut x = vec![0f32; 3 * 128];
    x[128..256].fill(1e-30);
    x[256] = 448.0;
    let input = Guarded::new(&x, 0);
    let (codes, scales) = (Guarded::new(&[7i8; 3 * 128], 0), Guarded::new(&[7f32; 3], 0));
    let launch = per_token_group_quant_int8::launch::<f32, 128>;
    launch(
        queue(),
        input.view(),
        codes.view(),
        scales.view(),
        1,
        3,
        384,
        384,
        3,
        1e-10,
    )
    .unwrap();
    let mut expected = [0i8; 3 * 128];
    expected[256] = 127;
    assert_eq!(codes.after(), expected);
    expect_same(
        "scales",
        &scales.after(),
        &[1e-10 / 127.0, 1e-10 / 127.0, 448.0 / 127.0],
    );
}

/// C46 and C47 in the operator: gates at either end.
#[test]
fn activations_at_either_end_are_numbers_in_the_operator() {
    let gates = [11.0, 13.0, 40.0, 88.0, 89.0, 1000.0, 65504.0];
    for kind in 0..3 {
        for sign in [1.0, -1.0] {
            let x: Vec<f32> = of(gates.map(|x| sign * x).into_iter().chain([1.0; 7]));
            let (input, output) = (Guarded::new(&x, 0), Guarded::new(&[7f32; 7], 0));
            act_and_mul::launch(queue(), input.view(), output.view(), 1, 7, kind).unwrap();
            for (gate, y) in x.iter().zip(output.after()) {
                // The slowest of them, silu, is x · e⁻¹¹ off at 11.
                let expected = if sign > 0.0 { gate.wide() } else { 0.0 };
                assert!((y.wide() - expected).abs() < 2e-4, "kind {kind}: {y} for {gate}");
            }
        }
    }
}

/// Sizes around what vectors and work-groups take.
const SIZES: [usize; 10] = [0, 1, 3, 4, 5, 8, 9, 255, 256, 257];

/// C53. Without elements all pointers are null: views of empty buffers.
#[test]
fn elementwise_operators_stop_at_the_last_element() {
    for count in SIZES {
        let n = count as i64;
        let x: Vec<f16> = of((0..count).map(|i| i as f64));
        let empty = queue().alloc::<f16>(0).unwrap();
        let wide_empty = queue().alloc::<f32>(0).unwrap();
        let (a, y) = (
            Guarded::new(&x, 0),
            Guarded::new(&vec![canary::<f16>(); count], 0),
        );
        let wide = Guarded::new(&vec![canary::<f32>(); count], 0);
        let (a_view, y_view, wide_view) = match count {
            0 => (empty.view(), empty.view(), wide_empty.view()),
            _ => (a.view(), y.view(), wide.view()),
        };
        let expected = |f: fn(f64) -> f64| of::<f16>(wide_of(&x).into_iter().map(f));
        add::launch(queue(), a_view, a_view, y_view, n).unwrap();
        expect_same("add", &y.after(), &expected(|x| x + x));
        mul::launch(queue(), a_view, a_view, y_view, n).unwrap();
        expect_same("mul", &y.after(), &expected(|x| x * x));
        scale::launch(queue(), a_view, y_view, 3.0, n).unwrap();
        expect_same("scale", &y.after(), &expected(|x| 3.0 * x));
        cast::launch(queue(), a_view, wide_view, n).unwrap();
        expect_same("cast", &wide.after(), &of::<f32>(wide_of(&x)));
        a.expect_untouched();
    }
}

fn wide_of(x: &[f16]) -> Vec<f64> {
    crate::support::wide(x)
}

/// C53, for half rows: the last vector of gates runs neither into the other half nor out of the output.
#[test]
fn gated_activations_stop_at_the_end_of_the_half_row() {
    for count in SIZES {
        let n = count as i64;
        let row: Vec<f32> = (0..2 * count)
            .map(|i| if i < count { 1.0 } else { 2.0 })
            .collect();
        let (input, output) = (
            Guarded::new(&row.repeat(2), 0),
            Guarded::new(&vec![canary(); 2 * count], 0),
        );
        silu_and_mul_clamp::launch(queue(), input.view(), output.view(), 2, n, 2 * n, n, 7.0).unwrap();
        let after = output.after();
        let expected = 2.0 / (1.0 + (-1f64).exp());
        act_and_mul::launch(queue(), input.view(), output.view(), 2, n, 0).unwrap();
        expect_same("act_and_mul", &output.after(), &after);
        assert!(
            after.iter().all(|y| (f64::from(*y) - expected).abs() < 1e-6),
            "{count}: {after:?}"
        );
    }
}

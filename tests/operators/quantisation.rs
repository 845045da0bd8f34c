//! Quantisation: every code and every scale is known.

use fastrand::Rng;
use oxysycl::ops::dequant_int8_per_group::dequant_int8_per_group;
use oxysycl::ops::per_token_group_quant_int8::per_token_group_quant_int8;
use oxysycl::prelude::*;
use proptest::prelude::any;

use crate::support::*;

/// Scale and codes of one group.
pub(crate) fn quantised<T: Format>(x: &[T], eps: f32) -> (f32, Vec<i8>) {
    let magnitudes = x.iter().map(|x| x.wide().abs()).filter(|x| !x.is_nan());
    let scale = rounded::<f32>(magnitudes.fold(eps.wide(), f64::max) / 127.0);
    let codes = x
        .iter()
        .map(|x| rounded::<f32>(x.wide() / scale).round_ties_even());
    (
        f32::convert(scale),
        codes
            .map(|code| if code.is_nan() { 0 } else { code as i8 })
            .collect(),
    )
}

/// A group whose scale is 1: many of its elements lie in the middle between two codes.
fn halves<T: Format>(rng: &mut Rng, count: usize) -> Vec<T> {
    let rest = (1..count).map(|_| f64::from(rng.i32(-253..=253)) / 2.0);
    of([127.0].into_iter().chain(rest))
}

fn per_token_group_quant_int8_is_its_formula<T: Format, const N: i64>() {
    let width = N as usize;
    let gaps = [0usize..20, 0usize..20, 0usize..5];
    property(
        24,
        (0usize..4, 0usize..4, gaps, 0usize..9, any::<u64>()),
        |(tokens, groups, gaps, offset, seed)| {
            let rng = &mut Rng::with_seed(seed);
            let draw = |rng: &mut Rng| match rng.u8(..4) {
                // Infinities and NaNs too.
                0 => anything(rng, width),
                1 => halves(rng, width),
                _ => moderate(rng, width),
            };
            let x: Vec<T> = (0..tokens * groups).flat_map(|_| draw(rng)).collect();
            let eps = [1e-10, 1e-4][rng.usize(..2)];
            let strides = [
                groups * width + gaps[0],
                groups * width + gaps[1],
                groups + gaps[2],
            ];
            let rows = |stride, width: usize| Rows::new(tokens, stride, groups * width);
            let input = Strided::new(rows(strides[0], width), &x, offset);
            let codes = Strided::new(rows(strides[1], width), &vec![canary::<i8>(); x.len()], offset);
            let scales = Strided::new(
                rows(strides[2], 1),
                &vec![canary::<f32>(); tokens * groups],
                offset,
            );
            let (n, count, [from, to, at]) =
                (tokens as i64, groups as i64, strides.map(|stride| stride as i64));
            let launch = per_token_group_quant_int8::launch::<T, N>;
            launch(
                queue(),
                input.view(),
                codes.view(),
                scales.view(),
                n,
                count,
                from,
                to,
                at,
                eps,
            )
            .unwrap();
            let (known_scales, known_codes): (Vec<f32>, Vec<Vec<i8>>) =
                x.chunks(width).map(|group| quantised(group, eps)).unzip();
            expect_same("scales on the device", &scales.after(), &known_scales);
            assert_eq!(codes.after(), known_codes.concat(), "codes on the device");
            input.memory.expect_untouched();
            let (mut q, mut s) = (codes.memory.before().to_vec(), scales.memory.before().to_vec());
            per_token_group_quant_int8::<T, N>(
                input.memory.before(),
                &mut q,
                &mut s,
                n,
                count,
                from,
                to,
                at,
                eps,
            );
            expect_same("scales natively", &scales.rows.gather(&s), &known_scales);
            assert_eq!(codes.rows.gather(&q), known_codes.concat(), "codes natively");
        },
    );
}

#[test]
fn per_token_group_quant_int8_is_its_formula_in_f32() {
    per_token_group_quant_int8_is_its_formula::<f32, 128>();
}

#[test]
fn per_token_group_quant_int8_is_its_formula_in_f16() {
    per_token_group_quant_int8_is_its_formula::<f16, 40>();
}

#[test]
fn dequant_int8_per_group_is_its_formula() {
    let (tokens, groups, width) = (3usize, 2usize, 40usize);
    let rng = &mut Rng::with_seed(5);
    let (q, s): (Vec<i8>, Vec<f32>) = (
        (0..tokens * groups * width).map(|_| rng.i8(..)).collect(),
        anything(rng, tokens * groups),
    );
    let codes = Strided::new(Rows::new(tokens, 97, groups * width), &q, 1);
    let scales = Strided::new(Rows::new(tokens, 5, groups), &s, 3);
    let output = Strided::new(
        Rows::new(tokens, 81, groups * width),
        &vec![canary::<f16>(); q.len()],
        2,
    );
    let launch = dequant_int8_per_group::launch::<f16, 40>;
    launch(
        queue(),
        codes.view(),
        scales.view(),
        output.view(),
        3,
        2,
        97,
        5,
        81,
    )
    .unwrap();
    let expected: Vec<f16> = q
        .iter()
        .enumerate()
        .map(|(i, q)| stored(f64::from(*q) * s[i / width].wide()))
        .collect();
    expect_same("on the device", &output.after(), &expected);
    let mut native = output.memory.before().to_vec();
    dequant_int8_per_group::<f16, 40>(
        codes.memory.before(),
        scales.memory.before(),
        &mut native,
        3,
        2,
        97,
        5,
        81,
    );
    expect_same("natively", &output.rows.gather(&native), &expected);
}

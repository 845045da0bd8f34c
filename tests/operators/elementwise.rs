//! Sums, products and conversions: every bit is known.

use fastrand::Rng;
use oxysycl::ops::{add::add, cast::cast, mul::mul, scale::scale};
use oxysycl::prelude::*;
use proptest::prelude::{Strategy, any};

use crate::support::*;

/// Elements, how far the buffers are from being aligned, and what they hold.
fn sizes() -> impl Strategy<Value = (usize, [usize; 3], u64)> {
    (0usize..600, [0usize..9, 0usize..9, 0usize..9], any::<u64>())
}

fn add_is_its_formula<T: Format>() {
    property(24, sizes(), |(count, offsets, seed)| {
        let rng = &mut Rng::with_seed(seed);
        let (a, b): (Vec<T>, Vec<T>) = (anything(rng, count), anything(rng, count));
        // A sum in f64 is exact enough: rounded to 53 digits and then to 24 it is as if rounded to 24 at once.
        let expected: Vec<T> = a
            .iter()
            .zip(&b)
            .map(|(a, b)| stored(a.wide() + b.wide()))
            .collect();
        let (left, right) = (Guarded::new(&a, offsets[0]), Guarded::new(&b, offsets[1]));
        let output = Guarded::new(&vec![canary(); count], offsets[2]);
        add::launch(queue(), left.view(), right.view(), output.view(), count as i64).unwrap();
        expect_same("on the device", &output.after(), &expected);
        left.expect_untouched();
        // In place of either operand.
        add::launch(queue(), left.view(), right.view(), right.view(), count as i64).unwrap();
        expect_same("in place of b", &right.after(), &expected);
        let right = Guarded::new(&b, offsets[1]);
        add::launch(queue(), left.view(), right.view(), left.view(), count as i64).unwrap();
        expect_same("in place of a", &left.after(), &expected);
        let mut native = vec![canary(); count];
        add(&a, &b, &mut native, count as i64);
        expect_same("natively", &native, &expected);
    });
}

#[test]
fn add_is_its_formula_in_f32() {
    add_is_its_formula::<f32>();
}

#[test]
fn add_is_its_formula_in_f16() {
    add_is_its_formula::<f16>();
}

#[test]
fn add_is_its_formula_in_bf16() {
    add_is_its_formula::<bf16>();
}

fn mul_is_its_formula<T: Format>() {
    property(24, sizes(), |(count, offsets, seed)| {
        let rng = &mut Rng::with_seed(seed);
        let (a, b): (Vec<T>, Vec<T>) = (anything(rng, count), anything(rng, count));
        let expected: Vec<T> = a
            .iter()
            .zip(&b)
            .map(|(a, b)| stored(a.wide() * b.wide()))
            .collect();
        let (left, right) = (Guarded::new(&a, offsets[0]), Guarded::new(&b, offsets[1]));
        let output = Guarded::new(&vec![canary(); count], offsets[2]);
        mul::launch(queue(), left.view(), right.view(), output.view(), count as i64).unwrap();
        expect_same("on the device", &output.after(), &expected);
        right.expect_untouched();
        mul::launch(queue(), left.view(), right.view(), left.view(), count as i64).unwrap();
        expect_same("in place of a", &left.after(), &expected);
        let mut native = vec![canary(); count];
        mul(&a, &b, &mut native, count as i64);
        expect_same("natively", &native, &expected);
    });
}

#[test]
fn mul_is_its_formula_in_f16() {
    mul_is_its_formula::<f16>();
}

#[test]
fn mul_is_its_formula_in_bf16() {
    mul_is_its_formula::<bf16>();
}

fn scale_is_its_formula<T: Format>() {
    property(24, sizes(), |(count, offsets, seed)| {
        let rng = &mut Rng::with_seed(seed);
        let x: Vec<T> = anything(rng, count);
        let factor: f32 = anything(rng, 1)[0];
        let expected: Vec<T> = x.iter().map(|x| stored(x.wide() * factor.wide())).collect();
        let input = Guarded::new(&x, offsets[0]);
        let output = Guarded::new(&vec![canary(); count], offsets[1]);
        scale::launch(queue(), input.view(), output.view(), factor, count as i64).unwrap();
        expect_same("on the device", &output.after(), &expected);
        input.expect_untouched();
        scale::launch(queue(), input.view(), input.view(), factor, count as i64).unwrap();
        expect_same("in place", &input.after(), &expected);
        let mut native = vec![canary(); count];
        scale(&x, &mut native, factor, count as i64);
        expect_same("natively", &native, &expected);
    });
}

#[test]
fn scale_is_its_formula_in_f32() {
    scale_is_its_formula::<f32>();
}

#[test]
fn scale_is_its_formula_in_f16() {
    scale_is_its_formula::<f16>();
}

#[test]
fn scale_is_its_formula_in_bf16() {
    scale_is_its_formula::<bf16>();
}

fn cast_rounds_to_the_nearest<T: Format, U: Format>() {
    property(24, sizes(), |(count, offsets, seed)| {
        let x: Vec<T> = anything(&mut Rng::with_seed(seed), count);
        let expected: Vec<U> = x.iter().map(|x| U::nearest(x.wide())).collect();
        let input = Guarded::new(&x, offsets[0]);
        let output = Guarded::new(&vec![canary(); count], offsets[1]);
        cast::launch(queue(), input.view(), output.view(), count as i64).unwrap();
        expect_same("on the device", &output.after(), &expected);
        input.expect_untouched();
        let mut native = vec![canary(); count];
        cast(&x, &mut native, count as i64);
        expect_same("natively", &native, &expected);
    });
}

#[test]
fn cast_rounds_f32_to_the_nearest_f16() {
    cast_rounds_to_the_nearest::<f32, f16>();
}

#[test]
fn cast_rounds_f32_to_the_nearest_bf16() {
    cast_rounds_to_the_nearest::<f32, bf16>();
}

#[test]
fn cast_rounds_f16_to_the_nearest_bf16() {
    cast_rounds_to_the_nearest::<f16, bf16>();
}

#[test]
fn cast_rounds_bf16_to_the_nearest_f16() {
    cast_rounds_to_the_nearest::<bf16, f16>();
}

#[test]
fn cast_keeps_every_f16_in_f32() {
    cast_rounds_to_the_nearest::<f16, f32>();
}

#[test]
fn cast_keeps_every_bf16_in_f32() {
    cast_rounds_to_the_nearest::<bf16, f32>();
}

/// Between any two neighbours of f16: the middle goes to the even one, what is beside the middle to the nearer one.
#[test]
fn cast_sends_ties_to_the_even_neighbour() {
    let middles = (0..0x7c00u32).flat_map(|pattern| {
        let low = f16::of_bits(pattern).wide();
        let high = if pattern == 0x7bff {
            65536.0
        } else {
            f16::of_bits(pattern + 1).wide()
        };
        let middle = ((low + high) / 2.0) as f32;
        let even = pattern + (pattern & 1);
        [
            (middle.next_down(), pattern),
            (middle, even),
            (middle.next_up(), pattern + 1),
        ]
    });
    let (x, expected): (Vec<f32>, Vec<u32>) = middles.unzip();
    let expected: Vec<f16> = expected.into_iter().map(f16::of_bits).collect();
    let (input, output) = (Guarded::new(&x, 0), Guarded::new(&vec![f16::ZERO; x.len()], 0));
    cast::launch(queue(), input.view(), output.view(), x.len() as i64).unwrap();
    expect_same("on the device", &output.after(), &expected);
}

//! Float arithmetic on the device gives the bits that it gives natively: nothing is fused, reordered or flushed.

use oxysycl::native::Real;
use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// 16 results for every pair of inputs.
#[sycl_kernel(shapes(a = [n], b = [n], out = [16 * n]))]
fn arithmetic(a: &[f32], b: &[f32], out: &mut [f32], n: i64) {
    for i in elements(n) {
        let (x, y) = (a.load(i), b.load(i));
        out.store(16 * i, x * y + x);
        out.store(16 * i + 1, x - (y - x));
        out.store(16 * i + 2, (x + y) - x);
        out.store(16 * i + 3, x / y);
        out.store(16 * i + 4, x.sqrt());
        out.store(16 * i + 5, x.mul_add(y, x));
        out.store(16 * i + 6, -x * -(-y));
        out.store(16 * i + 7, x.abs().floor() + y.ceil());
        out.store(16 * i + 8, x.trunc() - y.round());
        out.store(16 * i + 9, x.recip());
        out.store(16 * i + 10, x.copysign(y));
        out.store(
            16 * i + 11,
            if x.is_nan() {
                -1.0
            } else if x.is_infinite() {
                -2.0
            } else {
                x
            },
        );
        out.store(16 * i + 12, if x.is_finite() && x < y { 1.0 } else { 0.0 });
        out.store(16 * i + 13, 0.1 * x + 1e-45 - 16777217.0);
        out.store(16 * i + 14, (x as i32 as f32) * 0.5);
        out.store(
            16 * i + 15,
            if x == y {
                f32::INFINITY
            } else if x != x {
                f32::NAN
            } else {
                f32::MIN_POSITIVE
            },
        );
    }
}

/// 6 results for every pair of inputs: parts and signs, rounding to even, and bounds that are passed, met or not reached.
#[sycl_kernel(shapes(a = [n], b = [n], out = [6 * n]))]
fn rounded_and_bounded(a: &[f32], b: &[f32], out: &mut [f32], n: i64) {
    for i in elements(n) {
        let (x, y) = (a.load(i), b.load(i));
        let bound = if y.is_nan() { 0.0 } else { y };
        out.store(6 * i, x.round_ties_even());
        out.store(6 * i + 1, x.clamp(bound.min(0.0), bound.max(0.0)));
        out.store(6 * i + 2, x.clamp(-0.0, 0.0));
        out.store(6 * i + 3, x.clamp(bound, f32::INFINITY));
        out.store(6 * i + 4, x.fract() + y.fract());
        out.store(6 * i + 5, x.signum() / y.signum());
    }
}

/// 10 results for every input, of functions that are only accurate to some units in the last place.
#[sycl_kernel(shapes(a = [n], out = [10 * n]))]
fn approximate(a: &[f32], out: &mut [f32], n: i64) {
    for i in elements(n) {
        let x = a.load(i);
        out.store(10 * i, x.tan());
        out.store(10 * i + 1, x.exp_m1());
        out.store(10 * i + 2, x.ln_1p());
        out.store(10 * i + 3, x.log10());
        out.store(10 * i + 4, x.sinh());
        out.store(10 * i + 5, x.cosh());
        out.store(10 * i + 6, x.powi(3));
        out.store(10 * i + 7, x.powi(-7));
        out.store(10 * i + 8, 1.001_f32.powi(x as i32));
        out.store(10 * i + 9, erfc(x));
    }
}

/// Every element is stored once, in the buffer's own type, rounded to nearest, ties to even.
#[sycl_kernel(types(A = [f32, f16, bf16], B = [f32, f16, bf16]), shapes(a = [n], b = [n]))]
fn convert<A: Float, B: Float>(a: &[A], b: &mut [B], n: i64) {
    for i in elements(n) {
        b.store(i, a.load(i));
    }
}

/// A load after a store sees the stored, rounded value.
#[sycl_kernel(types(T = [f32, f16, bf16]), shapes(a = [n]))]
fn rounded_twice<T: Float>(a: &mut [T], n: i64) {
    for i in elements(n) {
        a.store(i, a.load(i) * 1.001);
        a.store(i, a.load(i) * 1.001);
    }
}

fn interesting() -> Vec<f32> {
    let mut values = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        0.5,
        1.5,
        2.5,
        -2.5,
        3.7,
        1e-45,
        -1e-45,
        1e-38,
        f32::MIN_POSITIVE,
    ];
    values.extend([
        65504.0,
        65520.0,
        65519.9,
        1e10,
        8388607.5,
        16777216.0,
        f32::MAX,
        f32::MIN,
        1.0 + f32::EPSILON,
    ]);
    values.extend([
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        5.960_464_5e-8,
        2.980_232_2e-8,
        6.1e-5,
    ]);
    let mut state = 1_u32;
    values.extend((0..200).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(state)
    }));
    values
}

#[test]
fn arithmetic_is_exact() {
    let values = interesting();
    let (a, b): (Vec<f32>, Vec<f32>) = values
        .iter()
        .flat_map(|x| values.iter().map(|y| (*x, *y)))
        .unzip();
    let n = a.len();
    let mut native = vec![0.0; 16 * n];
    arithmetic(&a, &b, &mut native, n as i64);
    let out = queue().alloc(16 * n).expect("allocate");
    arithmetic::launch(
        queue(),
        upload(&a, 0).view(),
        upload(&b, 0).view(),
        out.view(),
        n as i64,
    )
    .expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn rounding_and_bounding_are_exact() {
    let values = interesting();
    let (a, b): (Vec<f32>, Vec<f32>) = values
        .iter()
        .flat_map(|x| values.iter().map(|y| (*x, *y)))
        .unzip();
    let n = a.len();
    let mut native = vec![0.0; 6 * n];
    rounded_and_bounded(&a, &b, &mut native, n as i64);
    let out = queue().alloc(6 * n).expect("allocate");
    let (a, b) = (upload(&a, 0), upload(&b, 0));
    rounded_and_bounded::launch(queue(), a.view(), b.view(), out.view(), n as i64).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn approximations_keep_their_bounds() {
    let mut values = interesting();
    values.extend((-4000..4000).map(|i| i as f32 * 0.0371));
    let n = values.len();
    let out = queue().alloc(10 * n).expect("allocate");
    approximate::launch(queue(), upload(&values, 0).view(), out.view(), n as i64).expect("launch");
    let mut native = vec![0.0; 10 * n];
    approximate(&values, &mut native, n as i64);
    let device = out.to_vec().expect("copy");
    let mut known = 0;
    for (at, (native, device)) in native.chunks(10).zip(device.chunks(10)).enumerate() {
        let x = Real::from(values[at]);
        let expected = [
            x.tan(),
            x.exp_m1(),
            x.ln_1p(),
            x.log10(),
            x.sinh(),
            x.cosh(),
            x.powi(3),
            x.powi(-7),
            Real::from(1.001).powi(values[at] as i32),
            erfc::shadow(x),
        ];
        for (word, real) in expected.into_iter().enumerate() {
            for found in [native[word], device[word]] {
                let (found, value, error) = (f64::from(found), real.value(), real.error());
                let allowed = error.is_infinite()
                    || (value.is_nan() && found.is_nan())
                    || value == found
                    || (found - value).abs() <= error;
                assert!(
                    allowed,
                    "word {word} of {:e}: {found:e} against {real:?}",
                    values[at]
                );
            }
            known += usize::from(real.error() <= 1e-3 * real.value().abs());
        }
    }
    assert!(2 * known > 10 * n, "the bounds say something");
}

#[test]
fn conversions_are_exact() {
    let values = interesting();
    let n = values.len();
    let mut native = vec![f16::ZERO; n];
    convert(&values, &mut native, n as i64);
    for offset in [0, 1] {
        let (a, b) = (upload(&values, offset), upload(&vec![f16::ZERO; n], offset));
        let range = offset..offset + n;
        let b = b.slice(range.clone()).expect("in range");
        convert::launch(queue(), a.slice(range).expect("in range"), b, n as i64).expect("launch");
        same(&native, &b.to_vec().expect("copy"));
    }
    let every: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
    let mut native = vec![f16::ZERO; every.len()];
    convert(&every, &mut native, every.len() as i64);
    let out = queue().alloc(every.len()).expect("allocate");
    convert::launch(queue(), upload(&every, 0).view(), out.view(), every.len() as i64).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn loads_see_what_was_stored() {
    let values: Vec<bf16> = interesting().into_iter().map(bf16::from_f32).collect();
    let mut native = values.clone();
    rounded_twice(&mut native, values.len() as i64);
    for offset in [0, 1] {
        let a = upload(&values, offset);
        let a = a.slice(offset..offset + values.len()).expect("in range");
        rounded_twice::launch(queue(), a, values.len() as i64).expect("launch");
        same(&native, &a.to_vec().expect("copy"));
    }
}

/// A sum, a product and a maximum of `k` neighbours, one after the other.
#[sycl_kernel(shapes(x = [n, k], out = [3 * n]))]
fn one_after_the_other(x: &[f32], out: &mut [f32], n: i64, k: i64) {
    for i in elements(n) {
        let (mut sum, mut product, mut most) = (0.0, 1.0, f32::NEG_INFINITY);
        for s in 0..k {
            let v = x.load(i * k + s);
            sum += v;
            product *= v + 1.5;
            most = if v > most { v } else { most };
        }
        out.store(3 * i, sum);
        out.store(3 * i + 1, product);
        out.store(3 * i + 2, most);
    }
}

/// The run time of CPUs combines sums that it sees in parts, where few work-items are left.
#[test]
fn what_a_loop_carries_is_combined_in_its_order() {
    for (n, k) in [(1, 16), (3, 8), (3, 100), (3, 1000), (8, 33), (40, 100)] {
        let x: Vec<f32> = (0..n * k)
            .map(|i| (i as f32 * 0.754_877_7).fract() - 0.5)
            .collect();
        for offset in [0, 1] {
            let (dx, dout) = (upload(&x, offset), upload(&vec![0f32; 3 * n], offset));
            let mut native = vec![0.0; 3 * n];
            one_after_the_other(&x, &mut native, n as i64, k as i64);
            let (dx, view) = (dx.slice(offset..).unwrap(), dout.slice(offset..).unwrap());
            one_after_the_other::launch(queue(), dx, view, n as i64, k as i64).unwrap();
            same(&native, &dout.to_vec().unwrap()[offset..]);
        }
    }
}

/// a % b
#[sycl_kernel(shapes(a = [n], b = [n], out = [n]))]
fn remainders(a: &[f32], b: &[f32], out: &mut [f32], n: i64) {
    for i in elements(n) {
        out.store(i, a.load(i) % b.load(i));
    }
}

/// Numbers of every magnitude, subnormal ones, their neighbours, infinities and NaN, each with each.
#[test]
fn remainders_lose_nothing() {
    let near = [
        0u32,
        1,
        2,
        3,
        0x0028_be94,
        0x0060_0000,
        0x007f_ffff,
        0x0080_0000,
        0x00a2_069f,
        0x00ff_ffff,
        0x0100_0001,
    ];
    let large = (0..64).map(|i| 0x0123_4567 + i * 0x01fe_dcba);
    let special = [0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000];
    let bits: Vec<u32> = near.into_iter().chain(large).chain(special).collect();
    let values: Vec<f32> = bits
        .iter()
        .flat_map(|b| [f32::from_bits(*b), -f32::from_bits(*b)])
        .collect();
    let (a, b): (Vec<f32>, Vec<f32>) = values
        .iter()
        .flat_map(|a| values.iter().map(move |b| (*a, *b)))
        .unzip();
    let mut native = vec![0.0; a.len()];
    remainders(&a, &b, &mut native, a.len() as i64);
    let (da, db, out) = (upload(&a, 0), upload(&b, 0), upload(&native, 0));
    remainders::launch(queue(), da.view(), db.view(), out.view(), a.len() as i64).unwrap();
    same(&native, &out.to_vec().unwrap());
}

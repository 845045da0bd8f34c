//! Kernels as plain Rust: the function, and the twins that the attribute writes beside it.

use oxysycl::native::{Real, Shadow, shuffle};
use oxysycl::ops::rmsnorm::rmsnorm;
use oxysycl::ops::scale::scale;
use oxysycl::prelude::*;

const THRESHOLD: f32 = 0.25;

/// x · sigmoid(x), and 0 near 0.
#[sycl_fn]
fn gated(x: f32) -> f32 {
    if x.abs() < THRESHOLD {
        0.0
    } else {
        x / (1.0 + (-x).exp())
    }
}

/// Per row: the largest value, and every value's share of the sum of gated ones, halved where HALVE.
#[sycl_kernel(
    symbol = "shares_{T}_{HALVE}",
    types(T = [f32, f16]),
    shapes(x = [rows, width], largest = [rows], y = [rows, width]),
)]
pub fn shares<T: Float, const HALVE: bool>(x: &[T], largest: &mut [f32], y: &mut [T], rows: i64, width: i64) {
    for row in groups(rows) {
        let from = x.row(row * width);
        let mut to = y.row_mut(row * width);
        let mut most = f32::NEG_INFINITY;
        let mut total = 0.0;
        for i in lanes(width) {
            most = most.max(from.load(i));
            total += gated(from.load(i));
        }
        let total = group_sum(total);
        largest.store(row, group_max(most));
        let part = if HALVE { 0.5 } else { 1.0 };
        for i in lanes(width) {
            to.store(i, gated(from.load(i)) / total * part);
        }
    }
}

/// Numbers between -1 and 1 that repeat nowhere soon.
fn numbers(count: usize) -> Vec<f32> {
    (0..count)
        .map(|i| (i as f32 * 0.7548777 + 0.1).fract() * 2.0 - 1.0)
        .collect()
}

fn halves(count: usize) -> Vec<f16> {
    numbers(count).into_iter().map(f16::from_f32).collect()
}

/// Whether `found` is what the shadow allows, which is not much.
fn allows(shadow: Shadow<f32>, found: f32) -> bool {
    let stored: Real = shadow.stored();
    assert!(
        stored.error() <= 1e-5 * stored.value().abs() + 1e-7,
        "{stored:?} allows too much"
    );
    (f64::from(found) - stored.value()).abs() <= stored.error()
}

#[test]
fn rmsnorm_is_its_formula() {
    let (x, w) = (halves(8), halves(4));
    let mut y = [f16::ZERO; 8];
    rmsnorm::<f16, 4>(&x, &w, &mut y, 2, 4, 4, 1e-6);
    for row in 0..2 {
        let x: Vec<f64> = x[row * 4..][..4].iter().map(|x| x.to_f64()).collect();
        let mean = x.iter().map(|x| x * x).sum::<f64>() / 4.0;
        for i in 0..4 {
            let expected = x[i] / (mean + 1e-6).sqrt() * w[i].to_f64();
            assert!(
                (y[row * 4 + i].to_f64() - expected).abs() < 1e-3,
                "row {row}, column {i}"
            );
        }
    }
}

#[test]
fn every_size_can_be_run() {
    let (x, w) = (halves(14), halves(7));
    let [mut a, mut b] = [[f16::ZERO; 14]; 2];
    rmsnorm::<f16, 7>(&x, &w, &mut a, 2, 7, 7, 1e-6);
    rmsnorm::sized(7, &x, &w, &mut b, 2, 7, 7, 1e-6);
    assert_eq!(a, b);
}

#[test]
fn strided_rows_leave_gaps_alone() {
    let (x, w) = (halves(20), halves(3));
    let mut y = [f16::MAX; 17];
    rmsnorm::<f16, 3>(&x, &w, &mut y, 3, 8, 7, 1e-6);
    let gaps = (0..17).filter(|i| i % 7 >= 3);
    assert!(gaps.into_iter().all(|i| y[i] == f16::MAX));
}

#[test]
#[should_panic(expected = "element 3 of the row at offset 4 is outside the buffer of 7 elements")]
fn short_buffers_are_noticed_at_the_access() {
    let mut y = [0f32; 8];
    rmsnorm::<f32, 4>(&numbers(7), &numbers(4), &mut y, 2, 4, 4, 1e-6);
}

#[test]
fn the_shadow_of_an_exact_kernel_rounds_to_its_result() {
    let x = halves(100);
    let mut y = vec![f16::ZERO; 100];
    scale(&x, &mut y, 0.3, 100);
    let shadow: Vec<Shadow<f16>> = x.iter().copied().map(Shadow::from).collect();
    let mut stored = vec![Shadow::from(f16::ZERO); 100];
    scale::shadow::<f16>(&shadow, &mut stored, 0.3, 100);
    for (stored, y) in stored.iter().zip(y) {
        assert_eq!(f16::from_f64(stored.stored().value()), y);
    }
}

#[test]
fn twins_of_a_kernel_with_reductions_agree() {
    let (rows, width) = (3, 130);
    let x = numbers(rows * width);
    let (r, w) = (rows as i64, width as i64);
    let shadow_x: Vec<Shadow<f32>> = x.iter().copied().map(Shadow::from).collect();
    for halve in [false, true] {
        let mut shadow_most = vec![Shadow::from(0.0); rows];
        let mut shadow_y = vec![Shadow::from(0.0); rows * width];
        shares::shadow::<f32>(halve, &shadow_x, &mut shadow_most, &mut shadow_y, r, w);
        for seed in 0..20 {
            let (mut most, mut y) = (vec![0.0; rows], vec![0.0; rows * width]);
            shuffle(seed, || {
                shares::shuffled::<f32>(halve, &x, &mut most, &mut y, r, w)
            });
            assert!(
                y.iter().zip(&shadow_y).all(|(y, shadow)| allows(*shadow, *y)),
                "seed {seed}"
            );
            let exact = x
                .chunks(width)
                .map(|row| row.iter().copied().fold(f32::MIN, f32::max));
            assert!(exact.eq(most.iter().copied()), "a maximum is exact in any order");
        }
    }
}

#[test]
fn a_wrong_sum_is_beyond_the_bound() {
    let x = numbers(130);
    let shadow_x: Vec<Shadow<f32>> = x.iter().copied().map(Shadow::from).collect();
    let mut most = vec![Shadow::from(0.0); 1];
    let mut stored = vec![Shadow::from(0.0); 130];
    shares::shadow::<f32>(false, &shadow_x, &mut most, &mut stored, 1, 130);
    // As if one work-item's part of the sum had been lost.
    let mut short = x.clone();
    short[128] = 0.0;
    let mut y = vec![0.0; 130];
    shares::<f32, false>(&short, &mut [0.0], &mut y, 1, 130);
    assert!(!allows(stored[0], y[0]));
}

#[test]
fn kernels_are_registered_with_all_their_types() {
    let names: Vec<String> = oxysycl::kernels()
        .expect("every kernel lowers")
        .into_iter()
        .map(|kernel| kernel.ir().expect("it was lowered").name.clone())
        .collect();
    for name in ["rmsnorm", "scale", "shares"] {
        assert_eq!(
            names.iter().filter(|other| *other == name).count(),
            1,
            "{names:?}"
        );
    }
    assert_eq!(shares::kernel().variants().len(), 2);
}

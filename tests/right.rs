//! Kernels that are right, and that a check must not fail: what the order of zeros, terms and bounds leaves open.
#![allow(clippy::too_many_arguments, reason = "a kernel takes what it takes")]

use oxysycl::check::{Checked, Plan};
use oxysycl::prelude::*;
use oxysycl::{Kernel, Queue, Selector};

/// y = max(x, 0)
#[sycl_kernel(types(T = [f32, bf16]), shapes(x = [n], y = [n]), alias(y = x))]
fn relu<T: Float>(x: &[T], y: &mut [T], n: i64) {
    for i in elements(n) {
        y.store(i, x.load(i).max(0.0));
    }
}

/// y = 1 / max(x, 0)
#[sycl_kernel(types(T = [f32]), shapes(x = [n], y = [n]))]
fn reciprocal_of_relu<T: Float>(x: &[T], y: &mut [T], n: i64) {
    for i in elements(n) {
        y.store(i, x.load(i).max(0.0).recip());
    }
}

/// y = exp(x − max) / Σ exp(x − max), row by row.
#[sycl_kernel(types(T = [f32, f16]), shapes(x = [rows, width], y = [rows, width]), alias(y = x))]
fn softmax<T: Float>(x: &[T], y: &mut [T], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = x.row(row * width);
        let mut y = y.row_mut(row * width);
        let mut most = f32::NEG_INFINITY;
        for i in lanes(width) {
            most = most.max(x.load(i));
        }
        let most = group_max(most);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += (x.load(i) - most).exp();
        }
        let sum = group_sum(sum);
        for i in lanes(width) {
            y.store(i, (x.load(i) - most).exp() / sum);
        }
    }
}

/// The k-th largest of distinct numbers of a row: k times the largest of those below the last one.
#[sycl_kernel(shapes(x = [rows, width], threshold = [rows]), specialize(k in [1, 3, 8]))]
fn top_k_threshold(x: &[f32], threshold: &mut [f32], rows: i64, width: i64, k: i64) {
    for row in groups(rows) {
        let x = x.row(row * width);
        let mut last = f32::INFINITY;
        for _ in 0..k {
            let mut most = f32::NEG_INFINITY;
            for i in lanes(width) {
                if x.load(i) < last {
                    most = most.max(x.load(i));
                }
            }
            last = group_max(most);
        }
        threshold.store(row, last);
    }
}

/// Gradients of weight and bias of a layer normalisation: sums over columns.
#[sycl_kernel(types(T = [f32, f16]), shapes(x = [rows, width], dy = [rows, width], mean = [rows], rstd = [rows], dw = [width], db = [width]))]
fn layernorm_backward<T: Float>(
    x: &[T],
    dy: &[T],
    mean: &[f32],
    rstd: &[f32],
    dw: &mut [f32],
    db: &mut [f32],
    rows: i64,
    width: i64,
) {
    for i in elements(width) {
        let (mut w, mut b) = (0.0, 0.0);
        for row in 0..rows {
            let g = dy.load(row * width + i);
            w += g * (x.load(row * width + i) - mean.load(row)) * rstd.load(row);
            b += g;
        }
        dw.store(i, w);
        db.store(i, b);
    }
}

/// A quantised norm: beside a rounding edge the code is open.
#[sycl_kernel(types(T = [f32, f16]), shapes(x = [rows, width], codes = [rows, width], y = [rows, width]))]
fn quantised_norm<T: Float>(x: &[T], codes: &mut [i8], y: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = x.row(row * width);
        let mut q = codes.row_mut(row * width);
        let mut y = y.row_mut(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i) * x.load(i);
        }
        let scale = rsqrt(group_sum(sum) / width as f32 + 1e-6);
        for i in lanes(width) {
            let code = (x.load(i) * scale * 100.0).round_ties_even() as i64;
            q.store(i, code);
            y.store(i, code as f32 * 0.01);
        }
    }
}

/// A jump at a value that is only known within bounds.
#[sycl_kernel(shapes(x = [n], y = [n]))]
fn jumping(x: &[f32], y: &mut [f32], n: i64) {
    for i in elements(n) {
        let p = (x.load(i) * 0.0).exp() / 3.0;
        y.store(
            i,
            if p * 3.0 > 1.0 {
                1.0
            } else if p * 3.0 == 1.0 {
                0.0
            } else {
                -1.0
            },
        );
    }
}

/// What a launcher asks of floats, and of how they go with integers.
#[sycl_kernel(shapes(x = [n], y = [n]))]
fn asserting(x: &[f32], y: &mut [f32], n: i64, low: f32, high: f32, ratio: f32, part: i32, rest: i32) {
    assert!(low > 10.0 && low < 11.0);
    assert!(high > low + 100.0);
    assert!(ratio == n as f32 / 2.0 && part >= 5);
    assert!(rest == 2 * part - 1);
    for i in elements(n) {
        let v = x.load(i);
        y.store(i, if v > low { high } else { v * ratio } + (part + rest) as f32);
    }
}

/// No argument meets this.
#[sycl_kernel(shapes(x = [n], y = [n]))]
fn unmet(x: &[f32], y: &mut [f32], n: i64, low: f32) {
    assert!(low.exp() > 7.0 && low.exp() < 7.001);
    for i in elements(n) {
        y.store(i, x.load(i) * low);
    }
}

fn kernels() -> [&'static Kernel; 8] {
    [
        relu::kernel(),
        reciprocal_of_relu::kernel(),
        softmax::kernel(),
        top_k_threshold::kernel(),
        layernorm_backward::kernel(),
        quantised_norm::kernel(),
        jumping::kernel(),
        asserting::kernel(),
    ]
}

fn passes(checked: &Checked) {
    assert!(
        checked.passed && checked.cases > 0 && checked.elements > 0,
        "{checked:#?}"
    );
}

#[test]
fn right_kernels_pass() {
    let queue = Queue::new(&Selector::Auto).expect("there is a device");
    for kernel in kernels() {
        for mut plan in Plan::all(kernel).expect("the kernel lowers") {
            plan.retain_small(1 << 14).expect("the kernel lowers");
            let every = plan.len() / 16 + 1;
            plan.retain(|number| number % every == 0);
            let checked = plan.run(&queue, &|| ()).expect("the kernel lowers");
            passes(&checked);
        }
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let queue = Queue::new(&Selector::Auto).expect("there is a device");
    let plan = Plan::all(unmet::kernel()).expect("the kernel lowers").remove(0);
    let checked = plan.run(&queue, &|| ()).expect("the kernel lowers");
    assert!(checked.passed && checked.cases == 0);
    assert_eq!(
        checked.unmet.as_deref(),
        Some("low.exp() > 7.0 && low.exp() < 7.001")
    );
}

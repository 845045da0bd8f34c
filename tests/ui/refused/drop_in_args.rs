use oxysycl::prelude::*;

#[sycl_kernel(
    shapes(x = [n]),
    drop_in(symbol = "other", args(x, m), n = 1, factor = 2.0),
)]
fn unknown(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

#[sycl_kernel(
    shapes(x = [n]),
    drop_in(symbol = "other", args(x, n, n), factor = 2.0),
)]
fn twice(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

#[sycl_kernel(
    shapes(x = [n]),
    drop_in(symbol = "other", args(x, m: usize), n = 4, factor = 2.0),
)]
fn no_number(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

#[sycl_kernel(
    shapes(x = [N]),
    drop_in(symbol = "other_{N}", args(x, N: i64), factor = 2.0),
)]
fn a_const_parameter<const N: i64>(x: &mut [f32], factor: f32) {
    for i in elements(N) {
        x.store(i, factor);
    }
}

#[sycl_kernel(
    shapes(x = [n]),
    drop_in(symbol = "other", args(m: i32), n = m as i64),
)]
fn missing(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

fn main() {}

use oxysycl::prelude::*;

fn half(x: f32) -> f32 {
    0.5 * x
}

#[sycl_fn]
fn quarter(x: f32) -> f32 {
    half(half(x))
}

#[sycl_kernel(shapes(x = [n]))]
fn kernel(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, half(x.load(i)) + quarter(x.load(i)));
    }
}

fn main() {}

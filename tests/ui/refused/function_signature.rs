use oxysycl::prelude::*;

#[sycl_fn]
fn generic<T: Float>(x: f32) -> f32 {
    x
}

#[sycl_fn]
fn first(x: &[f32]) -> f32 {
    x.load(0)
}

#[sycl_fn]
fn both(x: f32) -> (f32, f32) {
    (x, x)
}

#[sycl_fn]
fn nothing(x: f32) {
    x;
}

#[sycl_fn(inline)]
fn plain(x: f32) -> f32 {
    x
}

fn main() {}

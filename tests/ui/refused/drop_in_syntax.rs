use oxysycl::prelude::*;

#[sycl_kernel(shapes(x = [n]), drop_in(args(x, n), factor = 2.0))]
fn without_symbol(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

#[sycl_kernel(shapes(x = [n]), drop_in(symbol = "other", factor = 2.0))]
fn without_args(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

#[sycl_kernel(shapes(x = [n]), drop_in(symbol = "other", args(x, n), args(factor)))]
fn args_twice(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

#[sycl_kernel(
    shapes(x = [n]),
    drop_in(symbol = "a", args(x, n, factor)),
    drop_in(symbol = "b", args(x, n, factor)),
)]
fn two(x: &mut [f32], n: i64, factor: f32) {
    for i in elements(n) {
        x.store(i, factor);
    }
}

fn main() {}

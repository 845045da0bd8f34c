use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]))]
fn inside(output: &mut [f32], n: i64) {
    for i in elements(n) {
        assert!(i < n);
        output.store(i, 1.0);
    }
}

#[sycl_kernel(shapes(output = [n]))]
fn formatted(output: &mut [f32], n: i64) {
    assert!(n > 0, "n is {}", n);
    for i in elements(n) {
        output.store(i, 1.0);
    }
}

#[sycl_fn]
fn of_a_function(x: f32) -> f32 {
    assert!(x > 0.0);
    x
}

fn main() {}

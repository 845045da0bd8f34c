use oxysycl::prelude::*;

#[sycl_fn]
fn power(x: f32, n: i64) -> f32 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[sycl_kernel(shapes(output = [n]))]
fn kernel(output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, power(2.0, i));
        kernel(output, n);
    }
}

fn main() {}

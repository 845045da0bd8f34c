use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]))]
async fn later(output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, 0.0);
    }
}

#[sycl_kernel(shapes(output = [n]))]
unsafe extern "C" fn foreign(output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, 0.0);
    }
}

#[sycl_fn]
const fn constant(x: f32) -> f32 {
    x
}

fn main() {}

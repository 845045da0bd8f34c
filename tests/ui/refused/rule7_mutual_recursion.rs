use oxysycl::prelude::*;

#[sycl_fn]
fn even(n: i32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[sycl_fn]
fn odd(n: i32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

#[sycl_kernel(shapes(output = [n]))]
fn kernel(output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, if even(i as i32) { 1.0 } else { 0.0 });
    }
}

fn main() {}

#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_kernel(shapes(a = [n], b = [n], output = [n]))]
fn kernel(a: &[u8], b: &[f64], output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, 0.0);
    }
}

fn main() {}

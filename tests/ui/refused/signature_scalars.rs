#![allow(unused)]

use oxysycl::prelude::*;

type Size = i64;

#[sycl_kernel(shapes(output = [n]))]
fn kernel(output: &mut [f32], n: i64, m: Size, name: &str, at: &i64, f: fn(f32) -> f32) {
    for i in elements(n) {
        output.store(i, 0.0);
    }
}

fn main() {}

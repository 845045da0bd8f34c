#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_kernel(
    shapes(input = [n], output = [n], other = [n], small = [n]),
    alias(input = output, output = other, other = small),
)]
fn kernel(input: &[f32], output: &mut [f32], other: &mut [f32], small: &[f16], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    let mut total = 0.0;
    for i in lanes(width) {
        total += 1.0;
    }
    let sum = group_sum(total);
    for row in groups(rows) {
        for i in lanes(width) {
            output.store(row * width + i, input.load(row * width + i) + sum);
        }
    }
}

fn main() {}

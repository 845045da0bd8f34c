#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn counts(input: &[f32], output: &mut [i64], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut count = 0i8;
        for i in lanes(width) {
            if x.load(i) > 0.0 {
                count += 1;
            }
        }
        output.store(row, 0);
    }
}

fn main() {}

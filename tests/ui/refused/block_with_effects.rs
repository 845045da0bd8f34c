#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            let mut count = 0.0;
            let v = x.load(i) + {
                count += 1.0;
                y.store(i, 0.0);
                x.load(i) + 1.0
            };
            y.store(i, v + count);
        }
    }
}

fn main() {}

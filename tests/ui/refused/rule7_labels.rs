#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        'row: for i in lanes(width) {
            'steps: for _ in 0..3 {
                y.store(i, x.load(i));
            }
        }
        let first = 'value: {
            x.load(0)
        };
        y.store(0, first);
    }
}

fn main() {}

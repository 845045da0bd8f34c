#![allow(unused)]

use oxysycl::prelude::*;

/// Each of these is told at its own token, in one run.
#[sycl_kernel(symbol = "several", shapes(input = [rows, width], output = [rows, width]), work_group = 0)]
pub fn several(input: &[f32], output: &mut [f32], rows: i64, width: i64, name: String) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let mut sum = 1.0;
        for i in lanes(width) {
            sum += x.load(i).cbrt();
            y.store(0, x.load(i));
        }
        let mean = sum / input.len() as f32;
        for i in lanes(width) {
            y.store(i, y.load(i + 1) - mean);
            let text = "done";
        }
    }
    println!("{name}");
}

fn main() {}

//! The program of the guide's first chapter.
#![forbid(unsafe_code)]

use oxysycl::prelude::*;

/// y = x / Σ|x|, row by row.
#[sycl_kernel(
    symbol = "l1norm_{T}",
    types(T = [f32, f16]),
    shapes(input = [rows, width], output = [rows, width]),
)]
pub fn l1norm<T: Float>(input: &[T], output: &mut [T], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i).abs();
        }
        let norm = group_sum(sum);
        for i in lanes(width) {
            y.store(i, x.load(i) / norm);
        }
    }
}

fn main() {
    oxysycl::cli::main()
}

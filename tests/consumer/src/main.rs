//! A program with a kernel of its own. Its command is oxysycl's: `consumer check swiglu`.
#![forbid(unsafe_code)]

use oxysycl::prelude::*;

/// x · sigmoid(x)
#[sycl_fn]
fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// out = silu(gate) · up, row by row; gate and up are the halves of one row.
#[sycl_kernel(
    symbol = "swiglu_{T}",
    types(T = [f32, f16]),
    shapes(input = [rows @ input_stride, 2 * width], output = [rows, width]),
    drop_in(symbol = "silu_and_mul_{T}", args(output, input, width, tokens: i32), rows = tokens as i64, input_stride = 2 * width),
)]
pub fn swiglu<T: Float>(input: &[T], output: &mut [T], rows: i64, width: i64, input_stride: i64) {
    for row in groups(rows) {
        let gate = input.row(row * input_stride);
        let up = input.row(row * input_stride + width);
        let mut out = output.row_mut(row * width);
        for i in lanes(width) {
            out.store(i, silu(gate.load(i)) * up.load(i));
        }
    }
}

fn main() {
    oxysycl::cli::main()
}

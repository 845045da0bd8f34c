use oxysycl::prelude::*;

/// Each row has a length of its own.
#[sycl_kernel(shapes(input = [rows, width], lengths = [rows], output = [rows]))]
fn ragged_sums(input: &[f32], lengths: &[i32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let length = lengths.load(row);
        let mut sum = 0.0;
        for i in lanes(length) {
            sum += input.load(row * width + i);
        }
        output.store(row, group_sum(sum));
    }
}

fn main() {}

use oxysycl::prelude::*;

/// Whether a row's sum is positive is known only once its parts are combined.
#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn keep_positive(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i);
        }
        if sum > 0.0 {
            for i in lanes(width) {
                y.store(i, x.load(i));
            }
        }
    }
}

fn main() {}

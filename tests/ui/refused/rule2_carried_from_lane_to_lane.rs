use oxysycl::prelude::*;

/// A running value: each lane needs the one before it.
#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn smooth(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let mut previous = 0.0;
        for i in lanes(width) {
            previous = 0.5 * previous + x.load(i);
            y.store(i, previous);
        }
    }
}

fn main() {}

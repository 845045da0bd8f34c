use oxysycl::prelude::*;

/// Right with two buffers, wrong in place.
#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]), alias(output = input))]
fn reverse(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            y.store(i, x.load(width - 1 - i));
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

/// With one buffer the second loop would read what the first one stored.
#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]), alias(output = input))]
fn residual(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            y.store(i, x.load(i) * 2.0);
        }
        for i in lanes(width) {
            y.store(i, y.load(i) + x.load(i));
        }
    }
}

fn main() {}

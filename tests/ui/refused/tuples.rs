use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            let pair = (x.load(i), 1.0);
            let (_a, _b) = split(x.load(i));
            y.store(i, pair.0);
        }
    }
}

fn split(x: f32) -> (f32, f32) {
    (x, x)
}

fn main() {}

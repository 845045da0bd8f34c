use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for s in (0..4).skip(1) {
            y.store(s, x.load(s));
        }
        for s in [1, 2, 3] {
            y.store(s, x.load(s));
        }
        for s in 0.. {
            y.store(s, x.load(s));
        }
    }
}

fn main() {}

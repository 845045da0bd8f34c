use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let z = if row > 3 { input.row(0) } else { input.row(width) };
        for i in lanes(width) {
            y.store(i, x.load(i) + z.load(i));
        }
    }
}

fn main() {}

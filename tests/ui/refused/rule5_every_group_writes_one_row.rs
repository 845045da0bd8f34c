use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [width]))]
fn column_sums(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        for i in lanes(width) {
            output.store(i, output.load(i) + x.load(i));
        }
    }
}

fn main() {}

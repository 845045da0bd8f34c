use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn products(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut product = 1.0;
        for i in lanes(width) {
            product *= input.load(row * width + i);
        }
        output.store(row, product);
    }
}

fn main() {}

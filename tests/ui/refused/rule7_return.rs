use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64, skip: bool) {
    for row in groups(rows) {
        if skip {
            return;
        }
        for i in lanes(width) {
            output.store(row * width + i, input.load(row * width + i));
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        for mut i in lanes(width) {
            i += 0;
            output.store(row * width + i, input.load(row * width + i));
        }
        for ref i in lanes(width) {
            let _same = i;
        }
    }
}

fn main() {}

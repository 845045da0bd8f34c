use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(input.len() as i64) {
            y.store(i, x.load(i));
        }
        let _empty = input.is_empty();
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn row_sums(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i);
        }
        output.store(row, sum);
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn maxima(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut largest = f32::NEG_INFINITY;
        for i in lanes(width) {
            largest = largest.max(x.load(i));
        }
        output.store(row, group_sum(largest));
    }
}

fn main() {}

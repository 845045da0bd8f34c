use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn means(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i);
        }
        sum = group_sum(sum) / width as f32;
        output.store(row, group_sum(sum));
    }
}

fn main() {}

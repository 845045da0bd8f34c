use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let (mut sum, mut less, mut squares, mut most) = (0.0, 0.0, 0.0f32, f32::NEG_INFINITY);
        for i in lanes(width) {
            sum = sum + x.load(i);
            less = less - x.load(i);
            squares = x.load(i).mul_add(x.load(i), squares);
            most = x.load(i).max(most);
        }
        output.store(row, group_sum(sum) + group_sum(less) + group_sum(squares) + group_max(most));
    }
}

fn main() {}

use oxysycl::prelude::*;

/// The bias would be added by every work-item.
#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn biased_sums(input: &[f32], output: &mut [f32], bias: f32, rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut sum = bias;
        for i in lanes(width) {
            sum += x.load(i);
        }
        output.store(row, group_sum(sum));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn firsts(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let first = input.load(row * width);
        output.store(row, group_sum(first));
        output.store(row, group_max(first + 1.0));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn confused(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut best = 0.0;
        for i in lanes(width) {
            best += x.load(i);
            best = best.max(x.load(i));
        }
        output.store(row, group_sum(best));
    }
}

fn main() {}

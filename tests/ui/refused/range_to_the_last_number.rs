use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            let mut sum = 0.0;
            for k in 0..=255u8 {
                sum += k as f32;
            }
            y.store(i, x.load(i) + sum);
        }
    }
}

fn main() {}

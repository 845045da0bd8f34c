use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            #[cfg(debug_assertions)]
            y.store(i, 0.0);
            #[cfg(not(debug_assertions))]
            let v = x.load(i);
            #[allow(unused)]
            let w = x.load(i);
            y.store(i, 1.0);
        }
    }
}

fn main() {}

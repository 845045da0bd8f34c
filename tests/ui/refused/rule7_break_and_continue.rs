use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            if x.load(i) < 0.0 {
                break;
            }
            let v = if x.load(i) == 0.0 { continue } else { x.load(i) };
            y.store(i, v);
        }
    }
}

fn main() {}

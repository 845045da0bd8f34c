use oxysycl::prelude::*;

/// The row above may be done or not.
#[sycl_kernel(shapes(data = [rows, width]))]
fn accumulate(data: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut x = data.row_mut(row * width);
        for i in lanes(width) {
            x.store(i, x.load(i) + x.load(i - width));
        }
    }
}

fn main() {}

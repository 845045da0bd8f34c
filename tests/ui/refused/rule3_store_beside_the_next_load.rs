use oxysycl::prelude::*;

/// In place, lane `i` would read what lane `i + 1` may have stored already.
#[sycl_kernel(shapes(data = [rows, width]))]
fn differences(data: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut x = data.row_mut(row * width);
        for i in lanes(width - 1) {
            x.store(i, x.load(i + 1) - x.load(i));
        }
    }
}

fn main() {}

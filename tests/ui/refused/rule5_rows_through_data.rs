use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], slots = [rows], cache = [rows, width]))]
fn scatter_rows(input: &[f32], slots: &[i32], cache: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = cache.row_mut(slots.load(row) * width);
        for i in lanes(width) {
            y.store(i, x.load(i));
        }
    }
}

fn main() {}

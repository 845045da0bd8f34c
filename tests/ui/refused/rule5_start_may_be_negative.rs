use oxysycl::prelude::*;

#[sycl_kernel(shapes(data = [rows, heads, width]))]
fn clear(data: &mut [f32], rows: i64, heads: i64, width: i64, first: i64) {
    for row in groups(rows) {
        for head in first..heads {
            for i in lanes(width) {
                data.store((row * heads + head) * width + i, 0.0);
            }
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

/// Every lane has a round in which `i == s`.
#[sycl_kernel(shapes(output = [rows]))]
fn mark(output: &mut [f32], rows: i64) {
    for row in groups(rows) {
        for i in lanes(4) {
            for s in 0..4 {
                if i == s {
                    output.store(row, s as f32);
                }
            }
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

/// Groups run in any order, so none can count the rows.
#[sycl_kernel(shapes(output = [rows]))]
fn numbered(output: &mut [f32], rows: i64) {
    let mut seen = 0;
    for row in groups(rows) {
        seen += 1;
        output.store(row, seen as f32);
    }
}

fn main() {}

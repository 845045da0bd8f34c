use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn statements(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut y = output.row_mut(row * width);
        let z = if row > 3 {
            let first = 0;
            input.row(first)
        } else {
            input.row(width)
        };
        for i in lanes(width) {
            y.store(i, z.load(i));
        }
    }
}

#[sycl_kernel(shapes(q = [rows, width], k = [others, width]))]
fn others_begin_at_0(q: &mut [f32], k: &mut [f32], rows: i64, others: i64, width: i64) {
    for row in groups(rows + others) {
        let mut x = if row < rows {
            q.row_mut(row * width)
        } else {
            k.row_mut(row * width)
        };
        for i in lanes(width) {
            x.store(i, 1.0);
        }
    }
}

fn main() {}

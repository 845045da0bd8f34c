use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64) {
    let first = input.load(0);
    let row = input.row(1);
    output.store(0, first);
    for i in elements(n) {
        output.store(i, row.load(i) - first);
    }
}

fn main() {}

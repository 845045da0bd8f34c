use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
    for i in elements(n) {
        output.store(i, output.load(i) + 1.0);
    }
}

fn main() {}

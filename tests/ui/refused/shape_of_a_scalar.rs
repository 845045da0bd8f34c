use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n], n = [1]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

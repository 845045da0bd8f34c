use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], mut n: i64) {
    n += 1;
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

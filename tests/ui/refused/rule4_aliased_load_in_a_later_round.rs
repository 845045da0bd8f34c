use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n, 4], output = [n, 4]), alias(output = input))]
fn spread(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        for s in 0..4 {
            output.store(4 * i + s, input.load(4 * i));
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n, 4], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        let mut sum = 0.0;
        for s in lanes(4) {
            sum += input.load(4 * i + s);
        }
        output.store(i, sum);
    }
}

fn main() {}

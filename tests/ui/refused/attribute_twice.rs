use oxysycl::prelude::*;

#[sycl_kernel(
    types(T = [f32], T = [f16]),
    shapes(input = [n], output = [n]),
    vector = 4, vector = 8,
)]
fn kernel<T: Float>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

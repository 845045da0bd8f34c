use oxysycl::prelude::*;

#[sycl_kernel(
    symbol = "copy", types(T = [f32, f16]), shapes(input = [n], output = [n])
)]
fn kernel<T: Float>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(
    types(T = [f32, f32, f64], I = [i64, f16], E = []),
    shapes(input = [n], output = [n]),
)]
fn kernel<T: Float, I: Index, E: Float>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(
    types(T = [f32], U = [f16]),
    instances(N = [1]),
    select(W = "COPY_W"),
    shapes(input = [n], out = [n]),
    alias(output = inputs),
)]
fn kernel<T: Float>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

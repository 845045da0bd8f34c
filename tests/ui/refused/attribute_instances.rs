use oxysycl::prelude::*;

#[sycl_kernel(
    instances(N = [1, 1, -1, WIDTH, 3_000_000_000], B = [true]),
    shapes(input = [n], output = [n]),
)]
fn kernel<const N: i32, const B: bool>(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(
    shapes(input = [n], bias = [n], output = [n]),
    optional(output, bias, bias, n, unknown),
)]
fn kernel(input: &[f32], bias: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        let shift = if bias.is_empty() { 0.0 } else { bias.load(i) };
        output.store(i, input.load(i) + shift);
    }
}

fn main() {}

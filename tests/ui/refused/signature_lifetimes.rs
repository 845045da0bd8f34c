use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel<'a>(input: &'a [f32], output: &'a mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]))]
fn kernel<const N: usize, const C: char>(output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, 0.0);
    }
}

fn main() {}

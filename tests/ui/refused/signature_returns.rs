use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]))]
fn kernel(output: &mut [f32], n: i64) -> f32 {
    for i in elements(n) {
        output.store(i, 0.0);
    }
    1.0
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]))]
fn kernel(output: &mut [f32], n: i64, limit: Option<f32>) -> Option<()> {
    for i in elements(n) {
        output.store(i, limit?);
    }
    Some(())
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]))]
fn kernel(output: &mut [f32], (n, m): (i64, i64)) {
    for i in elements(n + m) {
        output.store(i, 0.0);
    }
}

fn main() {}

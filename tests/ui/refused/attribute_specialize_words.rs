use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [n]), specialize(kind = [0, 1]))]
fn equals(output: &mut [f32], n: i64, kind: i64) {
    for i in elements(n) {
        output.store(i, kind as f32);
    }
}

#[sycl_kernel(shapes(output = [n]), specialize(kind in [0, 1], kind in [2]))]
fn twice(output: &mut [f32], n: i64, kind: i64) {
    for i in elements(n) {
        output.store(i, kind as f32);
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], slots = [n], output = [n]))]
fn scatter(input: &[f32], slots: &[i32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(slots.load(i), input.load(i));
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64, kind: i32) {
    for i in elements(n) {
        let v = match kind {
            0 => input.load(i),
            _ => -input.load(i),
        };
        output.store(i, v);
    }
}

fn main() {}

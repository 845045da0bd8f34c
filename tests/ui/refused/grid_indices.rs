use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n, m], output = [n, m]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64, m: i64) {
    for both in groups((n, m)) {
        let at = both.0 * m + both.1;
        output.store(at, input.load(at));
    }
}

fn main() {}

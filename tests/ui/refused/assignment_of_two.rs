use oxysycl::prelude::*;

#[sycl_kernel(shapes(x = [n]))]
fn fibonacci(x: &mut [f32], n: i64) {
    for i in elements(n) {
        let (mut a, mut b) = (1.0, x.load(i));
        (a, b) = (b, a + b);
        x.store(i, a + b);
    }
}

fn main() {}

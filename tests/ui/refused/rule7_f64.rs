use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64, eps: f64) {
    for i in elements(n) {
        let wide: f64 = 2.0;
        let third = 1.0f64 / 3.0f64;
        let half = 0.5;
        let pi = std::f64::consts::PI;
        let v = input.load(i) as f64 + eps;
        output.store(i, (v + wide + third + half + pi) as f32);
    }
}

fn main() {}

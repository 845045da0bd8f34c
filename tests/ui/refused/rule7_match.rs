use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64, kind: i64) {
    for i in elements(n) {
        let v = match kind {
            0 if i > 3 => input.load(i),
            low @ 4..=5 => low as f32,
            other => other as f32,
        };
        let u = match (i, kind) {
            (0, _) | (_, 0) => 1.0,
            _ => 0.0,
        };
        let w = match input.load(i) {
            0.5 => 1.0,
            _ => 0.0,
        };
        output.store(i, v + u + w);
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], bias = [n], output = [n]), optional(bias))]
fn kernel(input: &[f32], bias: &[f32], output: &mut [f32], n: i64, kind: i64) {
    for i in elements(n) {
        let always = bias.load(i);
        let wrong = if bias.is_empty() { bias.load(i) } else { 0.0 };
        let late = if kind == 0 || bias.load(i) > 0.0 { 1.0 } else { 2.0 };
        let length = bias.len() as f32;
        let _other = input.is_empty();
        if !bias.is_empty() {
            output.store(i, always + wrong + late + length);
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn kernel(input: &[f32], output: &mut [f32], n: i64, count: usize) {
    for i in elements(n) {
        let at: usize = 3;
        let wide = i as usize + 1usize + at + usize::MAX + count;
        output.store(i, input.load(wide as i64));
    }
}

fn main() {}

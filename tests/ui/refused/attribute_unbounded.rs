use oxysycl::prelude::*;

#[sycl_kernel(types(T = [f32]), shapes(input = [n], output = [n]))]
fn kernel<T: Element<Value = f32>>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        output.store(i, input.load(i));
    }
}

fn main() {}

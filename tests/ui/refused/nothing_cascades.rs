use oxysycl::prelude::*;

/// What names a refused function or kernel still finds it.
#[sycl_fn]
fn cube(x: f32) -> f32 {
    x.cbrt()
}

#[sycl_kernel(shapes(input = [n], output = [n]))]
fn cubes(input: &[f32], output: &mut [f32], n: i64) {
    for i in elements(n) {
        output.store(i, cube(input.load(i)));
    }
}

#[sycl_kernel(types(T = [f32, f16]), shapes(input = [N], output = [N]))]
fn broken<T: Float, const N: i64>(input: &[T], output: &mut [T]) {
    let _limit = input.len();
    for i in elements(N) {
        output.store(i, input.load(i));
    }
}

fn launch(queue: &oxysycl::Queue, input: oxysycl::View<'_, f16>, output: oxysycl::View<'_, f16>) {
    broken::launch::<f16, 64>(queue, input, output).unwrap();
    broken::sized::<f16>(64, &[], &mut []);
    println!("{:?}", broken::kernel());
}

fn main() {}

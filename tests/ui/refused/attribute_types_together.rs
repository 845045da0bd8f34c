use oxysycl::prelude::*;

#[sycl_kernel(
    types((T, W) = [(f32, f32), (f16, f64), (f32, f32)], I = [i32]),
    shapes(x = [n], w = [n], i = [n], y = [n])
)]
fn rows<T: Float, W: Float, I: Index>(x: &[T], w: &[W], i: &[I], y: &mut [T], n: i64) {
    for at in elements(n) {
        y.store(at, x.load(at) * w.load(at) + i.load(at) as f32);
    }
}

#[sycl_kernel(
    types((T, W) = [(f32, f32), (f16, f32)], I = [i32]),
    shapes(x = [n], w = [n], i = [n], y = [n])
)]
fn apart<T: Float, I: Index, W: Float>(x: &[T], w: &[W], i: &[I], y: &mut [T], n: i64) {
    for at in elements(n) {
        y.store(at, x.load(at) * w.load(at) + i.load(at) as f32);
    }
}

#[sycl_kernel(types((T, W) = [(f32), (f16, f32)]), shapes(x = [n], w = [n], y = [n]))]
fn short<T: Float, W: Float>(x: &[T], w: &[W], y: &mut [T], n: i64) {
    for at in elements(n) {
        y.store(at, x.load(at) * w.load(at));
    }
}

fn main() {}

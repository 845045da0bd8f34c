use oxysycl::prelude::*;

#[sycl_kernel(
    types(T = [f32, f16]),
    shapes(x = [n]),
    drop_in(symbol = "other", args(x, n)),
)]
fn without_placeholders<T: Float>(x: &mut [T], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(
    symbol = "ones_{N}_{M}",
    shapes(x = [N]),
    drop_in(symbol = "ones_{M}_{N}", args(x)),
)]
fn the_same_for_other_numbers<const N: i64, const M: i64>(x: &mut [f32]) {
    for i in elements(N) {
        x.store(i, M as f32);
    }
}

#[sycl_kernel(shapes(x = [n]), drop_in(symbol = "the_reason_last_error", args(x, n)))]
fn the_reason(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

fn main() {}

use oxysycl::prelude::*;

#[sycl_kernel(symbol = "plain_last_error", shapes(x = [n]))]
fn plain(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(symbol = "double", shapes(x = [n]))]
fn word(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(symbol = "malloc", shapes(x = [n]))]
fn allocate(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(symbol = "int{N}_t", shapes(x = [N]))]
fn of_a_type<const N: i64>(x: &mut [f32]) {
    for i in elements(N) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(symbol = "__reserved", shapes(x = [n]))]
fn reserved(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(symbol = "BUFSIZ", shapes(x = [n]))]
fn capitals(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

#[sycl_kernel(symbol = "run_{N}{M}", instances(N = [1, 11], M = [1, 11]), shapes(x = [N]))]
fn run_together<const N: i64, const M: i64>(x: &mut [f32]) {
    for i in elements(N) {
        x.store(i, M as f32);
    }
}

#[sycl_kernel(symbol = "size", shapes(x = [n]))]
fn größe(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

fn main() {}

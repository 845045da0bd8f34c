use oxysycl::prelude::*;

trait Atomics {
    fn atomic_add(&mut self, i: i64, value: i64);
}

impl Atomics for [i64] {
    fn atomic_add(&mut self, i: i64, value: i64) {
        self[i as usize] += value;
    }
}

#[sycl_kernel(shapes(values = [n], bins = [count]))]
fn histogram(values: &[i64], bins: &mut [i64], n: i64, count: i64) {
    for i in elements(n) {
        bins.atomic_add(values.load(i) % count, 1);
    }
}

fn main() {}

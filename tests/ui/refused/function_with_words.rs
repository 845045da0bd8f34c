#![allow(unused)]

use oxysycl::prelude::*;

#[sycl_fn]
fn total(x: f32) -> f32 {
    let mut sum = 0.0;
    for i in lanes(4) {
        sum += x;
    }
    group_sum(sum)
}

fn main() {}

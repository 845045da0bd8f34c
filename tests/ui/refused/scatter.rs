#![allow(unused)]
use oxysycl::prelude::*;

#[sycl_kernel(
    shapes(input = [rows, n], slots = [rows], cache = [rows, n]),
    scatter(input by slots, cache by input, unknown by slots)
)]
fn attribute(input: &[f32], slots: &[i32], cache: &mut [f32], rows: i64, places: i64, n: i64) {
    for row in groups(rows) {
        for i in lanes(n) {
            cache.store(row * n + i, input.load(row * n + i));
        }
    }
}

#[sycl_kernel(
    shapes(input = [rows, n], slots = [rows], cache = [rows, n]),
    scatter(cache from slots)
)]
fn word(input: &[f32], slots: &[i32], cache: &mut [f32], rows: i64, places: i64, n: i64) {
    for row in groups(rows) {
        for i in lanes(n) {
            cache.store(row * n + i, input.load(row * n + i));
        }
    }
}

#[sycl_kernel(
    shapes(input = [rows, n], slots = [rows], cache = [places, n]),
    scatter(cache by slots)
)]
fn unguarded(input: &[f32], slots: &[i32], cache: &mut [f32], rows: i64, places: i64, n: i64) {
    for row in groups(rows) {
        let slot = slots.load(row);
        for i in lanes(n) {
            cache.store(slot * n + i, input.load(row * n + i));
        }
        if slot >= 0 {
            for i in lanes(n) {
                cache.store(slot * n + i, input.load(row * n + i));
            }
        }
        if slot >= 0 && slot < places {
            for i in lanes(n) {
                cache.store(row * n + i, input.load(row * n + i));
            }
        }
    }
}

fn main() {}

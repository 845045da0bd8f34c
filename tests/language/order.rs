//! What the group does itself, and where its lanes wait for each other.

use oxysycl::prelude::*;

use crate::support::{agree, barriers, buffer};

/// The first element is read by all before the loop overwrites it.
#[sycl_kernel(shapes(data = [rows, width]))]
fn relative(data: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut x = data.row_mut(row * width);
        let first = x.load(0);
        for i in lanes(width) {
            x.store(i, x.load(i) - first);
        }
    }
}

/// Stored for the group by one, read by all, stored by one lane.
#[sycl_kernel(shapes(input = [rows, width], firsts = [rows], output = [rows, width]))]
fn uniform(input: &[f32], firsts: &mut [f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        firsts.store(row, x.load(0));
        let first = firsts.load(row);
        for i in lanes(width) {
            y.store(i, x.load(i) - first);
            if i == 0 {
                firsts.store(row, -1.0);
            }
        }
    }
}

/// The other half of the row, after all of it is there.
#[sycl_kernel(shapes(input = [rows, WIDTH], output = [rows, WIDTH]))]
fn fold<const WIDTH: i64>(input: &[f32], output: &mut [f32], rows: i64) {
    for row in groups(rows) {
        let x = input.row(row * WIDTH);
        let mut y = output.row_mut(row * WIDTH);
        for i in lanes(WIDTH) {
            y.store(i, x.load(WIDTH - 1 - i));
        }
        for i in lanes(WIDTH / 2) {
            y.store(i, y.load(i) + y.load(i + WIDTH / 2));
        }
    }
}

/// Back and forth between two buffers.
#[sycl_kernel(shapes(a = [rows, width], b = [rows, width]))]
fn ping_pong(a: &mut [f32], b: &mut [f32], rows: i64, width: i64, rounds: i64) {
    for row in groups(rows) {
        let mut x = a.row_mut(row * width);
        let mut y = b.row_mut(row * width);
        for _ in 0..rounds {
            for i in lanes(width) {
                y.store(i, x.load(width - 1 - i) + 1.0);
            }
            for i in lanes(width) {
                x.store(i, y.load(width - 1 - i) * 0.5);
            }
        }
    }
}

/// Everything stays with its lane.
#[sycl_kernel(shapes(data = [rows, width]))]
fn apart(data: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        for i in lanes(width) {
            data.store(row * width + i, data.load(row * width + i) + 1.0);
        }
        for i in lanes(width) {
            data.store(row * width + i, data.load(row * width + i) * 2.0);
        }
    }
}

#[test]
fn a_uniform_read_waits_for_nobody_and_is_waited_for() {
    agree!(relative (data: buffer(3 * 20) => slice_mut, rows: 3i64 => scalar, width: 20i64 => scalar));
    assert_eq!(barriers(relative::kernel()), 1);
}

#[test]
fn what_one_work_item_stores_all_may_read() {
    agree!(uniform (
        a: buffer(3 * 20) => slice, firsts: buffer(3) => slice_mut, b: buffer(3 * 20) => slice_mut,
        rows: 3i64 => scalar, width: 20i64 => scalar,
    ));
    assert_eq!(barriers(uniform::kernel()), 2);
}

#[test]
fn lanes_wait_where_they_meet() {
    agree!(fold {8} (a: buffer(16) => slice, b: buffer(16) => slice_mut, rows: 2i64 => scalar));
    assert_eq!(barriers(fold::kernel()), 1);
    agree!(ping_pong (
        a: buffer(2 * 9) => slice_mut, b: buffer(2 * 9) => slice_mut,
        rows: 2i64 => scalar, width: 9i64 => scalar, rounds: 4i64 => scalar,
    ));
    assert_eq!(barriers(ping_pong::kernel()), 2);
}

#[test]
fn lanes_that_keep_apart_do_not_wait() {
    agree!(apart (data: buffer(2 * 9) => slice_mut, rows: 2i64 => scalar, width: 9i64 => scalar));
    assert_eq!(barriers(apart::kernel()), 0);
}

//! `match`, where an `if` may stand, and the `if` that it becomes.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given, header};

const SILU: i32 = 1;

#[sycl_fn]
fn activate(x: f32, kind: i32) -> f32 {
    match kind {
        0 => x,
        SILU => x / (1.0 + (-x).exp()),
        2 => {
            let positive = x.max(0.0);
            positive * positive
        }
        _ => x.tanh(),
    }
}

/// In `elements`, with a function, a constant of the block and one of `f32` beside it.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [n], output = [n]))]
fn activations<T: Float, const KIND: i32>(input: &[T], output: &mut [T], n: i64, kind: i32, flip: bool) {
    for i in elements(n) {
        const LAST: i64 = 4;
        const SCALE: f32 = 0.5;
        let x = match flip {
            true => -input.load(i),
            false => input.load(i),
        };
        let y = match i % 7 {
            0..=2 => activate(x, kind),
            LAST => activate(x, KIND) * SCALE,
            _ => SCALE,
        };
        output.store(
            i,
            match KIND {
                0 => y,
                1 | 2 => y + 1.0,
                _ => y - 1.0,
            },
        );
    }
}

/// In the group, around and in `lanes`, and on what was loaded.
#[sycl_kernel(shapes(input = [rows, n], kinds = [rows], output = [rows, n]))]
fn rows_of_kinds<const NEOX: bool>(input: &[f32], kinds: &[i8], output: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let x = input.row(row * n);
        let mut y = output.row_mut(row * n);
        let mut sum = 0.0;
        match NEOX {
            true => {
                for i in lanes(n) {
                    sum += x.load(i);
                }
            }
            false => {
                for i in lanes(n) {
                    sum -= x.load(i);
                }
            }
        }
        let total = group_sum(sum);
        let kind = kinds.load(row);
        match kind {
            0 => {
                for i in lanes(n) {
                    y.store(i, total);
                }
            }
            -128..=-1 => {
                for i in lanes(n) {
                    y.store(i, x.load(i) - total);
                }
            }
            _ => {
                for i in lanes(n) {
                    match i {
                        0 => y.store(i, 0.0),
                        1 | 2 => y.store(i, x.load(i)),
                        3 => {}
                        _ => y.store(i, 1.0),
                    }
                }
            }
        }
    }
}

/// Before the grid.
#[sycl_kernel(shapes(output = [n]))]
fn counted(output: &mut [f32], n: i64, kind: u32) {
    let mut first = 0.0;
    match kind {
        0 => first = 1.0,
        1.. => {
            if n > 3 {
                first = 2.0;
            }
        }
    }
    let count = match kind {
        0 => n,
        _ => n / 2,
    };
    for i in elements(n) {
        output.store(i, if i < count { first } else { -1.0 });
    }
}

#[test]
fn arms_are_taken_as_in_rust() {
    for kind in [0i32, 1, 2, 3] {
        for flip in [false, true] {
            agree!(activations [f16] {2i32} (
                a: buffer(20) => slice, b: buffer(20) => slice_mut, n: 20i64 => scalar,
                kind: kind => scalar, flip: flip => scalar,
            ));
        }
    }
    agree!(activations [f32] {0i32} (
        a: buffer(20) => slice, b: buffer(20) => slice_mut, n: 20i64 => scalar,
        kind: 1i32 => scalar, flip: true => scalar,
    ));
}

#[test]
fn arms_hold_loops_over_lanes() {
    agree!(rows_of_kinds {true} (
        a: buffer(35) => slice, k: given(&[0, -1, 1, -128, 127]) => slice, b: buffer(35) => slice_mut,
        rows: 5i64 => scalar, n: 7i64 => scalar,
    ));
    agree!(rows_of_kinds {false} (
        a: buffer(2) => slice, k: given(&[1, 0]) => slice, b: buffer(2) => slice_mut,
        rows: 2i64 => scalar, n: 1i64 => scalar,
    ));
}

#[test]
fn arms_before_the_grid() {
    for kind in [0u32, 1, u32::MAX] {
        agree!(counted (b: buffer(9) => slice_mut, n: 9i64 => scalar, kind: kind => scalar));
    }
}

#[test]
fn arms_are_written_as_a_chain() {
    let header = header(rows_of_kinds::kernel());
    for line in [
        "if constexpr (NEOX) {",
        "if (kind == 0) {",
        "} else if (kind >= -128 && kind <= -1) {",
        "if (i == 0) {",
        "} else if (i == 1 || i == 2) {",
        "} else if (i != 3) {",
    ] {
        assert!(header.contains(line), "{line}\n{header}");
    }
    let header = crate::support::header(counted::kernel());
    assert!(header.contains("    first = 2.0f;"), "{header}");
    assert!(!header.contains("kind >= 0"), "{header}");
}

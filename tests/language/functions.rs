//! `#[sycl_fn]`: helpers that call helpers, of other modules, with constants and names that are the same elsewhere.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, header};

const SCALE: f32 = 2.0;
const LIMIT: i32 = 3;

/// x · sigmoid(x)
#[sycl_fn]
fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// A parameter that is changed, a loop, a branch.
#[sycl_fn]
fn powers(mut x: f32, count: i32) -> f32 {
    let base = x;
    for s in 0..count.min(LIMIT) {
        if s % 2 == 0 {
            x *= base;
        } else {
            x = x * base + SCALE;
        }
    }
    x
}

mod gelu {
    use oxysycl::prelude::*;

    const SCALE: f32 = 0.5;
    pub(crate) const CUTOFF: f32 = -3.0;

    /// Half of it.
    #[sycl_fn]
    pub(crate) fn halved(x: f32) -> f32 {
        x * SCALE
    }

    #[sycl_fn]
    pub(crate) fn silu(x: f32) -> f32 {
        super::silu(halved(x)) * SCALE
    }

    #[sycl_fn]
    pub(crate) fn is_small(x: f32) -> bool {
        x < CUTOFF
    }
}

/// Constants of two modules with one name, functions of two modules with one name, one function by two paths.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [n], output = [n]))]
fn activations<T: Float>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        let x = input.load(i);
        let y = silu(x) + gelu::silu(x) * SCALE + crate::functions::silu(0.5);
        let z = if gelu::is_small(x) {
            gelu::CUTOFF
        } else {
            powers(x, 2)
        };
        output.store(i, y + z);
    }
}

/// Literals take the types that functions ask for.
#[sycl_kernel(shapes(output = [n]))]
fn literals(output: &mut [f32], n: i64) {
    for i in elements(n) {
        let half = 0.5;
        let count = 2;
        output.store(i, powers(half, count) + silu(1.0) + powers(i as f32, LIMIT - 1));
    }
}

/// A constant in an index, and in a shape.
const BORDER: i64 = 2;

#[sycl_kernel(shapes(input = [rows, n], output = [rows, n + BORDER]))]
fn bordered(input: &[f32], output: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let mut y = output.row_mut(row * (n + BORDER));
        for i in lanes(BORDER) {
            y.store(i, 0.0);
        }
        for i in lanes(n) {
            y.store(i + BORDER, input.load(row * n + i));
        }
    }
}

mod near {
    use oxysycl::prelude::*;

    #[sycl_fn]
    pub(crate) fn offset(row: i64) -> i64 {
        row
    }

    #[sycl_fn]
    pub(crate) fn base(row: i64) -> i64 {
        offset(row) + 10
    }
}

mod far {
    use oxysycl::prelude::*;

    #[sycl_fn]
    pub(crate) fn offset(row: i64) -> i64 {
        row * 2
    }

    /// e to the power of `x`, rounded down: not the same everywhere.
    #[sycl_fn]
    pub(crate) fn power(x: i64) -> i64 {
        (x as f32).exp() as i64
    }
}

/// Two functions of one name, one of them in the offset of a row.
#[sycl_kernel(shapes(input = [2 * rows], output = [rows]))]
fn offsets(input: &[f32], output: &mut [f32], rows: i64) {
    for row in groups(rows) {
        let base = near::base(row);
        let x = input.row(far::offset(row));
        output.store(row, x.load(0) + (10 * base) as f32);
    }
}

/// Nothing but the offset of a row calls a function that is not the same everywhere.
#[sycl_kernel(shapes(input = [m], output = [rows]))]
fn powers_of_e(input: &[f32], output: &mut [f32], rows: i64, m: i64) {
    for row in groups(rows) {
        let x = input.row(far::power(row) % m);
        output.store(row, x.load(0));
    }
}

#[test]
fn a_function_in_the_offset_of_a_row_is_found_where_rust_finds_it() {
    let header = header(offsets::kernel());
    let doubles = header.find("(row, 2)").expect("it is written");
    let name = header[..doubles]
        .rfind(" offset")
        .expect("in a function of that name")
        + 1;
    let name = header[name..].split('(').next().expect("with parameters");
    assert!(header.contains(&format!("input + {name}(row)")), "{header}");
}

#[test]
fn a_function_in_the_offset_of_a_row_counts() {
    let is_exact = |kernel: &'static oxysycl::Kernel| kernel.ir().expect("it is right").is_exact();
    assert!(is_exact(offsets::kernel()));
    assert!(!is_exact(powers_of_e::kernel()));
}

#[test]
fn functions_are_found_where_rust_finds_them() {
    agree!(activations [f32] (a: buffer(20) => slice, b: buffer(20) => slice_mut, n: 20i64 => scalar));
    agree!(activations [f16] (a: buffer(20) => slice, b: buffer(20) => slice_mut, n: 20i64 => scalar));
}

#[test]
fn each_function_is_written_once() {
    let header = header(activations::kernel());
    assert_eq!(
        header.matches("x * sigmoid(x)").count() + header.matches("x · sigmoid(x)").count(),
        1,
        "{header}"
    );
}

#[test]
fn literals_take_the_types_of_parameters() {
    agree!(literals (b: buffer(5) => slice_mut, n: 5i64 => scalar));
}

#[test]
fn constants_in_indices_and_shapes() {
    agree!(bordered (
        a: buffer(12) => slice, b: buffer(18) => slice_mut, rows: 3i64 => scalar, n: 4i64 => scalar,
    ));
}

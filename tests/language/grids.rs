//! Grids of one and two dimensions, rows with strides, element types and const parameters.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given, variants};

#[sycl_kernel(
    types(T = [f32, f16, bf16]),
    shapes(input = [rows @ input_stride, WIDTH], weight = [WIDTH], output = [rows @ output_stride, WIDTH]),
    alias(output = input),
)]
fn normalise<T: Float, const WIDTH: i64>(
    input: &[T],
    weight: &[T],
    output: &mut [T],
    rows: i64,
    input_stride: i64,
    output_stride: i64,
    eps: f32,
) {
    for row in groups(rows) {
        let x = input.row(row * input_stride);
        let mut y = output.row_mut(row * output_stride);
        let mut sum = 0.0;
        for i in lanes(WIDTH) {
            sum += x.load(i) * x.load(i);
        }
        let scale = rsqrt(group_sum(sum) / WIDTH as f32 + eps);
        for i in lanes(WIDTH) {
            y.store(i, x.load(i) * scale * weight.load(i));
        }
    }
}

/// No type, no const, no row.
#[sycl_kernel(shapes(output = [n]))]
fn fill(output: &mut [f32], value: f32, n: i64) {
    for i in elements(n) {
        output.store(i, value);
    }
}

/// Only consts.
#[sycl_kernel(shapes(output = [ROWS, WIDTH as i64]), instances(ROWS = [2, 4], WIDTH = [3]))]
fn table<const ROWS: i64, const WIDTH: i32, const UP: bool>(output: &mut [f32]) {
    for row in groups(ROWS) {
        for i in lanes(WIDTH as i64) {
            let value = if UP { row + i } else { -(row + i) };
            output.store(row * WIDTH as i64 + i, value as f32);
        }
    }
}

/// Two dimensions, host variables, and a const that decides which elements belong together.
#[sycl_kernel(
    types(T = [f32, f16], I = [i32, i64]),
    shapes(
        x = [num_tokens as i64 @ token_stride, num_heads as i64 @ head_stride, DIM],
        cos_sin = [positions_limit, DIM],
        positions = [num_tokens as i64],
    ),
)]
fn rotate<T: Float, I: Index, const DIM: i64, const NEOX: bool>(
    x: &mut [T],
    cos_sin: &[f32],
    positions: &[I],
    token_stride: i64,
    head_stride: i64,
    num_heads: u32,
    num_tokens: u32,
    positions_limit: i64,
) {
    let heads = num_heads as i64;
    let half = DIM / 2;
    for (token, head) in groups((num_tokens as i64, heads)) {
        let mut row = x.row_mut(token * token_stride + head * head_stride);
        let table = positions.load(token).min(positions_limit - 1) * DIM;
        let cos = cos_sin.row(table);
        let sin = cos_sin.row(table + half);
        for i in lanes(DIM / 2) {
            let (a, b) = if NEOX {
                (i, i + DIM / 2)
            } else {
                (2 * i, 2 * i + 1)
            };
            let (u, v) = (row.load(a), row.load(b));
            row.store(a, u * cos.load(i) - v * sin.load(i));
            row.store(b, u * sin.load(i) + v * cos.load(i));
        }
    }
}

/// A grid over the elements of a matrix, written through its flat index.
#[sycl_kernel(types(T = [f32, bf16], W = [f32, f16]), shapes(a = [rows, width], b = [width], out = [rows, width]))]
fn add_rows<T: Float, W: Float>(a: &[T], b: &[W], out: &mut [T], rows: i64, width: i64) {
    for i in elements(rows * width) {
        let column = i % width;
        out.store(i, a.load(i) + b.load(column));
    }
}

/// One row for all groups to read, one element for each to write.
#[sycl_kernel(shapes(a = [rows, width], shared = [width], out = [rows]))]
fn dot(a: &[f32], shared: &[f32], out: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = a.row(row * width);
        let mut sum = 0.0;
        for i in lanes(width) {
            sum += x.load(i) * shared.load(i);
        }
        out.store(row, group_sum(sum));
    }
}

/// A dimension that follows without a gap, and one with.
#[sycl_kernel(shapes(a = [batches @ stride, rows, width], out = [batches, rows, width]))]
fn dense(a: &[f32], out: &mut [f32], batches: i64, rows: i64, width: i64, stride: i64) {
    for (batch, row) in groups((batches, rows)) {
        let x = a.row(batch * stride + row * width);
        let mut y = out.row_mut((batch * rows + row) * width);
        for i in lanes(width) {
            y.store(i, x.load(i) + batch as f32);
        }
    }
}

#[test]
fn rows_with_strides() {
    agree!(normalise [f32] {40} (
        x: buffer(2 * 43 + 40) => slice, w: buffer(40) => slice, y: buffer(2 * 41 + 40) => slice_mut,
        rows: 3i64 => scalar, sx: 43i64 => scalar, sy: 41i64 => scalar, eps: 1e-5f32 => scalar,
    ));
    agree!(normalise [f16] {7} (
        x: buffer(21) => slice, w: buffer(7) => slice, y: buffer(21) => slice_mut,
        rows: 3i64 => scalar, sx: 7i64 => scalar, sy: 7i64 => scalar, eps: 1e-5f32 => scalar,
    ));
    agree!(normalise [bf16] {100} (
        x: buffer(100) => slice, w: buffer(100) => slice, y: buffer(100) => slice_mut,
        rows: 1i64 => scalar, sx: 100i64 => scalar, sy: 100i64 => scalar, eps: 1e-5f32 => scalar,
    ));
}

#[test]
fn no_parameters_but_the_signature() {
    agree!(fill (out: buffer(9) => slice_mut, value: 2.5f32 => scalar, n: 9i64 => scalar));
    agree!(table {4, 3, true} (out: buffer(12) => slice_mut));
    agree!(table {2, 5, false} (out: buffer(10) => slice_mut));
    assert_eq!(variants(fill::kernel()).len(), 1);
}

#[test]
fn two_dimensions_and_a_const_that_decides() {
    agree!(rotate [f32, i32] {8, true} (
        x: buffer(2 * 40) => slice_mut, table: buffer(6 * 8) => slice, positions: given(&[5, 2]) => slice,
        st: 40i64 => scalar, sh: 10i64 => scalar, heads: 3u32 => scalar, tokens: 2u32 => scalar, limit: 6i64 => scalar,
    ));
    agree!(rotate [f16, i64] {6, false} (
        x: buffer(2 * 12) => slice_mut, table: buffer(6 * 6) => slice, positions: given(&[0, 4]) => slice,
        st: 12i64 => scalar, sh: 6i64 => scalar, heads: 2u32 => scalar, tokens: 2u32 => scalar, limit: 6i64 => scalar,
    ));
    assert_eq!(variants(rotate::kernel()).len(), 4, "types are independent");
}

#[test]
fn flat_grids() {
    agree!(add_rows [f32, f16] (
        a: buffer(30) => slice, b: buffer(6) => slice, out: buffer(30) => slice_mut,
        rows: 5i64 => scalar, width: 6i64 => scalar,
    ));
    agree!(add_rows [bf16, f32] (
        a: buffer(0) => slice, b: buffer(6) => slice, out: buffer(0) => slice_mut,
        rows: 0i64 => scalar, width: 6i64 => scalar,
    ));
}

#[test]
fn shared_and_dense_dimensions() {
    agree!(dot (
        a: buffer(4 * 33) => slice, shared: buffer(33) => slice, out: buffer(4) => slice_mut,
        rows: 4i64 => scalar, width: 33i64 => scalar,
    ));
    agree!(dense (
        a: buffer(20 + 12) => slice, out: buffer(24) => slice_mut,
        batches: 2i64 => scalar, rows: 3i64 => scalar, width: 4i64 => scalar, stride: 20i64 => scalar,
    ));
}

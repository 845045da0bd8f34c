//! Sequential loops inside and outside `lanes`, and loops over lanes of all lengths.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, given};

/// Each lane handles a block of four by itself.
#[sycl_kernel(types(T = [f32, f16]), shapes(input = [n, 4], output = [n, 4]), alias(output = input))]
fn prefix_sums<T: Float>(input: &[T], output: &mut [T], n: i64) {
    for i in elements(n) {
        let mut sum = 0.0;
        for s in 0..4 {
            sum += input.load(4 * i + s);
            output.store(4 * i + s, sum);
        }
    }
}

/// Blocks of any width, one a lane, each with a scale of its own.
#[sycl_kernel(
    types(T = [f32, bf16]),
    shapes(input = [rows, blocks, BLOCK], quantised = [rows, blocks, BLOCK], scales = [rows, blocks]),
    instances(BLOCK = [32, 128]),
)]
fn quantise<T: Float, const BLOCK: i64>(
    input: &[T],
    quantised: &mut [i8],
    scales: &mut [f32],
    rows: i64,
    blocks: i64,
) {
    for row in groups(rows) {
        let x = input.row(row * (blocks * BLOCK));
        let mut q = quantised.row_mut(row * (blocks * BLOCK));
        let mut scale = scales.row_mut(row * blocks);
        for block in lanes(blocks) {
            let mut most = 1e-6;
            for s in 0..BLOCK {
                most = x.load(block * BLOCK + s).abs().max(most);
            }
            scale.store(block, most / 128.0);
            for s in 0..BLOCK {
                q.store(
                    block * BLOCK + s,
                    (x.load(block * BLOCK + s) * (128.0 / most)).floor() as i64,
                );
            }
        }
    }
}

/// Heads one after the other in one group, each over its lanes; inclusive ranges, ends from memory, unused indices.
#[sycl_kernel(shapes(input = [rows, heads, width], rounds = [rows], output = [rows, heads, width]))]
fn by_head(input: &[f32], rounds: &[i32], output: &mut [f32], rows: i64, heads: i64, width: i64) {
    for row in groups(rows) {
        let many = rounds.load(row);
        for head in 0..heads {
            let x = input.row((row * heads + head) * width);
            let mut y = output.row_mut((row * heads + head) * width);
            let mut sum = 0.0;
            for i in lanes(width) {
                sum += x.load(i);
            }
            let mean = group_sum(sum) / width as f32;
            for i in lanes(width) {
                let mut v = x.load(i) - mean;
                for _ in 1..=many {
                    v *= 0.5;
                }
                for s in 0..rounds.load(row) {
                    if s % 2 == 1 {
                        v += 1.0;
                    }
                }
                y.store(i, v);
            }
        }
    }
}

/// Loops of three lengths over one row: constant, given, half.
#[sycl_kernel(shapes(input = [rows, WIDTH], output = [rows, WIDTH], tail = [rows, n]))]
fn lengths<const WIDTH: i64>(input: &[f32], output: &mut [f32], tail: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let x = input.row(row * WIDTH);
        let mut y = output.row_mut(row * WIDTH);
        for i in lanes(WIDTH) {
            y.store(i, x.load(i));
        }
        for i in lanes(WIDTH / 2) {
            let (low, high) = (y.load(2 * i), y.load(2 * i + 1));
            y.store(2 * i, low.min(high));
            y.store(2 * i + 1, low.max(high));
        }
        for i in lanes(n) {
            tail.store(row * n + i, i as f32 - n as f32);
        }
    }
}

/// The end of a range is what it was when the loop began, whatever becomes of it inside.
#[sycl_kernel(shapes(output = [n]))]
fn growing(output: &mut [f32], n: i64) {
    for i in elements(n) {
        let mut end = 3;
        let mut rounds = 0;
        for s in 0..end {
            end += s;
            rounds += 1;
        }
        output.store(i, (rounds * 100 + end) as f32);
    }
}

/// Loops that count from below zero, down to nothing, and with indices of other types.
#[sycl_kernel(shapes(input = [n], output = [n]))]
fn windows(input: &[f32], output: &mut [f32], radius: i32, n: i64) {
    for i in elements(n) {
        let mut sum = 0.0;
        for d in -radius..radius + 1 {
            let at = i + d as i64;
            if at >= 0 && at < n {
                sum += input.load(at);
            }
        }
        for k in 0..3u8 {
            sum += k as f32;
        }
        for _ in 5..2 {
            sum = f32::NAN;
        }
        output.store(i, sum);
    }
}

/// Host loops and branches compute sizes.
#[sycl_kernel(shapes(output = [n]))]
fn host_code(output: &mut [f32], n: i64, level: i64) {
    let mut scale = 1;
    for s in 0..level {
        scale += s;
    }
    let shift = if level > 2 { scale * 2 } else { -scale };
    for i in elements(n) {
        output.store(i, (i * scale + shift) as f32);
    }
}

#[test]
fn blocks_of_a_lane() {
    agree!(prefix_sums [f32] (a: buffer(40) => slice, b: buffer(40) => slice_mut, n: 10i64 => scalar));
    agree!(prefix_sums [f16] (a: buffer(12) => slice, b: buffer(12) => slice_mut, n: 3i64 => scalar));
}

#[test]
fn blocks_of_any_width() {
    agree!(quantise [f32] {4} (
        a: buffer(2 * 12) => slice, q: buffer(2 * 12) => slice_mut, s: buffer(2 * 3) => slice_mut,
        rows: 2i64 => scalar, blocks: 3i64 => scalar,
    ));
}

#[test]
fn loops_around_lanes() {
    agree!(by_head (
        a: buffer(2 * 3 * 8) => slice, rounds: given(&[3, 0]) => slice, b: buffer(2 * 3 * 8) => slice_mut,
        rows: 2i64 => scalar, heads: 3i64 => scalar, width: 8i64 => scalar,
    ));
}

#[test]
fn loops_of_several_lengths() {
    agree!(lengths {8} (
        a: buffer(16) => slice, b: buffer(16) => slice_mut, c: buffer(10) => slice_mut,
        rows: 2i64 => scalar, n: 5i64 => scalar,
    ));
    agree!(lengths {7} (
        a: buffer(7) => slice, b: buffer(7) => slice_mut, c: buffer(0) => slice_mut,
        rows: 1i64 => scalar, n: 0i64 => scalar,
    ));
}

/// Closed ranges to the last number of every type, to other numbers that are known or not, and to none.
#[sycl_kernel(shapes(output = [n, 12]))]
fn closed(output: &mut [i64], n: i64, less: i64) {
    let mut rounds = 0_i64;
    for _ in i64::MAX - 2..=i64::MAX - less {
        rounds += 1;
    }
    for i in elements(n) {
        let (mut a, mut b, mut c, mut d) = (0_i64, 0_i64, 0_i64, 0_i64);
        for k in i64::MAX - 2..=i64::MAX - less {
            a = a.wrapping_mul(31).wrapping_add(k);
        }
        for k in u64::MAX - 2..=u64::MAX - less as u64 {
            b = b.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in i32::MAX - 2..=i32::MAX - less as i32 {
            c = c.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in u32::MAX - 2..=u32::MAX - less as u32 {
            d = d.wrapping_mul(31).wrapping_add(k as i64);
        }
        let (mut e, mut f, mut g, mut h) = (0_i64, 0_i64, 0_i64, 0_i64);
        for k in 0..=u8::MAX {
            e = e.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in i8::MIN..=i8::MAX - less as i8 {
            f = f.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in u16::MAX - 2..=u16::MAX {
            g = g.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in i16::MAX..=i16::MAX {
            h = h.wrapping_mul(31).wrapping_add(k as i64);
        }
        let (mut p, mut q, mut r) = (0_i64, 0_i64, 0_i64);
        for more in -2..=3_i64 {
            for k in more..=less as i32 as i64 {
                p = p.wrapping_mul(31).wrapping_add(k);
            }
        }
        for more in less..=-less {
            q = q.wrapping_mul(31).wrapping_add(more + 1);
        }
        for k in -9_223_372_036_854_775_808..=i64::MIN + less {
            r = r.wrapping_mul(31).wrapping_add(k);
        }
        output.store(12 * i, a);
        output.store(12 * i + 1, b);
        output.store(12 * i + 2, c);
        output.store(12 * i + 3, d);
        output.store(12 * i + 4, e);
        output.store(12 * i + 5, f);
        output.store(12 * i + 6, g);
        output.store(12 * i + 7, h);
        output.store(12 * i + 8, p);
        output.store(12 * i + 9, q);
        output.store(12 * i + 10, r);
        output.store(12 * i + 11, rounds);
    }
}

#[test]
fn closed_ranges() {
    for less in [0i64, 1, 2, 5] {
        agree!(closed (b: buffer(24) => slice_mut, n: 2i64 => scalar, less: less => scalar));
    }
    let header = crate::support::header(closed::kernel());
    assert!(header.contains("k <= static_cast<int64_t>("), "{header}");
    assert!(
        header.contains("more_ = more <= "),
        "an index has the name `more`: {header}"
    );
}

#[test]
fn ranges_keep_their_end() {
    agree!(growing (b: buffer(4) => slice_mut, n: 4i64 => scalar));
    let header = crate::support::header(growing::kernel());
    assert!(header.contains("const int32_t end"), "{header}");
}

#[test]
fn ranges_of_all_kinds() {
    for radius in [0, 1, 3] {
        agree!(windows (
            a: buffer(9) => slice, b: buffer(9) => slice_mut, radius: radius => scalar, n: 9i64 => scalar,
        ));
    }
}

#[test]
fn code_before_the_grid() {
    for level in [0i64, 2, 5] {
        agree!(host_code (b: buffer(6) => slice_mut, n: 6i64 => scalar, level: level => scalar));
    }
}

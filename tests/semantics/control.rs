//! Loops, branches, barriers and what one work-item does for its row.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// x · 2^k by a loop; the caller's variable stays as it is.
#[sycl_fn]
fn doubled(mut x: f32, times: i64) -> f32 {
    for _ in 0..times {
        x += x;
    }
    x
}

mod other {
    use oxysycl::prelude::*;

    const STEP: f32 = 100.0;

    /// Another function of the same name, with another constant of the same name.
    #[sycl_fn]
    pub(crate) fn doubled(x: f32, times: i64) -> f32 {
        super::doubled(x, times) + STEP
    }
}

const STEP: f32 = 0.25;

/// Names bound again and again, value blocks, loops in lanes, functions with equal names.
#[sycl_kernel(shapes(a = [rows, n], out = [rows, n]))]
fn bindings(a: &[f32], out: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let x = a.row(row * n);
        let mut y = out.row_mut(row * n);
        for i in lanes(n) {
            let v = x.load(i);
            let v = v + STEP;
            let kept = {
                let v = 5.0;
                v * 2.0
            };
            let mut total = 0.0;
            for s in 0..4 {
                let v = doubled(v, s);
                total += if v > 8.0 {
                    let half = v / 2.0;
                    half - 1.0
                } else {
                    v
                };
            }
            if i % 3 == 0 {
                total = -total;
            } else if i % 3 == 1 && row > 0 {
                total = total * kept;
            }
            y.store(i, total + other::doubled(v, 1) - v);
        }
    }
}

/// A uniform read of an element that the loop behind it overwrites, and a store by one work-item that all read.
#[sycl_kernel(shapes(a = [rows @ stride, n], firsts = [rows]), types(T = [f32, f16]))]
fn uniform<T: Float>(a: &mut [T], firsts: &mut [f32], rows: i64, stride: i64, n: i64) {
    for row in groups(rows) {
        let mut x = a.row_mut(row * stride);
        let first = x.load(0);
        for i in lanes(n) {
            x.store(i, x.load(i) - first + i as f32);
        }
        firsts.store(row, x.load(n - 1));
        let last = firsts.load(row);
        for i in lanes(n) {
            if i == 3 {
                x.store(i, last);
            }
        }
        for i in lanes(n) {
            x.store(i, x.load(i) + 1.0);
        }
    }
}

/// Lanes that read what their neighbours stored in the loop before, round after round.
#[sycl_kernel(shapes(a = [rows, n], b = [rows, n]))]
fn neighbours(a: &mut [f32], b: &mut [f32], rows: i64, n: i64) {
    for row in groups(rows) {
        let mut x = a.row_mut(row * n);
        let mut y = b.row_mut(row * n);
        for _ in 0..5 {
            for i in lanes(n) {
                y.store(i, x.load(n - 1 - i));
            }
            for i in lanes(n) {
                x.store(i, y.load(n - 1 - i) + 1.0);
            }
        }
    }
}

/// Reductions of numbers so small that any order gives the same sum.
#[sycl_kernel(shapes(a = [rows, heads, n], out = [rows, heads, 4]))]
fn reductions(a: &[f32], out: &mut [f32], rows: i64, heads: i64, n: i64) {
    for (row, head) in groups((rows, heads)) {
        let x = a.row((row * heads + head) * n);
        let mut y = out.row_mut(row * (heads * 4) + head * 4);
        let mut sum = 0.0;
        let mut most = f32::NEG_INFINITY;
        let mut least = f32::INFINITY;
        for i in lanes(n) {
            sum += x.load(i);
            most = most.max(x.load(i));
        }
        for i in lanes(n) {
            sum -= x.load(i) * 2.0;
            if x.load(i) > 3.0 {
                least = least.min(x.load(i));
            }
        }
        y.store(0, group_sum(sum));
        y.store(1, group_max(most));
        y.store(2, group_min(least) + head as f32);
        let total = group_sum(sum);
        y.store(3, if total > 0.0 { total } else { -total });
    }
}

/// Conditions that are known when the kernel is compiled, with arithmetic that C++ has no operator or no constant for.
#[sycl_kernel(shapes(out = [n, 5]), instances(N = [3]))]
fn known_conditions<const N: i64>(out: &mut [f32], n: i64) {
    for i in elements(n) {
        for s in 0..5 {
            out.store(5 * i + s, 0.0);
        }
        if 7 / (1 + N) > 0 {
            out.store(5 * i, 1.0);
        }
        if 7 % (1 - N) != 1 {
            out.store(5 * i + 1, 1.0);
        }
        if 1_i64 << (N % 5) == N * N - 1 {
            out.store(5 * i + 2, 1.0);
        }
        if (3.75_f32 as i64) == N {
            out.store(5 * i + 3, 1.0);
        }
        if 1.0 / 0.0 > N as f32 {
            out.store(5 * i + 4, 1.0);
        }
    }
}

#[test]
fn conditions_may_be_known() {
    let mut native = vec![9.0; 10];
    known_conditions::<3>(&mut native, 2);
    let out = queue().alloc(10).expect("allocate");
    known_conditions::launch::<3>(queue(), out.view(), 2).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

/// The group itself reads buffers that may be empty: in a loop and under a condition, which then do not read.
#[sycl_kernel(shapes(steps = [m], out = [rows]))]
fn steps_of_all(steps: &[f32], out: &mut [f32], rows: i64, m: i64) {
    for row in groups(rows) {
        let mut total = if m > 0 { steps.load(m - 1) } else { 1.0 };
        for s in 0..m {
            total += steps.load(s);
        }
        out.store(row, total);
    }
}

#[test]
fn loops_over_nothing_read_nothing() {
    for m in [0, 3] {
        let steps: Vec<f32> = (0..m).map(|s| s as f32).collect();
        let mut native = vec![9.0; 2];
        steps_of_all(&steps, &mut native, 2, m as i64);
        let out = upload(&[9.0f32; 2], 0);
        steps_of_all::launch(queue(), upload(&steps, 0).view(), out.view(), 2, m as i64).expect("launch");
        same(&native, &out.to_vec().expect("copy"));
    }
}

/// The group itself stores to a row of one of two buffers, of which one may be empty.
#[sycl_kernel(shapes(q = [rows, some, n], k = [rows, others, n]))]
fn either(q: &mut [f32], k: &mut [f32], rows: i64, some: i64, others: i64, n: i64) {
    let heads = some + others;
    for (row, head) in groups((rows, heads)) {
        let mut x = if head < some {
            q.row_mut((row * some + head) * n)
        } else {
            k.row_mut((row * others + (head - some)) * n)
        };
        if n > 0 {
            x.store(0, 7.0);
        }
    }
}

#[test]
fn rows_of_the_other_buffer() {
    let mut native = vec![0.0; 4];
    either(&mut [], &mut native, 2, 0, 1, 2);
    let (q, k) = (upload::<f32>(&[], 0), upload(&[0.0; 4], 0));
    either::launch(queue(), q.view(), k.view(), 2, 0, 1, 2).expect("launch");
    same(&native, &k.to_vec().expect("copy"));
}

#[test]
fn bindings_and_blocks() {
    for n in [1, 7, 64, 100] {
        let a: Vec<f32> = (0..3 * n).map(|i| (i as f32 - 20.0) * 0.75).collect();
        let mut native = vec![0.0; 3 * n];
        bindings(&a, &mut native, 3, n as i64);
        let out = queue().alloc(3 * n).expect("allocate");
        bindings::launch(queue(), upload(&a, 0).view(), out.view(), 3, n as i64).expect("launch");
        same(&native, &out.to_vec().expect("copy"));
    }
}

#[test]
fn uniform_accesses_keep_their_order() {
    for (n, stride) in [(4, 4), (5, 9), (64, 64), (1000, 1024), (4096, 4096)] {
        let a: Vec<f16> = (0..4 * stride).map(|i| f16::from_f32((i % 513) as f32)).collect();
        let (mut native, mut firsts) = (a.clone(), vec![0.0; 4]);
        uniform(&mut native, &mut firsts, 4, stride as i64, n as i64);
        let (x, f) = (upload(&a, 0), queue().alloc(4).expect("allocate"));
        uniform::launch(queue(), x.view(), f.view(), 4, stride as i64, n as i64).expect("launch");
        same(&native, &x.to_vec().expect("copy"));
        same(&firsts, &f.to_vec().expect("copy"));
    }
}

#[test]
fn neighbours_wait_for_each_other() {
    for n in [1, 2, 33, 4096, 5000] {
        let a: Vec<f32> = (0..3 * n).map(|i| i as f32).collect();
        let (mut x, mut y) = (a.clone(), vec![0.0; 3 * n]);
        neighbours(&mut x, &mut y, 3, n as i64);
        for _ in 0..5 {
            let (dx, dy) = (upload(&a, 0), queue().alloc(3 * n).expect("allocate"));
            neighbours::launch(queue(), dx.view(), dy.view(), 3, n as i64).expect("launch");
            same(&x, &dx.to_vec().expect("copy"));
            same(&y, &dy.to_vec().expect("copy"));
        }
    }
}

#[test]
fn reductions_take_every_lane_once() {
    for n in [0, 1, 15, 16, 17, 255, 256, 257, 4099] {
        let a: Vec<f32> = (0..6 * n).map(|i| (i * 31 % 17) as f32 - 8.0).collect();
        let mut native = vec![0.0; 24];
        reductions(&a, &mut native, 2, 3, n as i64);
        let out = queue().alloc(24).expect("allocate");
        reductions::launch(queue(), upload(&a, 0).view(), out.view(), 2, 3, n as i64).expect("launch");
        same(&native, &out.to_vec().expect("copy"));
    }
}

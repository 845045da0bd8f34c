//! Ranges from their end and in steps, `continue`, and the bits of numbers: as in Rust, to the ends of every type.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// What loops over ranges around the ends of their types meet, mixed; `near` moves an end by a little.
#[sycl_kernel(shapes(near = [n], out = [n, 12]))]
fn sequences(near: &[i64], out: &mut [i64], n: i64, by: i64) {
    assert!(by > 0);
    for i in elements(n) {
        let near = near.load(i);
        let (mut a, mut b, mut c, mut d) = (0_i64, 0_i64, 0_i64, 0_i64);
        let (mut e, mut f, mut g, mut h) = (0_i64, 0_i64, 0_i64, 0_i64);
        let (mut j, mut k, mut l, mut m) = (0_i64, 0_i64, 0_i64, 0_i64);
        for s in (0..near).rev() {
            a = a.wrapping_mul(31).wrapping_add(s);
        }
        for s in (i32::MIN..=i32::MIN + near as i32).rev() {
            b = b.wrapping_mul(31).wrapping_add(s as i64);
        }
        for s in (i64::MAX - 3..=i64::MAX - near).rev() {
            c = c.wrapping_mul(31).wrapping_add(s);
        }
        for s in (i64::MIN..=i64::MAX - near).step_by(0x4000_0000_0000_0000) {
            d = d.wrapping_mul(31).wrapping_add(s);
        }
        for s in (0..=u64::MAX - near as u64).rev().step_by(0x4000_0000_0000_0000) {
            e = e.wrapping_mul(31).wrapping_add(s as i64);
        }
        for s in (i32::MIN..i32::MAX - near as i32).step_by(0x4000_0000).rev() {
            f = f.wrapping_mul(31).wrapping_add(s as i64);
        }
        for s in (0..=u8::MAX - near as u8).step_by(100) {
            g = g.wrapping_mul(31).wrapping_add(s as i64);
        }
        for s in (3..3 * near).step_by(2) {
            h = h.wrapping_mul(31).wrapping_add(s);
        }
        for s in (0..=near).rev().step_by(by as usize) {
            j = j.wrapping_mul(31).wrapping_add(s + 1);
        }
        for s in (-near..=near).step_by(by as usize) {
            k = k.wrapping_mul(31).wrapping_add(s);
        }
        for s in 0..8 {
            if s == near {
                continue;
            }
            if s % 2 == 0 {
                if s > near {
                    l = l.wrapping_mul(7);
                    continue;
                }
                l = l.wrapping_add(s);
            } else if s > 5 {
                continue;
            }
            l = l.wrapping_mul(31).wrapping_add(s);
        }
        for s in 0_i64..9 {
            match s - near {
                0 => continue,
                1 | 2 => {
                    if near > 1 {
                        continue;
                    }
                    m = m.wrapping_add(5);
                }
                _ => m = m.wrapping_add(1),
            }
            m = m.wrapping_mul(31).wrapping_add(s);
        }
        out.store(12 * i, a);
        out.store(12 * i + 1, b);
        out.store(12 * i + 2, c);
        out.store(12 * i + 3, d);
        out.store(12 * i + 4, e);
        out.store(12 * i + 5, f);
        out.store(12 * i + 6, g);
        out.store(12 * i + 7, h);
        out.store(12 * i + 8, j);
        out.store(12 * i + 9, k);
        out.store(12 * i + 10, l);
        out.store(12 * i + 11, m);
    }
}

/// The bits of integers of every width, turned and counted, and those of floats.
#[sycl_kernel(shapes(x = [n], y = [n], out = [n, 12], floats = [n]))]
fn bits(x: &[i64], y: &[f32], out: &mut [i64], floats: &mut [f32], n: i64) {
    for i in elements(n) {
        let (v, by) = (x.load(i), x.load(i) as u32);
        out.store(12 * i, v.rotate_left(by));
        out.store(12 * i + 1, (v as i8).rotate_left(by) as i64);
        out.store(12 * i + 2, (v as u16).rotate_right(by) as i64);
        out.store(12 * i + 3, (v as u32).rotate_right(by) as i64);
        out.store(12 * i + 4, v.count_ones() as i64);
        out.store(12 * i + 5, (v as i8).count_ones() as i64);
        out.store(12 * i + 6, v.leading_zeros() as i64);
        out.store(12 * i + 7, (v as u16).leading_zeros() as i64);
        out.store(12 * i + 8, v.trailing_zeros() as i64);
        out.store(12 * i + 9, (v as i32).trailing_zeros() as i64);
        let z = y.load(i);
        out.store(12 * i + 10, if z.is_nan() { -1 } else { z.to_bits() as i64 });
        out.store(12 * i + 11, (1_u64.rotate_left(by) >> 3) as i64);
        floats.store(i, f32::from_bits(by));
    }
}

#[test]
fn loops_meet_the_numbers_that_rust_meets() {
    let near = [0, 1, 2, 3, 5, 7, 8, 100];
    let device = queue().upload(&near).expect("upload");
    for by in [1, 3] {
        let mut native = vec![0; 12 * near.len()];
        sequences(&near, &mut native, near.len() as i64, by);
        let out = queue().alloc(native.len()).expect("allocate");
        sequences::launch(queue(), device.view(), out.view(), near.len() as i64, by).expect("launch");
        same(&native, &out.to_vec().expect("copy"));
    }
}

#[test]
fn bits_are_those_of_rust() {
    let ends = [
        i64::MIN,
        i64::MAX,
        0,
        -1,
        1,
        0x7f80_0000,
        0x7fc0_1234,
        0x0123_4567_89ab_cdef,
    ];
    let x: Vec<i64> = ends
        .into_iter()
        .chain((0..64).map(|k| 1 << k))
        .chain(-40..40)
        .collect();
    let floats = [
        0.0,
        -0.0,
        1.5,
        f32::INFINITY,
        f32::NAN,
        1e-45,
        f32::MIN_POSITIVE,
        -3e38,
    ];
    let y: Vec<f32> = x
        .iter()
        .enumerate()
        .map(|(at, _)| floats[at % floats.len()])
        .collect();
    let n = x.len();
    let (mut native, mut turned) = (vec![0; 12 * n], vec![0.0; n]);
    bits(&x, &y, &mut native, &mut turned, n as i64);
    let (out, floats) = (queue().alloc(12 * n), queue().alloc(n));
    let (out, floats) = (out.expect("allocate"), floats.expect("allocate"));
    let (x, y) = (upload(&x, 0), upload(&y, 0));
    bits::launch(queue(), x.view(), y.view(), out.view(), floats.view(), n as i64).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
    same(&turned, &floats.to_vec().expect("copy"));
}

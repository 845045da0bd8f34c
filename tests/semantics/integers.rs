//! Integer arithmetic, casts and literals follow Rust, whatever C++ would make of them.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// 24 results for every pair of inputs.
#[sycl_kernel(shapes(a = [n], b = [n], out = [24 * n]))]
fn wide(a: &[i64], b: &[i64], out: &mut [i64], n: i64) {
    for i in elements(n) {
        let (x, y) = (a.load(i), b.load(i));
        let divisor = if y == 0 { 1 } else { y };
        out.store(24 * i, x.wrapping_add(y));
        out.store(24 * i + 1, x.wrapping_sub(y));
        out.store(24 * i + 2, x.wrapping_mul(y));
        out.store(24 * i + 3, if x == i64::MIN { 0 } else { x / divisor });
        out.store(24 * i + 4, if x == i64::MIN { 0 } else { x % divisor });
        out.store(24 * i + 5, x.wrapping_neg());
        out.store(24 * i + 6, !x);
        out.store(24 * i + 7, (x & y) | (x ^ y));
        out.store(24 * i + 8, x >> (y & 63));
        out.store(24 * i + 9, ((x as u64) >> (y & 63)) as i64);
        out.store(24 * i + 10, (x as i32 as i64) + (y as i8 as i64));
        out.store(24 * i + 11, (x as u8) as i64);
        out.store(24 * i + 12, (x as u32).wrapping_add(y as u32) as i64);
        out.store(24 * i + 13, ((x as u64) / 7) as i64);
        out.store(24 * i + 14, x.max(y) - x.max(y) / 2);
        out.store(24 * i + 15, x.min(y) / 3);
        out.store(24 * i + 16, (x < y) as i64 + 2 * ((x as u64) < (y as u64)) as i64);
        out.store(24 * i + 17, ((x as i32).wrapping_mul(y as i32)) as i64);
        out.store(24 * i + 18, (x as i32 as f32) as i64);
        out.store(24 * i + 19, (x as u8).wrapping_add(y as u8) as i64);
        out.store(24 * i + 20, (x as u16).wrapping_mul(y as u16) as i64);
        out.store(24 * i + 21, ((x as u8) << 1) as i64);
        out.store(
            24 * i + 22,
            if (x & 255) == y && (x > 0 || y > 0) { 1 } else { 0 },
        );
        out.store(24 * i + 23, (1 << (y & 31)) + i);
    }
}

/// Bounds in every width, the types' own among them.
#[sycl_kernel(shapes(a = [n], b = [n], out = [10 * n]))]
fn bounded(a: &[i64], b: &[i64], out: &mut [i64], n: i64) {
    for i in elements(n) {
        let (x, y) = (a.load(i), b.load(i));
        out.store(10 * i, x.clamp(x.min(y), 7_i64.max(y)));
        out.store(10 * i + 1, (x as i32).clamp(-5, 5.max(y as i32)) as i64);
        out.store(10 * i + 2, (x as u8).clamp(3, 200) as i64);
        out.store(10 * i + 4, x.saturating_add(y));
        out.store(10 * i + 5, x.saturating_sub(y));
        out.store(10 * i + 6, (x as u64).saturating_sub(y as u64) as i64);
        out.store(10 * i + 7, (x as i8).saturating_add(y as i8) as i64);
        out.store(10 * i + 8, (x as u16).saturating_add(y as u16) as i64);
        out.store(10 * i + 9, (x as i32).saturating_sub(y as i32) as i64);
        out.store(10 * i + 3, (x as u64).clamp(y as u64, u64::MAX) as i64);
    }
}

/// The ends of every type, and literals that C++ would read in another type.
#[sycl_kernel(shapes(out = [16 * n]))]
fn literals(out: &mut [i64], n: i64) {
    for i in elements(n) {
        out.store(16 * i, i64::MIN);
        out.store(16 * i + 1, i64::MAX);
        out.store(16 * i + 2, i32::MIN as i64);
        out.store(16 * i + 3, u32::MAX as i64);
        out.store(16 * i + 4, u64::MAX as i64);
        out.store(16 * i + 5, i8::MIN as i64);
        out.store(16 * i + 6, (i32::MIN as u32) as i64);
        out.store(16 * i + 7, -9_223_372_036_854_775_807);
        out.store(16 * i + 8, 0xffff_ffff_ffff as i64);
        out.store(16 * i + 9, 100_000 * 100_000);
        out.store(16 * i + 10, -7 / 2);
        out.store(16 * i + 11, -7 % 2);
        out.store(16 * i + 12, (9_223_372_036_854_775_808_u64 / 2) as i64);
        out.store(16 * i + 13, 1_u32.wrapping_sub(2) as i64);
        out.store(16 * i + 14, (1 << 40) - -1);
        out.store(16 * i + 15, -(-5) - -i);
    }
}

/// Literals that are narrower in C++ than in Rust, alone, inverted, shifted and chosen; the launcher computes with them too.
#[sycl_kernel(shapes(a = [n], out = [16 * n]))]
fn narrow_literals(a: &[i64], out: &mut [i64], n: i64) {
    let host = (if n > 0 { 100_000 } else { 1 }) * 100_000;
    let mask = !(if n > 0 { 7_u64 } else { 15 });
    for i in elements(n) {
        let v = a.load(i) as u64;
        let all: u64 = !0;
        out.store(16 * i, (v & !7) as i64);
        out.store(16 * i + 1, ((0xFFFF_FFFF_u64 << 32) & (v | all)) as i64);
        out.store(16 * i + 2, all as i64);
        out.store(16 * i + 3, (4_294_967_295_u64 + 1) as i64);
        out.store(16 * i + 4, host);
        out.store(
            16 * i + 5,
            (match i % 3 {
                0 => 100_000,
                _ => 7,
            }) * 100_000,
        );
        out.store(16 * i + 6, (if i < 1 { 1 } else { 2 }) << 40);
        out.store(16 * i + 7, (mask & v) as i64);
        out.store(16 * i + 8, (!0_u32 as u64 * 4_294_967_295) as i64);
        out.store(16 * i + 9, (!(if i > 1 { 1_u64 } else { 2 }) >> 1) as i64);
        out.store(16 * i + 10, !(if i > 1 { 1 } else { -2 }) << 33);
        out.store(16 * i + 11, -(if i > 1 { 2_147_483_647 } else { 3 }) - 2);
        out.store(16 * i + 12, (!5_u8 as i64) + (!5_i16 as i64));
        out.store(16 * i + 13, (if i > 0 { -3 } else { -4 }) / 2 % 3);
        out.store(
            16 * i + 14,
            ((if i > 0 { 65_535_u16 } else { 2 }).wrapping_mul(65_535) as i64) << 2,
        );
        out.store(16 * i + 15, (1_u64 << 63 >> (if i > 0 { 1 } else { 62 })) as i64);
    }
}

/// Grouping survives: no operator binds otherwise than in Rust.
#[sycl_kernel(shapes(a = [n], out = [8 * n]))]
fn grouping(a: &[i32], out: &mut [i32], n: i64) {
    for i in elements(n) {
        let (x, y, z) = (a.load(i) % 1000, a.load(i) % 77, a.load(i) % 5 + 10);
        out.store(8 * i, (x + y) * z);
        out.store(8 * i + 1, x - (y - z));
        out.store(8 * i + 2, x << (z & 7) + 1);
        out.store(8 * i + 3, if (x & 15) == y { 1 } else { 2 });
        out.store(8 * i + 4, x / (z / 3) * z);
        out.store(8 * i + 5, (x | y) & z ^ y);
        out.store(8 * i + 6, -(x - y) * -z);
        out.store(8 * i + 7, if !(x < y || y < z && x != z) { 3 } else { 4 });
    }
}

/// Integers saturate where a buffer is narrower.
#[sycl_kernel(shapes(a = [n], bytes = [n], words = [n]))]
fn saturating(a: &[i64], bytes: &mut [i8], words: &mut [i32], n: i64) {
    for i in elements(n) {
        bytes.store(i, a.load(i));
        words.store(i, a.load(i));
    }
}

/// Floats become integers as Rust's `as` does: truncated, saturated, 0 for NaN.
#[sycl_kernel(shapes(a = [n], out = [8 * n]))]
fn from_float(a: &[f32], out: &mut [i64], n: i64) {
    for i in elements(n) {
        let x = a.load(i);
        out.store(8 * i, x as i64);
        out.store(8 * i + 1, x as i32 as i64);
        out.store(8 * i + 2, x as u8 as i64);
        out.store(8 * i + 3, x as i8 as i64);
        out.store(8 * i + 4, x as u32 as i64);
        out.store(8 * i + 5, x as u64 as i64);
        out.store(8 * i + 6, x as i16 as i64);
        out.store(8 * i + 7, x as u16 as i64);
    }
}

fn interesting() -> Vec<i64> {
    let mut values = vec![
        0, 1, -1, 2, -2, 7, 63, 64, 127, 128, -128, -129, 200, 255, 256, 65535, 65536, 300,
    ];
    values.extend([i32::MIN, i32::MAX].map(i64::from));
    values.extend([
        i64::MIN,
        i64::MAX,
        i64::MIN + 1,
        1 << 62,
        0x1234_5678_9abc_def0,
        u32::MAX.into(),
    ]);
    values
}

#[test]
fn wide_integers() {
    let values = interesting();
    let (a, b): (Vec<i64>, Vec<i64>) = values
        .iter()
        .flat_map(|x| values.iter().map(|y| (*x, *y)))
        .unzip();
    let n = a.len();
    let mut native = vec![0; 24 * n];
    wide(&a, &b, &mut native, n as i64);
    let out = queue().alloc(24 * n).expect("allocate");
    wide::launch(
        queue(),
        upload(&a, 0).view(),
        upload(&b, 0).view(),
        out.view(),
        n as i64,
    )
    .expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn integers_are_bounded() {
    let values = interesting();
    let (a, b): (Vec<i64>, Vec<i64>) = values
        .iter()
        .flat_map(|x| values.iter().map(|y| (*x, *y)))
        .unzip();
    let n = a.len();
    let mut native = vec![0; 10 * n];
    bounded(&a, &b, &mut native, n as i64);
    let out = queue().alloc(10 * n).expect("allocate");
    let (a, b) = (upload(&a, 0), upload(&b, 0));
    bounded::launch(queue(), a.view(), b.view(), out.view(), n as i64).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn literals_are_exact() {
    let mut native = vec![0; 48];
    literals(&mut native, 3);
    let out = queue().alloc(48).expect("allocate");
    literals::launch(queue(), out.view(), 3).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn narrow_literals_count_in_their_own_type() {
    let a = [0x1234_5678_9abc, -1, i64::MIN, 7];
    let mut native = vec![0; 64];
    narrow_literals(&a, &mut native, 4);
    let out = queue().alloc(64).expect("allocate");
    narrow_literals::launch(queue(), upload(&a, 0).view(), out.view(), 4).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn grouping_is_kept() {
    let a: Vec<i32> = (-500..500).map(|i| i * 7919).collect();
    let mut native = vec![0; 8000];
    grouping(&a, &mut native, 1000);
    let out = queue().alloc(8000).expect("allocate");
    grouping::launch(queue(), upload(&a, 0).view(), out.view(), 1000).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn narrow_buffers_saturate() {
    let a = interesting();
    let (mut bytes, mut words) = (vec![0; a.len()], vec![0; a.len()]);
    saturating(&a, &mut bytes, &mut words, a.len() as i64);
    for offset in [0, 1] {
        let device = (
            upload(&a, offset),
            upload(&vec![0_i8; a.len()], offset),
            upload(&vec![0_i32; a.len()], offset),
        );
        let range = offset..offset + a.len();
        saturating::launch(
            queue(),
            device.0.slice(range.clone()).expect("in range"),
            device.1.slice(range.clone()).expect("in range"),
            device.2.slice(range.clone()).expect("in range"),
            a.len() as i64,
        )
        .expect("launch");
        same(
            &bytes,
            &device
                .1
                .slice(range.clone())
                .expect("in range")
                .to_vec()
                .expect("copy"),
        );
        same(
            &words,
            &device.2.slice(range).expect("in range").to_vec().expect("copy"),
        );
    }
}

#[test]
fn floats_become_integers() {
    let a = [
        0.0,
        -0.0,
        0.9,
        -0.9,
        1.5,
        255.5,
        256.0,
        300.7,
        -128.9,
        127.9,
        32768.0,
        65536.0,
        2147483648.0,
        -2147483904.0,
        4294967296.0,
        9223372036854775807.0,
        -9223372036854775808.0,
        18446744073709551615.0,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        16777217.0,
    ];
    let mut native = vec![0; 8 * a.len()];
    from_float(&a, &mut native, a.len() as i64);
    let out = queue().alloc(8 * a.len()).expect("allocate");
    from_float::launch(queue(), upload(&a, 0).view(), out.view(), a.len() as i64).expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

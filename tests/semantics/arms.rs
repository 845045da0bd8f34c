//! `match`: the arm that Rust takes, wherever it stands.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

const SEVEN: i64 = 7;

mod limits {
    pub(super) const LAST: i64 = 12;
}

#[sycl_fn]
fn weight(kind: i64) -> f32 {
    match kind % 4 {
        0 | 2 => 0.5,
        -1 => -8.0,
        1 => {
            let half = kind as f32 / 2.0;
            half + 0.25
        }
        _ => 3.0,
    }
}

/// Every pattern there is, on values at and around its edges, in lanes and in the group.
#[sycl_kernel(shapes(kinds = [rows, n], out = [rows, n, 4]))]
fn patterns<const WIDE: bool>(kinds: &[i64], out: &mut [f32], rows: i64, n: i64, shift: i32, small: u8) {
    const TEN: i64 = 10;
    const HALF: f32 = 0.5;
    let step = match shift {
        i32::MIN..=-1 => -1,
        0 => 0,
        1..4 => 1,
        _ => 2,
    };
    let mut host = 0.0;
    match small {
        0..=9 => host += 1.0,
        10.. => {
            host -= 2.0;
            match shift {
                3 => host *= HALF,
                _ => (),
            }
        }
    }
    for row in groups(rows) {
        let k = kinds.row(row * n);
        let mut y = out.row_mut(row * n * 4);
        let start = match row {
            0 => 100.0,
            1 => {
                let first = k.load(0);
                first as f32
            }
            _ => host,
        };
        for i in lanes(n) {
            let kind = k.load(i);
            let (a, b) = match kind {
                ..=-3 => (1.0, -1.0),
                -2..0 => (2.0, -2.0),
                0 | 2 | 4..=5 => (3.0, -3.0),
                SEVEN | TEN | limits::LAST => (4.0, HALF),
                i64::MAX => (5.0, -5.0),
                _ => (0.0, start),
            };
            y.store(4 * i, a);
            y.store(4 * i + 1, b);
            let mut sum = weight(kind);
            match kind > 3 {
                true => sum += 1.0,
                false => {}
            }
            match (kind.wrapping_mul(3).wrapping_add(step as i64)) % 5 {
                1 => {
                    sum += 16.0;
                    if i % 2 == 0 {
                        sum += 32.0;
                    }
                }
                2 | 3 => match WIDE {
                    false => sum += 64.0,
                    true => sum += 128.0,
                },
                _ => {}
            }
            y.store(4 * i + 2, sum);
            match sum < 0.5 {
                true => {}
                false => y.store(4 * i + 2, sum + 0.5),
            }
            match i {
                0 => y.store(3, start),
                _ => y.store(4 * i + 3, -start),
            }
        }
    }
}

fn check<const WIDE: bool>(shift: i32, small: u8) {
    let kinds: Vec<i64> = (-8..=14).chain([i64::MAX, i64::MIN]).collect();
    let (n, rows) = (5, 5);
    let mut native = vec![0.0; 4 * n * rows];
    patterns::<WIDE>(&kinds, &mut native, rows as i64, n as i64, shift, small);
    let out = queue().alloc(4 * n * rows).expect("allocate");
    let k = upload(&kinds, 0);
    patterns::launch::<WIDE>(queue(), k.view(), out.view(), rows as i64, n as i64, shift, small)
        .expect("launch");
    same(&native, &out.to_vec().expect("copy"));
}

#[test]
fn every_pattern_fits_what_it_fits_in_rust() {
    for (shift, small) in [(-5, 0), (0, 9), (1, 10), (3, 255), (4, 11), (i32::MIN, 9)] {
        check::<false>(shift, small);
        check::<true>(shift, small);
    }
}

//! Arguments that the launcher makes constants.

use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

#[sycl_kernel(
    types(T = [f32, f16]),
    shapes(input = [rows, width], output = [rows, width]),
    specialize(act_kind in [0, 1, -7], flip in [true, false], width in [64, 9]),
)]
fn activate<T: Float>(
    input: &[T],
    output: &mut [T],
    rows: i64,
    act_kind: i32,
    flip: bool,
    width: i64,
    scale: f32,
) {
    let sign = if flip { -scale } else { scale };
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        for i in lanes(width) {
            let v = match act_kind {
                0 => x.load(i),
                1 => x.load(i).max(0.0),
                _ => x.load(i) * x.load(i),
            };
            if flip && act_kind >= 0 {
                y.store(i, v * sign);
            } else {
                y.store(i, v + sign);
            }
        }
    }
}

/// One value each, and none of them read.
#[sycl_kernel(
    shapes(output = [n]),
    specialize(on in [true], kind in [3], _unread in [5, 6], limit in [-9223372036854775808, 18]),
)]
fn few(output: &mut [i64], n: i64, on: bool, kind: u8, _unread: u64, limit: i64) {
    for i in elements(n) {
        output.store(i, if on && i < limit { kind as i64 } else { -1 });
    }
}

#[test]
fn every_value_has_its_variant() {
    for act_kind in [0, 1, -7] {
        for flip in [false, true] {
            for (width, offset) in [(64, 0), (9, 0), (64, 1)] {
                let x: Vec<f16> = (0..5 * width)
                    .map(|i| f16::from_f32((i % 40) as f32 * 0.25 - 5.0))
                    .collect();
                let mut native = vec![f16::ZERO; 5 * width];
                activate(&x, &mut native, 5, act_kind, flip, width as i64, 0.5);
                let input = upload(&x, offset);
                let out = queue().alloc(5 * width).expect("allocate");
                let part = input.slice(offset..offset + 5 * width).expect("inside");
                activate::launch(queue(), part, out.view(), 5, act_kind, flip, width as i64, 0.5)
                    .expect("launch");
                same(&native, &out.to_vec().expect("copy"));
            }
        }
    }
}

#[test]
fn one_value_is_enough() {
    for (unread, limit) in [(5, 18), (6, i64::MIN)] {
        let mut native = vec![0; 33];
        few(&mut native, 33, true, 3, unread, limit);
        let out = queue().alloc(33).expect("allocate");
        few::launch(queue(), out.view(), 33, true, 3, unread, limit).expect("launch");
        same(&native, &out.to_vec().expect("copy"));
    }
}

#[test]
fn other_values_are_refused_before_anything_happens() {
    let out = queue().upload(&[7i64; 4]).expect("small");
    let launch = |n, on, kind, unread, limit| {
        let error = few::launch(queue(), out.view(), n, on, kind, unread, limit).expect_err("refused");
        assert_eq!(out.to_vec().expect("copy"), [7; 4]);
        error.to_string()
    };
    for (said, expected) in [
        (launch(4, false, 3, 5, 18), "few: on is false; it may be true"),
        (launch(4, true, 4, 5, 18), "few: kind is 4; it may be 3"),
        (launch(4, true, 3, 7, 18), "few: _unread is 7; it may be 5, 6"),
        (
            launch(0, true, 3, 5, 0),
            "few: limit is 0; it may be -9223372036854775808, 18",
        ),
    ] {
        assert!(
            said.contains("failed with status 7") && said.ends_with(expected),
            "{said}"
        );
    }
}

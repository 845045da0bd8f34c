//! Where lanes find the largest or smallest: the same place on every device, the first of equal values.

use fastrand::Rng;
use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// Places among floats and integers, from what a search starts with where nothing is beyond it.
#[sycl_kernel(types(T = [f32, f16, bf16]), shapes(x = [rows, width], n = [rows, width], out = [rows, 8]))]
fn places<T: Float>(x: &[T], n: &[i64], out: &mut [i64], rows: i64, width: i64, start: f32) {
    for row in groups(rows) {
        let (x, n) = (x.row(row * width), n.row(row * width));
        let mut out = out.row_mut(row * 8);
        let (mut most, mut top) = (f32::NEG_INFINITY, -1);
        let (mut least, mut bottom) = (f32::INFINITY, -1);
        let (mut above, mut above_at) = (start, width);
        let (mut wide, mut wide_at) = (i64::MIN, -2);
        let (mut narrow, mut narrow_at) = (i32::MAX, -3);
        let (mut unsigned, mut unsigned_at) = (0_u64, -4);
        let (mut odd, mut odd_at) = (u32::MAX, -5);
        for i in lanes(width) {
            let (v, code) = (x.load(i), n.load(i));
            if v > most {
                most = v;
                top = i;
            }
            if v < least {
                least = v;
                bottom = i;
            }
            if v > above {
                above = v;
                above_at = i;
            }
            if code > wide {
                wide = code;
                wide_at = i;
            }
            if (code as i32) < narrow {
                narrow = code as i32;
                narrow_at = i;
            }
            if code as u64 > unsigned {
                unsigned = code as u64;
                unsigned_at = i;
            }
            if i % 2 == 1 && (code as u32) < odd {
                odd = code as u32;
                odd_at = i;
            }
        }
        let first = group_argmax(most, top);
        out.store(0, first);
        out.store(1, group_argmin(least, bottom));
        out.store(2, group_argmax(above, above_at));
        out.store(3, group_argmax(wide, wide_at));
        out.store(4, group_argmin(narrow, narrow_at));
        out.store(5, group_argmax(unsigned, unsigned_at));
        out.store(6, group_argmin(odd, odd_at));
        out.store(
            7,
            if first < 0 {
                -1
            } else {
                group_max(wide) - n.load(first)
            },
        );
    }
}

fn are_those_of_rust<T: Float + oxysycl::runtime::Element + Default>() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        3.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    for (rows, width) in [(0, 3), (1, 1), (5, 7), (4, 64), (3, 1000), (2, 0)] {
        for (kinds, start) in [(5, 0.5), (8, 2.0), (8, f32::NAN), (1, f32::NEG_INFINITY)] {
            let rng = &mut Rng::with_seed(width as u64 + kinds as u64);
            let len = (rows * width) as usize;
            let x: Vec<T> = (0..len)
                .map(|_| T::narrow(numbers[8 - kinds + rng.usize(0..kinds)]))
                .collect();
            let n: Vec<i64> = (0..len).map(|_| rng.i64(..) >> rng.u32(56..64)).collect();
            let mut native = vec![0; 8 * rows as usize];
            places(&x, &n, &mut native, rows, width, start);
            let (x, n) = (upload(&x, 0), upload(&n, 0));
            let out = queue().alloc::<i64>(native.len()).expect("allocate");
            places::launch(queue(), x.view(), n.view(), out.view(), rows, width, start).expect("launch");
            same(&native, &out.to_vec().expect("copy"));
        }
    }
}

#[test]
fn places_in_f32_are_those_of_rust() {
    are_those_of_rust::<f32>();
}

#[test]
fn places_in_f16_are_those_of_rust() {
    are_those_of_rust::<f16>();
}

#[test]
fn places_in_bf16_are_those_of_rust() {
    are_those_of_rust::<bf16>();
}

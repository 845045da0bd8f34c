//! Ranges go as far on the device as in Rust: to the last number of a type, to one before it, or nowhere.

use oxysycl::prelude::*;

use crate::support::{queue, same};

/// The numbers of closed ranges that end `less` before the last number of each type, mixed; host code counts too.
#[sycl_kernel(shapes(less = [n], out = [n, 9]))]
fn closed(less: &[i64], out: &mut [i64], n: i64, host_less: i64) {
    let mut host = 0_i64;
    for k in i64::MAX - 2..=i64::MAX - host_less {
        host = host.wrapping_mul(31).wrapping_add(k);
    }
    for i in elements(n) {
        let less = less.load(i);
        let (mut a, mut b, mut c, mut d) = (0_i64, 0_i64, 0_i64, 0_i64);
        let (mut e, mut f, mut g, mut h) = (0_i64, 0_i64, 0_i64, 0_i64);
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
        for k in i16::MAX - 2..=i16::MAX - less as i16 {
            e = e.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in u16::MAX - 2..=u16::MAX - less as u16 {
            f = f.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in i8::MIN..=i8::MAX - less as i8 {
            g = g.wrapping_mul(31).wrapping_add(k as i64);
        }
        for k in 0..=u8::MAX - less as u8 {
            h = h.wrapping_mul(31).wrapping_add(k as i64);
        }
        out.store(9 * i, a);
        out.store(9 * i + 1, b);
        out.store(9 * i + 2, c);
        out.store(9 * i + 3, d);
        out.store(9 * i + 4, e);
        out.store(9 * i + 5, f);
        out.store(9 * i + 6, g);
        out.store(9 * i + 7, h);
        out.store(9 * i + 8, host);
    }
}

/// Two extents that may be negative: then there is no group at all, though their product is positive.
#[sycl_kernel(shapes(out = [rows, columns]))]
fn skipping(out: &mut [i64], rows: i64, columns: i64, skip: i64) {
    for (row, column) in groups((rows - skip, columns - skip)) {
        out.store(row * columns + column, skip + 1);
    }
}

#[test]
fn closed_ranges_end_where_rust_ends_them() {
    let less = [0, 1, 2, 3, 100];
    let device = queue().upload(&less).expect("upload");
    for host_less in [0, 1, 7] {
        let mut native = vec![0; 9 * less.len()];
        closed(&less, &mut native, less.len() as i64, host_less);
        let out = queue().alloc(native.len()).expect("allocate");
        closed::launch(queue(), device.view(), out.view(), less.len() as i64, host_less).expect("launch");
        same(&native, &out.to_vec().expect("copy"));
    }
}

#[test]
fn negative_extents_are_empty_ones() {
    for skip in [0, 1, 3, 4, 5, 6] {
        let mut native = vec![0; 12];
        skipping(&mut native, 3, 4, skip);
        let all = queue().upload(&vec![0_i64; 64]).expect("upload");
        skipping::launch(queue(), all.slice(26..38).expect("in range"), 3, 4, skip).expect("launch");
        let around = [vec![0; 26], native, vec![0; 26]].concat();
        same(&around, &all.to_vec().expect("copy"));
    }
}

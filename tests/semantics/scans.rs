//! Running sums: of integers the very ones, in every type, with and without the lane's own term.

use fastrand::Rng;
use oxysycl::prelude::*;

use crate::support::{queue, same, upload};

/// Sums of every type, beside loops that deal lanes in vectors and work with what the others stored.
#[allow(clippy::too_many_arguments)]
#[sycl_kernel(shapes(x = [rows, width], a = [rows, width], b = [rows, width], c = [rows, width], d = [rows, width], totals = [rows, 4]))]
fn running(
    x: &[i64],
    a: &mut [i64],
    b: &mut [i64],
    c: &mut [i32],
    d: &mut [f32],
    totals: &mut [i64],
    rows: i64,
    width: i64,
) {
    for row in groups(rows) {
        let x = x.row(row * width);
        let (mut a, mut b) = (a.row_mut(row * width), b.row_mut(row * width));
        let (mut c, mut d) = (c.row_mut(row * width), d.row_mut(row * width));
        let (mut whole, mut narrow, mut wide, mut unsigned, mut float) = (0_i64, 0_i32, 0_u64, 0_u32, 0.0);
        for i in lanes(width) {
            b.store(i, 5 - x.load(i));
            d.store(i, (x.load(i) % 16) as f32);
        }
        for i in lanes(width) {
            let v = x.load(i);
            let before = group_scan_sum(whole);
            whole += v;
            a.store(i, before);
            wide += v as u64 % 1000;
            narrow -= (b.load(i) % 100) as i32;
            let odd = v % 2 != 0;
            if odd {
                b.store(i, group_scan_sum(narrow) as i64 + group_scan_sum(wide) as i64);
            }
            unsigned += if odd { 1 } else { 0 };
            c.store(i, if odd { group_scan_sum(unsigned) as i64 } else { -1 });
            float += d.load(i);
            d.store(i, group_scan_sum(float));
        }
        for i in lanes(width) {
            b.store(i, b.load(i) + a.load(i));
        }
        totals.store(4 * row, group_sum(whole));
        totals.store(4 * row + 1, group_sum(narrow) as i64);
        totals.store(4 * row + 2, group_sum(unsigned) as i64);
        totals.store(4 * row + 3, group_sum(float) as i64 + group_sum(wide) as i64);
    }
}

#[test]
fn running_sums_are_those_of_rust() {
    for (rows, width) in [(1, 1), (3, 7), (4, 64), (2, 1000), (1, 5000), (4, 0)] {
        let n = (rows * width) as usize;
        let mut rng = Rng::with_seed(width as u64);
        let x: Vec<i64> = (0..n).map(|_| rng.i64(..) >> rng.u32(24..64)).collect();
        let (mut a, mut b, mut c, mut d) = (vec![0; n], vec![0; n], vec![0; n], vec![0.0; n]);
        let mut totals = vec![0; 4 * rows as usize];
        running(&x, &mut a, &mut b, &mut c, &mut d, &mut totals, rows, width);
        let x = upload(&x, 0);
        let [da, db] = [0, 1].map(|_| queue().alloc::<i64>(n).expect("allocate"));
        let (dc, dd) = (
            queue().alloc::<i32>(n).expect("allocate"),
            queue().alloc::<f32>(n).expect("allocate"),
        );
        let dt = queue().alloc::<i64>(totals.len()).expect("allocate");
        let launched = running::launch(
            queue(),
            x.view(),
            da.view(),
            db.view(),
            dc.view(),
            dd.view(),
            dt.view(),
            rows,
            width,
        );
        launched.expect("launch");
        same(&a, &da.to_vec().expect("copy"));
        same(&b, &db.to_vec().expect("copy"));
        same(&c, &dc.to_vec().expect("copy"));
        // Small integers, whose sums are exact.
        same(&d, &dd.to_vec().expect("copy"));
        if width > 0 {
            same(&totals, &dt.to_vec().expect("copy"));
        }
    }
}

//! Integers and conditions, gathered over lanes and held in memory.

use oxysycl::prelude::*;

use crate::support::{queue, same};

/// What lanes gather of every kind: sums, extremes and conditions, from bytes and conditions in memory.
#[allow(clippy::too_many_arguments)]
#[sycl_kernel(shapes(x = [rows, width], y = [rows, width], mask = [rows, width], out = [rows, 10], kept = [rows, width], bytes = [rows, width]))]
fn gathered(
    x: &[i64],
    y: &[u8],
    mask: &[bool],
    out: &mut [i64],
    kept: &mut [bool],
    bytes: &mut [u8],
    rows: i64,
    width: i64,
) {
    for row in groups(rows) {
        let (x, y, m) = (x.row(row * width), y.row(row * width), mask.row(row * width));
        let mut out = out.row_mut(row * 10);
        let mut kept = kept.row_mut(row * width);
        let mut bytes = bytes.row_mut(row * width);
        let (mut count, mut sum, mut unsigned) = (0_i32, 0_i64, 0_u64);
        let (mut most, mut least, mut narrow, mut whole) = (i64::MIN, i64::MAX, u32::MAX, i32::MIN);
        let (mut any, mut all) = (false, true);
        for i in lanes(width) {
            let (v, byte) = (x.load(i), y.load(i));
            if m.load(i) {
                count += 1;
            }
            sum += v;
            sum -= byte;
            unsigned += byte as u64;
            most = most.max(v);
            least = least.min(v);
            narrow = narrow.min(v as u32);
            whole = whole.max(v as i32);
            any |= m.load(i) && byte > 200;
            all &= m.load(i) || byte < 250;
            kept.store(i, m.load(i) == (v > 0));
            bytes.store(i, v + byte);
        }
        let largest = group_max(most);
        let mut place = width;
        for i in lanes(width) {
            if x.load(i) == largest {
                place = place.min(i);
            }
        }
        out.store(0, group_sum(count) as i64);
        out.store(1, group_sum(sum));
        out.store(2, group_sum(unsigned) as i64);
        out.store(3, largest);
        out.store(4, group_min(least));
        out.store(5, group_min(narrow) as i64);
        out.store(6, group_max(whole) as i64);
        out.store(7, if group_any(any) { 1 } else { 0 });
        out.store(8, if group_all(all) { 1 } else { 0 });
        out.store(9, group_min(place));
    }
}

#[test]
fn integers_and_conditions_are_those_of_rust() {
    for (rows, width) in [(1, 1), (3, 7), (5, 64), (2, 1000), (4, 0)] {
        let n = (rows * width) as usize;
        let mut rng = fastrand::Rng::with_seed(width as u64);
        let x: Vec<i64> = (0..n).map(|_| rng.i64(..) >> rng.u32(12..64)).collect();
        let y: Vec<u8> = (0..n).map(|_| rng.u8(..)).collect();
        let mask: Vec<bool> = (0..n).map(|_| rng.bool()).collect();
        let (mut out, mut kept, mut bytes) = (vec![0; 10 * rows as usize], vec![false; n], vec![0; n]);
        gathered(&x, &y, &mask, &mut out, &mut kept, &mut bytes, rows, width);
        let (x, y, mask) = (queue().upload(&x), queue().upload(&y), queue().upload(&mask));
        let (x, y, mask) = (x.expect("upload"), y.expect("upload"), mask.expect("upload"));
        let device_out = queue().alloc::<i64>(out.len()).expect("allocate");
        let device_kept = queue().alloc::<bool>(n).expect("allocate");
        let device_bytes = queue().alloc::<u8>(n).expect("allocate");
        gathered::launch(
            queue(),
            x.view(),
            y.view(),
            mask.view(),
            device_out.view(),
            device_kept.view(),
            device_bytes.view(),
            rows,
            width,
        )
        .expect("launch");
        if width > 0 {
            same(&out, &device_out.to_vec().expect("copy"));
        }
        assert_eq!(kept, device_kept.to_vec().expect("copy"));
        assert_eq!(bytes, device_bytes.to_vec().expect("copy"));
    }
}

use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn additions(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        let (mut some, mut twice, mut none, mut back) = (0.0, 0.0, 0.0, 0.0);
        let (mut early, mut later) = (0.0, 0.0);
        for i in lanes(width) {
            let v = x.load(i);
            if v > 0.0 {
                some += v;
            }
            y.store(i, group_scan_sum(some));
            twice += v;
            twice += v * v;
            y.store(i, group_scan_sum(twice));
            y.store(i, group_scan_sum(none));
            let before = group_scan_sum(back);
            back += v * before;
            y.store(i, group_scan_sum(early));
            early += v;
            later += v;
            y.store(i, group_scan_sum(later) + group_scan_sum(v));
        }
        for i in lanes(width) {
            none += x.load(i);
            later += x.load(i);
        }
        y.store(0, group_sum(none) + group_scan_sum(later));
    }
}

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn rows_and_others(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut y = output.row_mut(row * width);
        let (mut sum, mut most) = (0.0, 0.0f32);
        for i in lanes(width) {
            let x = input.row(row * width + i);
            sum += x.load(0);
            most = most.max(x.load(0));
            y.store(i, group_scan_sum(sum) * group_scan_sum(most));
        }
    }
}

fn main() {}

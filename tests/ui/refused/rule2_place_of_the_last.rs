use oxysycl::prelude::*;

/// Searches that no order of lanes may change: of equal values the first counts, and the place is the lane.
#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn places(input: &[f32], output: &mut [i64], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let (mut most, mut last) = (f32::NEG_INFINITY, 0);
        let (mut least, mut bottom) = (f32::INFINITY, 0);
        let (mut top, mut place, mut payload) = (0.0, 0, 0.0);
        for i in lanes(width) {
            if x.load(i) >= most {
                most = x.load(i);
                last = i;
            }
            if x.load(i) < least {
                least = x.load(i);
                bottom = width - i;
            }
            if x.load(i) > top {
                top = x.load(i);
                place = i;
                payload = x.load(i + 1);
            }
        }
        let found = group_argmax(most, last) + group_argmin(least, bottom) + group_argmax(top, place);
        output.store(row, found + payload as i64);
    }
}

fn main() {}

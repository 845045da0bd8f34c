use oxysycl::prelude::*;

#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn places(input: &[f32], output: &mut [i64], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let (mut most, mut place) = (f32::NEG_INFINITY, 0);
        for i in lanes(width) {
            if x.load(i) > most {
                most = x.load(i);
                place = i;
            }
        }
        output.store(row, place);
        output.store(row, group_max(place));
        output.store(row, group_argmin(most, place));
        output.store(row, group_argmax(most, row));
        place = 3;
    }
}

/// What an earlier round found is gone on from, which no single loop does.
#[sycl_kernel(shapes(input = [rows, heads, width], output = [rows]))]
fn over_rounds(input: &[f32], output: &mut [i64], rows: i64, heads: i64, width: i64) {
    for row in groups(rows) {
        let (mut most, mut place) = (f32::NEG_INFINITY, 0);
        for head in 0..heads {
            let x = input.row((row * heads + head) * width);
            for i in lanes(width) {
                if x.load(i) > most {
                    most = x.load(i);
                    place = i;
                }
            }
        }
        output.store(row, group_argmax(most, place));
        for i in lanes(width) {
            most = most.max(input.load(i));
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

macro_rules! f32_of {
    ($n:literal) => {
        $n as f32
    };
}

#[sycl_kernel(shapes(input = [rows, width], output = [rows, width]))]
fn kernel(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let x = input.row(row * width);
        let mut y = output.row_mut(row * width);
        println!("row {row}");
        for i in lanes(width) {
            assert!(i < width);
            y.store(i, x.load(i) + f32_of!(1));
        }
    }
}

fn main() {}

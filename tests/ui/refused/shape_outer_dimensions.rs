use oxysycl::prelude::*;

#[sycl_kernel(shapes(output = [a @ sa, b @ sb, c @ sc, width]))]
fn kernel(output: &mut [f32], a: i64, b: i64, c: i64, width: i64, sa: i64, sb: i64, sc: i64) {
    for (i, j) in groups((a, b)) {
        for k in 0..c {
            for l in lanes(width) {
                output.store(i * sa + j * sb + k * sc + l, 0.0);
            }
        }
    }
}

fn main() {}

use oxysycl::prelude::*;

struct Model;

impl Model {
    #[sycl_kernel(shapes(output = [n]))]
    fn kernel(&self, output: &mut [f32], n: i64) {
        for i in elements(n) {
            output.store(i, 0.0);
        }
    }
}

fn main() {}

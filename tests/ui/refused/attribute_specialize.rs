use oxysycl::prelude::*;

#[sycl_kernel(
    shapes(input = [n], output = [n]),
    specialize(
        kind in [0, 1, -1, 256, 2u16, 1, true, LIMIT],
        on in [true, 1, true],
        none in [],
        unknown in [0],
        input in [0],
        eps in [0],
        N in [1],
    ),
)]
fn kernel<const N: i64>(
    input: &[f32],
    output: &mut [f32],
    n: i64,
    kind: u8,
    on: bool,
    none: i64,
    eps: f32,
) {
    for i in elements(n) {
        output.store(i, if on && kind == 1 && none == 0 { input.load(i) } else { eps });
    }
}

fn main() {}

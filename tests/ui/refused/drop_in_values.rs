use oxysycl::prelude::*;

macro_rules! refused {
    ($name:ident, $($drop_in:tt)*) => {
        #[sycl_kernel(
            symbol = "refused_{N}",
            shapes(x = [n @ stride, N]),
            drop_in(symbol = "other_{N}", $($drop_in)*),
        )]
        fn $name<const N: i64>(x: &mut [f32], n: i64, stride: i64, factor: f32, count: i32) {
            for g in groups(n) {
                let mut row = x.row_mut(g * stride);
                for i in lanes(N) {
                    row.store(i, factor * count as f32);
                }
            }
        }
    };
}

refused!(no_parameter, args(x, n, stride, factor, count), width = 4);
refused!(a_buffer, args(n, stride, factor, count), x = 4);
refused!(passed, args(x, n, stride, factor, count), n = 4);
refused!(twice, args(x, n, stride, factor), count = 4, count = 5);
refused!(other_type, args(x, n, stride, factor, m: i64), count = m + 1);
refused!(other_types, args(x, n, stride, factor, m: i64, k: i32), count = (m + k) as i32);
refused!(no_float, args(x, n, stride, count), factor = 2);
refused!(too_large, args(x, n, stride, factor), count = 3000000000);
refused!(no_negative, args(x, n, stride, factor, m: u8), count = (-m) as i32);
refused!(truth, args(x, n, stride, count, yes: bool), factor = yes as f32);
refused!(not_passed, args(x, n, stride, factor), count = m as i32 + N as i32);
refused!(buffer_as_number, args(x, n, stride, factor), count = x);
refused!(a_call, args(x, n, stride, factor), count = 2.pow(3));
refused!(a_comparison, args(x, n, stride, factor, m: i64), count = (m < 3) as i32);
refused!(unbounded_float, args(x, n, stride, count), factor = unbounded);
refused!(unbounded_stride, args(x, n, factor, count), stride = unbounded);
refused!(unbounded_grid, args(x, stride, factor, count), n = unbounded);

fn main() {}

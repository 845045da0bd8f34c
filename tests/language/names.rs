//! Names and places: words of other languages, raw names, kernels in modules, functions and macros.

use oxysycl::prelude::*;

use crate::support::{agree, buffer};

/// Words that mean something in C++ or to the emitted code.
#[sycl_kernel(shapes(class = [queue, int], new = [queue, int]))]
fn template(class: &[f32], new: &mut [f32], queue: i64, int: i64, r#type: f32) {
    for item in groups(queue) {
        let this = class.row(item * int);
        let mut r#match = new.row_mut(item * int);
        let mut sum = 0.0;
        for lane in lanes(int) {
            let r#loop = this.load(lane);
            sum += r#loop * r#type;
        }
        let sum_parts = group_sum(sum);
        for lane in lanes(int) {
            r#match.store(lane, sum_parts);
        }
    }
}

/// A raw name that is gathered into.
#[sycl_kernel(shapes(input = [rows, width], output = [rows]))]
fn raw(input: &[f32], output: &mut [f32], rows: i64, width: i64) {
    for row in groups(rows) {
        let mut r#yield = 0.0;
        for i in lanes(width) {
            r#yield += input.load(row * width + i);
        }
        output.store(row, group_sum(r#yield));
    }
}

mod inner {
    pub(crate) mod deep {
        use oxysycl::prelude::{self as words, *};

        /// Nothing is imported but by path.
        #[words::sycl_kernel(types(T = [f32, f16]), shapes(input = [n], output = [n]))]
        pub(crate) fn doubled<T>(input: &[T], output: &mut [T], n: i64)
        where
            T: words::Float,
        {
            for i in words::elements(n) {
                output.store(i, input.load(i) * 2.0);
            }
        }
    }
}

macro_rules! scaled_by {
    ($name:ident, $element:ty, $factor:expr, $width:expr) => {
        #[sycl_kernel(shapes(input = [n, $width], output = [n, $width]))]
        fn $name(input: &[$element], output: &mut [$element], n: i64) {
            for i in elements(n * $width) {
                output.store(i, input.load(i) * $factor);
            }
        }
    };
}

scaled_by!(tripled, f32, 1.0 + 2.0, 1 + 1);
scaled_by!(quartered, f16, 0.25, 3);

#[test]
fn words_of_other_languages() {
    agree!(template (
        a: buffer(12) => slice, b: buffer(12) => slice_mut, rows: 3i64 => scalar, width: 4i64 => scalar, x: 0.5f32 => scalar,
    ));
    agree!(raw (a: buffer(12) => slice, b: buffer(3) => slice_mut, rows: 3i64 => scalar, width: 4i64 => scalar));
}

#[test]
fn kernels_in_modules() {
    use inner::deep::doubled;
    agree!(doubled [f32] (a: buffer(5) => slice, b: buffer(5) => slice_mut, n: 5i64 => scalar));
}

#[test]
fn kernels_in_functions() {
    #[sycl_fn]
    fn shifted(x: f32) -> f32 {
        x + 1.0
    }

    #[sycl_kernel(shapes(input = [n], output = [n]))]
    fn local(input: &[f32], output: &mut [f32], n: i64) {
        for i in elements(n) {
            output.store(i, shifted(input.load(i)));
        }
    }

    agree!(local (a: buffer(5) => slice, b: buffer(5) => slice_mut, n: 5i64 => scalar));
    let known = oxysycl::kernels().expect("all kernels can be lowered");
    assert!(known.iter().any(|kernel| std::ptr::eq(*kernel, local::kernel())));
}

#[test]
fn kernels_from_macros() {
    agree!(tripled (a: buffer(8) => slice, b: buffer(8) => slice_mut, n: 4i64 => scalar));
    agree!(quartered (a: buffer(12) => slice, b: buffer(12) => slice_mut, n: 4i64 => scalar));
    let header = crate::support::header(tripled::kernel());
    assert!(
        header.contains("(1.0f + 2.0f)"),
        "the fragment keeps together: {header}"
    );
}

#[test]
fn every_kernel_here_can_be_lowered() {
    let known = oxysycl::kernels().expect("all kernels can be lowered");
    assert!(known.len() > 25, "{known:?}");
}

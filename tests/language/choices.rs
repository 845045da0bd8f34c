//! What the launcher decides: values of parameters, and buffers that may be null.

use oxysycl::prelude::*;

use crate::support::{agree, buffer, header};

/// The names that a launcher would make up are the author's here.
#[sycl_kernel(
    types(T = [f32, f16]),
    shapes(input = [n], bias = [n], output = [n]),
    specialize(kind in [0, 2], submit in [-1, 1]),
    optional(bias),
)]
fn chosen<T: Float>(
    input: &[T],
    bias: &[f32],
    output: &mut [T],
    n: i64,
    kind: i16,
    submit: i64,
    kind_constant: f32,
) {
    let has_bias = if bias.is_empty() { 1.0 } else { 2.0 };
    for i in elements(n) {
        let shift = if bias.is_empty() {
            kind_constant
        } else {
            bias.load(i)
        };
        let v = match kind {
            0 => input.load(i),
            1 => 100.0,
            _ => -input.load(i),
        };
        output.store(
            i,
            match submit {
                ..=-1 => v + shift,
                _ => v * has_bias - shift,
            },
        );
    }
}

#[test]
fn each_choice_is_what_rust_does() {
    for kind in [0i16, 2] {
        for submit in [-1i64, 1] {
            for given in [0, 9] {
                agree!(chosen [f16] (
                    input: buffer(9) => slice, bias: buffer(given) => slice, output: buffer(9) => slice_mut,
                    n: 9i64 => scalar, kind: kind => scalar, submit: submit => scalar, c: 0.5f32 => scalar,
                ));
            }
        }
    }
}

#[test]
fn choices_are_template_parameters() {
    let header = header(chosen::kernel());
    for text in [
        "template <typename T, int16_t kind, int64_t submit, bool has_bias, int VEC>\nstruct ChosenKernel {",
        "submit <= -1 ? v + shift : v * has_bias_ - shift",
        "const auto submit_ = [&](auto kind_constant_, auto submit_constant, auto has_bias_constant) {",
        "if (kind != 0 && kind != 2) {",
        "const bool has_bias = bias != nullptr;",
        "switch (kind) {",
        "if (has_bias) {",
        "kException, kValue };",
    ] {
        assert!(header.contains(text), "{text}\n{header}");
    }
}

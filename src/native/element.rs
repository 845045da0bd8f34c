//! What buffers hold: narrow in memory, wide in a kernel.

use half::{bf16, f16};
use oxysycl_codegen::ir::DType;

use super::{Real, Shadow};

/// An element of a buffer: what a kernel's slices hold.
pub trait Element: Copy + Send + Sync + 'static {
    /// What a load gives and a store takes: `f32` for floats, `i64` for integers, `bool` for itself.
    type Value: Copy;
    /// The element that stands for this one in a kernel's shadow.
    type Shadow: Element;
    /// The type as a value.
    const DTYPE: DType;

    /// The value, unchanged.
    fn widen(self) -> Self::Value;

    /// The nearest element: of two equally near floats the even one; integers saturate.
    fn narrow(value: Self::Value) -> Self;
}

/// Floats: `f32`, `f16` and `bf16`. A kernel computes with `f32` for all of them.
pub trait Float:
    Element<Value = f32, Shadow: Element<Value = Real>> + oxysycl_runtime::Element + bytemuck::Pod
{
}

/// Integers: `i8`, `i32`, `i64` and `u8`. A kernel computes with `i64` for all of them.
pub trait Index:
    Element<Value = i64, Shadow: Element<Value = i64>> + oxysycl_runtime::Element + bytemuck::Pod
{
}

macro_rules! floats {
    ($($ty:ident $dtype:ident $widen:expr, $narrow:expr;)*) => {$(
        impl Element for $ty {
            type Value = f32;
            type Shadow = Shadow<$ty>;
            const DTYPE: DType = DType::$dtype;

            fn widen(self) -> f32 {
                $widen(self)
            }

            fn narrow(value: f32) -> Self {
                $narrow(value)
            }
        }

        impl Float for $ty {}
    )*};
}

floats! {
    f32 F32 std::convert::identity, std::convert::identity;
    f16 F16 f16::to_f32, f16::from_f32;
    bf16 BF16 bf16::to_f32, bf16::from_f32;
}

macro_rules! indices {
    ($($ty:ident $dtype:ident),*) => {$(
        impl Element for $ty {
            type Value = i64;
            type Shadow = $ty;
            const DTYPE: DType = DType::$dtype;

            fn widen(self) -> i64 {
                self.into()
            }

            fn narrow(value: i64) -> Self {
                value.clamp($ty::MIN.into(), $ty::MAX.into()) as $ty
            }
        }

        impl Index for $ty {}
    )*};
}

indices!(i8 I8, i32 I32, i64 I64, u8 U8);

impl Element for bool {
    type Value = bool;
    type Shadow = bool;
    const DTYPE: DType = DType::Bool;

    fn widen(self) -> bool {
        self
    }

    fn narrow(value: bool) -> Self {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a binary float by its definition, in `f64`, which holds all of them.
    fn by_definition(bits: u16, exponent_bits: u32, mantissa_bits: u32) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let mantissa = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1u32 << mantissa_bits);
        let exponent = i32::from(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
        let bias = (1 << (exponent_bits - 1)) - 1;
        match exponent {
            0 => sign * mantissa * 2f64.powi(1 - bias),
            e if e == (1 << exponent_bits) - 1 && mantissa == 0.0 => sign * f64::INFINITY,
            e if e == (1 << exponent_bits) - 1 => f64::NAN,
            e => sign * (1.0 + mantissa) * 2f64.powi(e - bias),
        }
    }

    fn all_values_survive<E: Float>(of: fn(u16) -> E, bits: fn(E) -> u16, exponent: u32, mantissa: u32) {
        for pattern in 0..=u16::MAX {
            let wide = of(pattern).widen();
            let defined = by_definition(pattern, exponent, mantissa);
            if defined.is_nan() {
                assert!(
                    wide.is_nan() && E::narrow(wide).widen().is_nan(),
                    "{pattern:#06x}"
                );
            } else {
                assert_eq!(f64::from(wide).to_bits(), defined.to_bits(), "{pattern:#06x}");
                assert_eq!(bits(E::narrow(wide)), pattern);
            }
        }
    }

    #[test]
    fn every_f16_widens_and_narrows_unchanged() {
        all_values_survive(f16::from_bits, f16::to_bits, 5, 10);
    }

    #[test]
    fn every_bf16_widens_and_narrows_unchanged() {
        all_values_survive(bf16::from_bits, bf16::to_bits, 8, 7);
    }

    /// Between any two neighbours: the middle goes to the even one, what is beside the middle to the nearer one.
    fn rounds_to_nearest_even<E: Float>(of: fn(u16) -> E, bits: fn(E) -> u16, largest: u16) {
        for pattern in 0..largest {
            let (low, high) = (of(pattern).widen(), of(pattern + 1).widen());
            let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
            let even = pattern + (pattern & 1);
            assert_eq!(bits(E::narrow(middle)), even, "{middle:e}");
            assert_eq!(bits(E::narrow(middle.next_down())), pattern, "below {middle:e}");
            assert_eq!(bits(E::narrow(middle.next_up())), pattern + 1, "above {middle:e}");
            assert_eq!(bits(E::narrow(-middle)), even | 0x8000, "{:e}", -middle);
        }
    }

    #[test]
    fn f16_rounds_to_nearest_even() {
        rounds_to_nearest_even(f16::from_bits, f16::to_bits, f16::MAX.to_bits());
        assert_eq!(f16::narrow(65519.996), f16::MAX);
        assert_eq!(f16::narrow(65520.0), f16::INFINITY);
        assert_eq!(f16::narrow(-1e9), f16::NEG_INFINITY);
    }

    #[test]
    fn bf16_rounds_to_nearest_even() {
        rounds_to_nearest_even(bf16::from_bits, bf16::to_bits, bf16::MAX.to_bits());
        assert_eq!(bf16::narrow(f32::MAX), bf16::INFINITY);
    }

    #[test]
    fn integers_saturate() {
        assert_eq!(
            [i8::narrow(127), i8::narrow(128), i8::narrow(-129)],
            [127, 127, -128]
        );
        assert_eq!(
            [i32::narrow(i64::MAX), i32::narrow(i64::MIN)],
            [i32::MAX, i32::MIN]
        );
        assert_eq!(i64::narrow(i64::MIN), i64::MIN);
        assert_eq!([u8::narrow(-1), u8::narrow(255), u8::narrow(256)], [0, 255, 255]);
    }
}

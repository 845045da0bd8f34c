//! Whether what a device stored is what it may have stored.

use std::fmt::Display;

use half::{bf16, f16};

use crate::argument::Viewed;
use crate::native::{Element, Float, Real, Shadow};

/// Elements that can be judged.
pub(super) trait Judged: Element + Viewed + Display {
    /// Values that are easily done wrong.
    const SPECIAL: &'static [Self];

    /// An element of any bits.
    fn from_any(bits: u64) -> Self;

    /// The element nearest to `value`.
    fn near(value: f32) -> Self;

    /// What stands for this element in the kernel's shadow.
    fn to_shadow(self) -> Self::Shadow;

    /// Whether both are the same bits, both NaN, or numbers whose signs do not count.
    fn is_same(self, other: Self, unsigned: Unsigned) -> bool;

    /// The distance from `value`, which is no NaN, in units in the last place of this type there.
    fn ulps_from(self, value: f64) -> f64;

    /// What a device may have stored where the shadow stored `shadow`.
    fn allowed(shadow: Self::Shadow) -> Allowed<Self>;

    /// The element as a number.
    fn to_f64(self) -> f64;
}

/// Floats whose sign does not count: Rust leaves open which zero the `max` or `min` of two gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Unsigned {
    /// Zeros.
    pub(super) zeros: bool,
    /// Infinities, for a kernel that divides by such zeros.
    pub(super) infinities: bool,
}

/// What a device may have stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Allowed<E> {
    /// A number between two elements; `f64` came to `value`.
    Between {
        /// The least one.
        least: E,
        /// The largest one.
        most: E,
        /// The number as computed in `f64`.
        value: f64,
        /// How far the device's number may be from it before it is rounded to an element.
        error: f64,
    },
    /// A NaN.
    Nan,
    /// Nothing is known.
    Anything,
}

impl<E: Judged> Allowed<E> {
    /// Whether the device may have stored `found`.
    pub(super) fn includes(&self, found: E) -> bool {
        let found = found.to_f64();
        match self {
            Self::Between { least, most, .. } => least.to_f64() <= found && found <= most.to_f64(),
            Self::Nan => found.is_nan(),
            Self::Anything => true,
        }
    }

    /// Whether the bound leaves fewer than three digits: extreme numbers went in, or nearly equal ones were subtracted.
    pub(super) fn is_rough(&self) -> bool {
        match self {
            Self::Between { value, error, .. } => *error > value.abs() / 2048.0,
            Self::Nan => false,
            Self::Anything => true,
        }
    }

    /// How far `found` is from the number as computed in `f64`, in units in the last place.
    pub(super) fn ulps(&self, found: E) -> f64 {
        match self {
            Self::Between { value, .. } => found.ulps_from(*value),
            Self::Nan | Self::Anything => 0.0,
        }
    }

    /// In words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Between {
                least, most, value, ..
            } => format!("{least} to {most} ({value:e} in f64)"),
            Self::Nan => "NaN".to_owned(),
            Self::Anything => "anything".to_owned(),
        }
    }
}

fn allowed_float<E: Float + Judged>(stored: Real) -> Allowed<E> {
    let (value, error) = (stored.value(), stored.error());
    match () {
        () if error.is_infinite() => Allowed::Anything,
        () if value.is_nan() => Allowed::Nan,
        // Rounding keeps order: what the device rounds is no less than `value - error`, so neither is the result.
        () => {
            let round = |bound: f64| <E as Element>::narrow(bound as f32);
            Allowed::Between {
                least: round(value - error),
                most: round(value + error),
                value,
                error,
            }
        }
    }
}

/// The distance of neighbours at `value` in a float type.
fn spacing(value: f64, digits: u32, least_exponent: i32) -> f64 {
    let exponent = if value == 0.0 {
        least_exponent
    } else {
        (value.abs().log2().floor() as i32).max(least_exponent)
    };
    2f64.powi(exponent - (digits as i32 - 1))
}

macro_rules! floats {
    ($($ty:ident, $bits:ident, $digits:expr, $least_exponent:expr;)*) => {$(
        impl Judged for $ty {
            const SPECIAL: &'static [Self] = &[
                $ty::from_bits(0),
                $ty::from_bits(1 << ($bits::BITS - 1)),
                $ty::INFINITY,
                $ty::NEG_INFINITY,
                $ty::NAN,
                $ty::MAX,
                $ty::MIN,
                $ty::MIN_POSITIVE,
                $ty::from_bits(1),
                $ty::from_bits(3),
                $ty::from_bits(1 | 1 << ($bits::BITS - 1)),
            ];

            fn from_any(bits: u64) -> Self {
                $ty::from_bits(bits as $bits)
            }

            fn near(value: f32) -> Self {
                <Self as Element>::narrow(value)
            }

            fn to_shadow(self) -> Shadow<$ty> {
                self.into()
            }

            fn is_same(self, other: Self, unsigned: Unsigned) -> bool {
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                let magnitude = self.to_bits() & !SIGN;
                let either = (unsigned.zeros && magnitude == 0)
                    || (unsigned.infinities && magnitude == $ty::INFINITY.to_bits());
                self.to_bits() == other.to_bits()
                    || (self.is_nan() && other.is_nan())
                    || (either && magnitude == other.to_bits() & !SIGN)
            }

            fn ulps_from(self, value: f64) -> f64 {
                let unit = |at: f64| spacing(at, $digits, $least_exponent);
                // Infinity counts as the number after the largest one.
                let beyond = $ty::MAX.to_f64() + unit($ty::MAX.to_f64());
                let value = value.clamp(-beyond, beyond);
                let found = self.to_f64().clamp(-beyond, beyond);
                if found == value { 0.0 } else { (found - value).abs() / unit(value) }
            }

            fn allowed(shadow: Shadow<$ty>) -> Allowed<Self> {
                allowed_float(shadow.stored())
            }

            fn to_f64(self) -> f64 {
                self.widen().into()
            }
        }
    )*};
}

floats! {
    f32, u32, f32::MANTISSA_DIGITS, f32::MIN_EXP - 1;
    f16, u16, f16::MANTISSA_DIGITS, f16::MIN_EXP - 1;
    bf16, u16, bf16::MANTISSA_DIGITS, bf16::MIN_EXP - 1;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Judged for $ty {
            const SPECIAL: &'static [Self] = &[0, 1];

            fn from_any(bits: u64) -> Self {
                bits as $ty
            }

            fn near(value: f32) -> Self {
                value as $ty
            }

            fn to_shadow(self) -> $ty {
                self
            }

            fn is_same(self, other: Self, _: Unsigned) -> bool {
                self == other
            }

            fn ulps_from(self, value: f64) -> f64 {
                (self.to_f64() - value).abs()
            }

            fn allowed(shadow: $ty) -> Allowed<Self> {
                Allowed::Between { least: shadow, most: shadow, value: shadow.to_f64(), error: 0.0 }
            }

            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

integers!(i8 i32 i64 u8);

impl Judged for bool {
    const SPECIAL: &'static [Self] = &[false, true];

    fn from_any(bits: u64) -> Self {
        bits & 1 == 1
    }

    fn near(value: f32) -> Self {
        value > 0.0
    }

    fn to_shadow(self) -> bool {
        self
    }

    fn is_same(self, other: Self, _: Unsigned) -> bool {
        self == other
    }

    fn ulps_from(self, value: f64) -> f64 {
        (self.to_f64() - value).abs()
    }

    fn allowed(shadow: bool) -> Allowed<Self> {
        Allowed::Between {
            least: shadow,
            most: shadow,
            value: shadow.to_f64(),
            error: 0.0,
        }
    }

    fn to_f64(self) -> f64 {
        f64::from(u8::from(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1/3 · 3 in a shadow: near 1, off by little.
    fn near_one() -> Real {
        Real::from(1.0) / Real::from(3.0) * Real::from(3.0)
    }

    #[test]
    fn neighbours_are_told_apart() {
        let allowed = f32::allowed(Shadow::narrow(near_one()));
        assert!(allowed.includes(1.0) && allowed.includes(1f32.next_down()));
        assert!(!allowed.includes(1.000001) && !allowed.includes(0.999999) && !allowed.includes(f32::NAN));
        assert!(f16::allowed(Shadow::narrow(near_one())).includes(f16::ONE));
        assert!(!f16::allowed(Shadow::narrow(near_one())).includes(f16::from_bits(f16::ONE.to_bits() + 1)));
    }

    #[test]
    fn a_bound_that_leaves_few_digits_is_rough() {
        let third = Real::from(1.0) / Real::from(3.0);
        let cancelled = third * Real::from(3.0) - Real::from(1.0);
        assert!(f32::allowed(Shadow::narrow(cancelled)).is_rough());
        assert!(!f32::allowed(Shadow::narrow(third)).is_rough());
        assert!(
            !f32::allowed(Shadow::from(0.0)).is_rough()
                && !f32::allowed(Shadow::narrow(Real::NAN)).is_rough()
        );
    }

    #[test]
    fn nan_and_infinity_match_only_themselves() {
        let nan = f32::allowed(Shadow::narrow(Real::NAN));
        assert!(nan.includes(f32::NAN) && !nan.includes(0.0));
        let infinite = f32::allowed(Shadow::narrow(Real::INFINITY));
        assert!(
            infinite.includes(f32::INFINITY)
                && !infinite.includes(f32::MAX)
                && !infinite.includes(f32::NEG_INFINITY)
        );
        assert_eq!(
            f16::allowed(Shadow::narrow(Real::from(1e6))).describe(),
            "inf to inf (1e6 in f64)"
        );
    }

    #[test]
    fn distances_are_in_units_of_the_element() {
        assert_eq!(f16::from_bits(f16::ONE.to_bits() + 1).ulps_from(1.0), 1.0);
        assert_eq!(bf16::from_bits(bf16::ONE.to_bits() + 3).ulps_from(1.0), 3.0);
        assert_eq!(2f32.next_up().ulps_from(2.0), 1.0);
        assert_eq!(
            f16::from_bits(2).ulps_from(0.0),
            2.0,
            "subnormals have their own unit"
        );
        assert_eq!(
            f16::MAX.ulps_from(f64::INFINITY),
            0.5,
            "the next number would be of twice the unit"
        );
        assert_eq!(f16::INFINITY.ulps_from(65519.0), 17.0 / 32.0);
        assert!(f16::NAN.ulps_from(1.0).is_nan());
    }

    #[test]
    fn zeros_of_either_sign_differ_in_bits_and_not_in_value() {
        let bits = Unsigned::default();
        assert!(!0f32.is_same(-0.0, bits) && f32::NAN.is_same(-f32::NAN, bits));
        let zeros = Unsigned { zeros: true, ..bits };
        assert!(0f32.is_same(-0.0, zeros) && f16::ZERO.is_same(f16::NEG_ZERO, zeros));
        assert!(!1f32.is_same(-1.0, zeros) && !0f32.is_same(f32::from_bits(1), zeros));
        assert!(!f32::INFINITY.is_same(f32::NEG_INFINITY, zeros));
        let both = Unsigned {
            infinities: true,
            ..zeros
        };
        assert!(f32::INFINITY.is_same(f32::NEG_INFINITY, both) && !f32::INFINITY.is_same(f32::NAN, both));
        assert!(f32::allowed(Shadow::from(0.0)).includes(-0.0));
    }
}

//! Conversions in a kernel's shadow, where `f32` is [`Real`].

use super::Real;

/// `self as T`, with Rust's rules.
pub trait CastTo<T> {
    /// The converted value.
    fn cast_to(self) -> T;
}

/// `value as T`, with Rust's rules; `T` is [`Real`] where the kernel has `f32`.
pub fn cast<S: CastTo<T>, T>(value: S) -> T {
    value.cast_to()
}

/// A constant of the kernel's crate in its shadow: an `f32` is a [`Real`], all else is itself.
pub trait Lift {
    /// The type in the shadow.
    type Lifted;

    /// The value in the shadow.
    fn lift(self) -> Self::Lifted;
}

impl Lift for f32 {
    type Lifted = Real;

    fn lift(self) -> Real {
        self.into()
    }
}

impl Lift for bool {
    type Lifted = bool;

    fn lift(self) -> bool {
        self
    }
}

impl CastTo<bool> for bool {
    fn cast_to(self) -> bool {
        self
    }
}

impl CastTo<Real> for Real {
    fn cast_to(self) -> Real {
        self
    }
}

macro_rules! from_to {
    ($($from:ident)*; $to:tt) => {$(from_to!(@ $from $to);)*};
    (@ $from:ident [$($to:ident)*]) => {$(
        impl CastTo<$to> for $from {
            fn cast_to(self) -> $to {
                self as $to
            }
        }
    )*};
}

// `usize` is what `step_by` takes.
from_to!(bool i8 i16 i32 i64 u8 u16 u32 u64; [i8 i16 i32 i64 u8 u16 u32 u64 usize]);

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl CastTo<Real> for $ty {
            fn cast_to(self) -> Real {
                Real::rounded_once(self as f64)
            }
        }

        impl CastTo<$ty> for Real {
            fn cast_to(self) -> $ty {
                self.decided(|value| value as $ty)
            }
        }

        impl Lift for $ty {
            type Lifted = $ty;

            fn lift(self) -> $ty {
                self
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_follow_rust() {
        assert_eq!(cast::<_, u8>(-1i64), 255);
        assert_eq!(cast::<_, i64>(u32::MAX), 4294967295);
        assert_eq!(cast::<_, i32>(true), 1);
        assert_eq!(cast::<_, i8>(Real::from(1e9)), 127);
        assert_eq!(cast::<_, u32>(Real::from(-2.7)), 0);
        assert_eq!(cast::<_, i64>(Real::from(-2.7)), -2);
        assert_eq!(cast::<_, i64>(Real::NAN), 0);
    }

    #[test]
    fn integers_that_f32_holds_convert_without_error() {
        let exact: Real = cast(1i64 << 24);
        assert_eq!((exact.value(), exact.error()), (16777216.0, 0.0));
        let rounded: Real = cast((1i64 << 24) + 1);
        assert!(rounded.error() >= 1.0 && rounded.error() < 1.001);
    }

    #[test]
    fn constants_keep_their_type_unless_they_are_f32() {
        assert_eq!(7u16.lift(), 7u16);
        assert!(true.lift());
        assert_eq!(0.5f32.lift().value(), 0.5);
    }
}

//! Reductions over the lanes of a row. Each also names a type, by which a kernel's shadow finds its own.
#![allow(non_camel_case_types, reason = "types beside functions of the same name")]

use super::Real;

/// Numbers that lanes gather: `f32`, integers of 32 and 64 bits, and [`Real`] in a kernel's shadow.
pub trait Gathers: Copy {
    /// Adds `term` to a sum, in whatever order the device does.
    fn gather(&mut self, term: Self);

    /// Takes `term` from a sum, in whatever order the device does.
    fn gather_negative(&mut self, term: Self);

    /// The sum of what was gathered, with what the additions themselves may have lost.
    fn summed(self) -> Self;
}

impl Gathers for Real {
    fn gather(&mut self, term: Self) {
        Real::gather(self, term);
    }

    fn gather_negative(&mut self, term: Self) {
        Real::gather(self, -term);
    }

    fn summed(self) -> Self {
        Real::summed(self)
    }
}

macro_rules! gathers {
    ($($ty:ident)*) => {$(
        impl Gathers for $ty {
            fn gather(&mut self, term: Self) {
                *self += term;
            }

            fn gather_negative(&mut self, term: Self) {
                *self -= term;
            }

            fn summed(self) -> Self {
                self
            }
        }
    )*};
}

gathers!(f32 i32 i64 u32 u64);

/// The sum of what the lanes of a row gathered in `v` with `+=` or `-=`. Natively one loop gathered all of it.
///
/// `v` is an `f32`, whose terms are added in no fixed order, or an `i32`, `i64`, `u32` or `u64`, where a sum beyond the
/// type's range panics natively, in builds with overflow checks, and is an unspecified number on the device.
pub fn group_sum<T: Gathers>(v: T) -> T {
    v
}

/// The largest of what the lanes of a row gathered in `v` with `v = v.max(..)`. Natively one loop gathered all of it.
pub fn group_max<T: Gathers>(v: T) -> T {
    v
}

/// The smallest of what the lanes of a row gathered in `v` with `v = v.min(..)`. Natively one loop gathered all of it.
pub fn group_min<T: Gathers>(v: T) -> T {
    v
}

/// Whether a condition that the lanes of a row gathered in `v` with `v |= ..` holds in any of them, or `v` did before.
/// Natively one loop gathered all of it.
pub fn group_any(v: bool) -> bool {
    v
}

/// Whether a condition that the lanes of a row gathered in `v` with `v &= ..` holds in all of them, and `v` did before.
/// Natively one loop gathered all of it.
pub fn group_all(v: bool) -> bool {
    v
}

/// Declares the types beside reductions.
macro_rules! beside {
    ($($name:ident<$($generic:ident: $bound:ident)?>($ty:ty) $body:expr;)*) => {$(
        #[doc = concat!("Beside the function [`", stringify!($name), "`](fn@", stringify!($name), ").")]
        pub enum $name {}

        impl $name {
            /// In a kernel's shadow.
            pub fn shadow$(<$generic: $bound>)?(v: $ty) -> $ty {
                $body(v)
            }
        }
    )*};
}

beside! {
    group_sum<T: Gathers>(T) Gathers::summed;
    group_max<T: Gathers>(T) std::convert::identity;
    group_min<T: Gathers>(T) std::convert::identity;
    group_any<>(bool) std::convert::identity;
    group_all<>(bool) std::convert::identity;
}

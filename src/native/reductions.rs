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

    /// The sum of what was gathered so far, where lanes are added up one after the other.
    fn scanned(&mut self) -> Self;
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

    fn scanned(&mut self) -> Self {
        Real::scanned(self)
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

            fn scanned(&mut self) -> Self {
                *self
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

/// The place that the lanes of a row found for the largest value with `if v > most { most = v; place = i; }`, where `i` is the
/// lane: the first of several that are equally large. Natively one loop looked at all of them.
///
/// NaN is not greater than anything and so is never found. Where nothing is greater than what `most` starts with, the place is
/// what `place` starts with. It is the same on every device, in whatever order lanes run.
pub fn group_argmax<T: Gathers>(_most: T, place: i64) -> i64 {
    place
}

/// The place that the lanes of a row found for the smallest value with `if v < least { least = v; place = i; }`, where `i` is
/// the lane; in all else as [`group_argmax`](fn@group_argmax).
pub fn group_argmin<T: Gathers>(_least: T, place: i64) -> i64 {
    place
}

/// What the lanes of a row up to this one have added to `v` with `v += ..` or `v -= ..`. Natively `v` is just that.
///
/// It stands in `lanes`, behind the addition, with the lane's own term, or without it in a `let` right before the addition. `v`
/// is as for [`group_sum`](fn@group_sum), which gives the sum of all lanes after the loop. `f32` are added in no fixed order,
/// integers come out exactly.
pub fn group_scan_sum<T: Gathers>(v: T) -> T {
    v
}

/// Beside the function [`group_scan_sum`](fn@group_scan_sum).
pub enum group_scan_sum {}

impl group_scan_sum {
    /// In a kernel's shadow.
    pub fn shadow<T: Gathers>(v: &mut T) -> T {
        v.scanned()
    }
}

/// Declares the types beside reductions.
macro_rules! beside {
    ($($name:ident<$($generic:ident: $bound:ident)?>($($arg:ident: $ty:ty),*) -> $gives:ty { $body:expr })*) => {$(
        #[doc = concat!("Beside the function [`", stringify!($name), "`](fn@", stringify!($name), ").")]
        pub enum $name {}

        impl $name {
            /// In a kernel's shadow.
            pub fn shadow$(<$generic: $bound>)?($($arg: $ty),*) -> $gives {
                $body
            }
        }
    )*};
}

beside! {
    group_sum<T: Gathers>(v: T) -> T { v.summed() }
    group_max<T: Gathers>(v: T) -> T { v }
    group_min<T: Gathers>(v: T) -> T { v }
    group_any<>(v: bool) -> bool { v }
    group_all<>(v: bool) -> bool { v }
    group_argmax<T: Gathers>(_most: T, place: i64) -> i64 { place }
    group_argmin<T: Gathers>(_least: T, place: i64) -> i64 { place }
}

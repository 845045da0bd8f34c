//! Functions of the prelude. Each also names a type, by which a kernel's shadow and its device code find theirs.
#![allow(non_camel_case_types, reason = "types beside functions of the same name")]

use oxysycl_codegen::source::Callee;

use super::Real;

/// `1 / sqrt(x)`
pub fn rsqrt(x: f32) -> f32 {
    x.sqrt().recip()
}

/// The error function.
pub fn erf(x: f32) -> f32 {
    libm::erff(x)
}

/// The sum of what the lanes of a row gathered in `v` with `+=` or `-=`. Natively one loop gathered all of it.
pub fn group_sum(v: f32) -> f32 {
    v
}

/// The largest of what the lanes of a row gathered in `v` with `v = v.max(..)`. Natively one loop gathered all of it.
pub fn group_max(v: f32) -> f32 {
    v
}

/// The smallest of what the lanes of a row gathered in `v` with `v = v.min(..)`. Natively one loop gathered all of it.
pub fn group_min(v: f32) -> f32 {
    v
}

/// Beside the function [`rsqrt`](fn@rsqrt).
pub enum rsqrt {}

impl rsqrt {
    /// What a call of it is on the device.
    pub const CALLEE: Callee = Callee::Builtin("rsqrt");

    /// In a kernel's shadow.
    pub fn shadow(x: Real) -> Real {
        x.rsqrt()
    }
}

/// Beside the function [`erf`](fn@erf).
pub enum erf {}

impl erf {
    /// What a call of it is on the device.
    pub const CALLEE: Callee = Callee::Builtin("erf");

    /// In a kernel's shadow.
    pub fn shadow(x: Real) -> Real {
        x.erf()
    }
}

/// Beside the function [`group_sum`](fn@group_sum).
pub enum group_sum {}

impl group_sum {
    /// In a kernel's shadow, where it adds what the additions themselves may have lost.
    pub fn shadow(v: Real) -> Real {
        v.summed()
    }
}

/// Beside the function [`group_max`](fn@group_max).
pub enum group_max {}

impl group_max {
    /// In a kernel's shadow.
    pub fn shadow(v: Real) -> Real {
        v
    }
}

/// Beside the function [`group_min`](fn@group_min).
pub enum group_min {}

impl group_min {
    /// In a kernel's shadow.
    pub fn shadow(v: Real) -> Real {
        v
    }
}

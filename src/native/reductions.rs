//! Reductions over the lanes of a row. Each also names a type, by which a kernel's shadow finds its own.
#![allow(non_camel_case_types, reason = "types beside functions of the same name")]

use super::Real;

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

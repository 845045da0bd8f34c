//! Activation functions that the gated operators share.

use crate::prelude::*;

/// 1 / (1 + e⁻ˣ), from 0 to 1.
#[sycl_fn]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// x · sigmoid(x). About 0 for large negative numbers, `x` for large positive ones, NaN at −∞.
#[sycl_fn]
pub fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// x · Φ(x), by the complementary error function, which keeps the digits of the negative tail. ∞ at ∞, NaN at −∞.
#[sycl_fn]
pub fn gelu(x: f32) -> f32 {
    0.5 * x * erfc(-x * std::f32::consts::FRAC_1_SQRT_2)
}

/// The approximation ½x · (1 + tanh u) with u = √(2/π) · (x + 0.044715 x³).
///
/// Computed as x · sigmoid(2u), which is the same number: in `1 + tanh u` the digits of the negative tail cancel, and
/// `tanh` from exponentials is ∞ / ∞ beyond |x| = 11. ∞ at ∞, NaN at −∞.
#[sycl_fn]
pub fn gelu_tanh(x: f32) -> f32 {
    let twice = 1.595_769 * (x + 0.044715 * x * x * x);
    x / (1.0 + (-twice).exp())
}

/// The lesser of the two; NaN stays NaN.
#[sycl_fn]
pub fn at_most(x: f32, limit: f32) -> f32 {
    if x > limit { limit } else { x }
}

//! Every operator of [`oxysycl::ops`] on the device, against formulas in `f64` that know nothing of it.
//!
//! Formulas of exact operators are rounded as the contract says, and the results have to be the very same. For the others a
//! formula comes with the error that its `f32` computation may have: half an ULP for each correctly rounded operation, 2 ULP
//! for `rsqrt`, 3 for `exp` and `ln`, 4 for `sin` and `cos`, 16 for `erf`, and for a sum over a row half an ULP for each addition that a term goes through. What is stored
//! has to be the rounding of a number that is no further off.

mod argmax;
mod cumsum;
mod elementwise;
mod embedding;
mod gated;
mod norm;
mod quantisation;
mod refusal;
mod reports;
mod rope;
mod softmax;
mod support;

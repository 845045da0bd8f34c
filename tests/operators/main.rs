//! Every operator of [`oxysycl::ops`] on the device, against formulas in `f64` that know nothing of it.
//!
//! Formulas of exact operators are rounded as the contract says, and the results have to be the very same. For the others a
//! formula comes with the error that its `f32` computation may have: half an ULP for each correctly rounded operation, 2 ULP
//! for `rsqrt`, 3 for `exp`, and for a sum over a row half an ULP for each addition that a term goes through. What is stored
//! has to be the rounding of a number that is no further off.

mod elementwise;
mod gated;
mod norm;
mod refusal;
mod reports;
mod rope;
mod support;

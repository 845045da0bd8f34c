//! The operators of this project, one a file.

pub mod fused_rope;
pub mod rmsnorm;
pub mod scale;

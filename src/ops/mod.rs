//! The operators of this project, one a file.

pub mod fused_rope;
pub mod fused_rope_store;
pub mod rmsnorm;
pub mod scale;

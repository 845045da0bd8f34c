//! The operators of this project, one a file.

pub mod rmsnorm;
pub mod scale;

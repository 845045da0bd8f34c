//! Compiles, caches, loads and launches SYCL libraries. Knows nothing of kernels' Rust source or IR: it takes header text.

pub mod driver;
pub mod toolchain;
mod unit;

pub use unit::{Source, Target, Unit};

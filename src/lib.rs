//! Kernels for Intel XPUs, written in Rust, reviewed as SYCL, run anywhere.
#![forbid(unsafe_code)]

//! From a Rust kernel function to a SYCL header.
#![forbid(unsafe_code)]

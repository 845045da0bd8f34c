//! The attributes `#[sycl_kernel]` and `#[sycl_fn]`.

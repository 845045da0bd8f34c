//! Compiles, caches, loads and launches SYCL libraries. Knows nothing of kernels' Rust source or IR: it takes header text.

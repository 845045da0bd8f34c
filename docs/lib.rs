//! The guide for kernel authors. `mdbook build docs` makes a book of it; its code is this crate's documentation tests.
#![forbid(unsafe_code)]

#[doc = include_str!("src/first.md")]
pub mod first {}

#[doc = include_str!("src/words.md")]
pub mod words {}

#[doc = include_str!("src/attribute.md")]
pub mod attribute {}

#[doc = include_str!("src/checks.md")]
pub mod checks {}

#[doc = include_str!("src/output.md")]
pub mod output {}

#[doc = include_str!("src/porting.md")]
pub mod porting {}

#[doc = include_str!("src/numerics.md")]
pub mod numerics {}

#[doc = include_str!("src/recipes.md")]
pub mod recipes {}

#[doc = include_str!("src/cache.md")]
pub mod cache {}

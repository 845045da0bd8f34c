//! Kernels that must not compile, and what they are told.
//!
//! Each case shows our messages at the user's own tokens, and nothing of rustc's, whose wording changes.

#[test]
fn refused_kernels_say_what_to_write_instead() {
    trybuild::TestCases::new().compile_fail("tests/ui/refused/*.rs");
}

//! Environment variables.

use std::ffi::OsString;

/// The value of the variable `name`; one that is empty counts as not set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

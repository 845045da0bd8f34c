//! The devices that a driver compiles for, by name.

use super::CompileError;
use crate::unit::Target;

/// The value of `-fsycl-targets=` for `target`; an error if no compiler could know such a device.
pub(super) fn option(target: &Target) -> Result<&str, CompileError> {
    let name = match target {
        Target::Spir64 => return Ok("spir64"),
        Target::Named(name) => name,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-,.:".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        return Ok(name);
    }
    Err(CompileError::Refused {
        subject: format!("target {name:?}"),
        reason: "a target is `spir64` or the name of a device, such as `intel_gpu_bmg_g21`".to_owned(),
    })
}

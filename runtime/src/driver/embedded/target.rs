//! What a unit's device code is compiled for.

use super::super::CompileError;
use crate::unit::Target;

/// What device code is compiled for, in icpx's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Architecture {
    /// Any device that takes SPIR-V.
    Spir64,
    /// NVIDIA's GPUs.
    Nvptx64,
}

impl Architecture {
    const ALL: [Self; 2] = [Self::Spir64, Self::Nvptx64];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Spir64 => "spir64",
            Self::Nvptx64 => "nvptx64-nvidia-cuda",
        }
    }

    /// What `target` stands for: each at most once, in one order.
    pub(super) fn all_in(target: &Target) -> Result<Vec<Self>, CompileError> {
        let names = target.name().split(',');
        let mut found = names.map(Self::named).collect::<Result<Vec<_>, _>>()?;
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// `error` as one of the device pass for this target. What is said without a target is said of SPIR-V.
    pub(super) fn explain(self, error: CompileError) -> CompileError {
        match self {
            Self::Spir64 => error,
            Self::Nvptx64 => CompileError::Target {
                target: self.name(),
                source: Box::new(error),
            },
        }
    }

    fn named(name: &str) -> Result<Self, CompileError> {
        // Ahead of time for one GPU of Intel's is icpx's business; their drivers all take SPIR-V.
        if name.starts_with("intel_gpu_") {
            return Ok(Self::Spir64);
        }
        Self::ALL
            .into_iter()
            .find(|architecture| architecture.name() == name)
            .ok_or_else(|| CompileError::Refused {
                subject: format!("target {name:?}"),
                reason: format!(
                    "the embedded toolchain compiles for {}, or both with a comma between them; for other targets use icpx",
                    Self::ALL.map(Self::name).join(" and ")
                ),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn of(target: &str) -> Result<Vec<Architecture>, String> {
        Architecture::all_in(&Target::Named(target.to_owned())).map_err(|error| error.to_string())
    }

    #[test]
    fn targets_are_told_apart() {
        use Architecture::{Nvptx64, Spir64};
        assert_eq!(of("spir64"), Ok(vec![Spir64]));
        assert_eq!(of("nvptx64-nvidia-cuda,spir64"), Ok(vec![Spir64, Nvptx64]));
        assert_eq!(of("spir64,spir64"), Ok(vec![Spir64]));
        assert_eq!(of("intel_gpu_bmg_g21"), Ok(vec![Spir64]));
        for unknown in ["", "spir64,", "amdgcn-amd-amdhsa", "nvptx64", " spir64"] {
            let error = of(unknown).unwrap_err();
            assert!(
                error.contains("nvptx64-nvidia-cuda") && error.starts_with("target \""),
                "{error}"
            );
        }
    }
}

//! Why the embedded toolchain could not be provided.

/// Why the embedded toolchain could not be provided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {}

//! The project's home folder.

use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, Xdg};

use super::ToolchainError;
use crate::environment;

/// `OXYSYCL_HOME`, else `oxysycl` in the user's cache folder; absolute.
pub(super) fn folder() -> Result<PathBuf, ToolchainError> {
    let folder = match environment::variable("OXYSYCL_HOME") {
        Some(home) => PathBuf::from(home),
        None => {
            let user = Xdg::new().map_err(|_| ToolchainError::NoHome)?;
            user.cache_dir().join("oxysycl")
        }
    };
    std::path::absolute(&folder).map_err(|_| ToolchainError::NoHome)
}

//! The project's home folder on this machine.

use std::path::PathBuf;

use etcetera::base_strategy::{BaseStrategy, Xdg};

use crate::environment;

/// `OXYSYCL_HOME`, else `oxysycl` in the user's cache folder; absolute. None if the user has no home folder.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = match environment::variable("OXYSYCL_HOME") {
        Some(home) => home.into(),
        None => Xdg::new().ok()?.cache_dir().join("oxysycl"),
    };
    std::path::absolute(folder).ok()
}

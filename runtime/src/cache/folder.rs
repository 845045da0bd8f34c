//! The folders that a cache lives in, and whether what is in them can be trusted: code from there is run.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::VARIABLE;
use crate::trust::{self, Trust};
use crate::{environment, home};

/// The cache folder that the environment asks for: `OXYSYCL_CACHE`, else `modules` in `OXYSYCL_HOME`, else
/// `oxysycl/modules` in the user's cache folder. None if there is no home folder either.
pub(super) fn from_environment() -> Option<PathBuf> {
    match environment::variable(VARIABLE) {
        Some(folder) => Some(folder.into()),
        None => home::folder().map(|home| home.join("modules")),
    }
}

/// Whether what is in `folder` may be used. A folder of this user that others may write to is tightened, and
/// said so. The error says why not. A folder that does not exist yet is fine.
pub(super) fn examine(folder: &Path) -> Result<(), String> {
    let Some(trust) = trust_in(folder)? else {
        return Ok(());
    };
    let Trust::TooOpen(open) = trust else {
        return Ok(());
    };
    fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(|error| format!("{open}: {error}"))?;
    // What is in it already may be anybody's.
    if let Some(foreign) = foreign_entry(folder).map_err(|error| error.to_string())? {
        return Err(format!(
            "{open}, and {} belongs to another user",
            foreign.display()
        ));
    }
    eprintln!(
        "oxysycl: the cache folder {}: {open}; they are 0700 now",
        folder.display()
    );
    Ok(())
}

/// Whether what is in `folder`, which is only read, may be used. The error says why not.
pub(super) fn examine_read_only(folder: &Path) -> Result<(), String> {
    match trust_in(folder)? {
        None | Some(Trust::Full) => Ok(()),
        Some(Trust::TooOpen(open)) => Err(open),
    }
}

/// How far `folder` can be trusted; none if it does not exist.
fn trust_in(folder: &Path) -> Result<Option<Trust>, String> {
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !found.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    trust::of(&found).map(Some)
}

/// Something in `folder` that does not belong to this user.
fn foreign_entry(folder: &Path) -> io::Result<Option<PathBuf>> {
    let user = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.uid() != user {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

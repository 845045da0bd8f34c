//! The folder that a cache lives in, and whether what is in it can be trusted: code from it is run.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{BaseStrategy, Xdg};

use super::VARIABLE;
use crate::environment;

/// The bits that let others write.
const OTHERS_WRITE: u32 = 0o022;

/// The cache folder that the environment asks for: `OXYSYCL_CACHE`, else `modules` in `OXYSYCL_HOME`, else
/// `oxysycl/modules` in the user's cache folder. None if there is no home folder either.
pub(super) fn from_environment() -> Option<PathBuf> {
    if let Some(folder) = environment::variable(VARIABLE) {
        return Some(folder.into());
    }
    if let Some(home) = environment::variable("OXYSYCL_HOME") {
        return Some(Path::new(&home).join("modules"));
    }
    Xdg::new()
        .ok()
        .map(|user| user.cache_dir().join("oxysycl/modules"))
}

/// Whether what is in `folder` may be used. A folder of this user that others may write to is tightened, and said so. The
/// error says why not. A folder that does not exist yet is fine.
pub(super) fn examine(folder: &Path) -> Result<(), String> {
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    if !found.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    let (user, mode) = (rustix::process::geteuid().as_raw(), found.mode() & 0o7777);
    if found.uid() != user && found.uid() != 0 {
        return Err(format!(
            "it belongs to user {}, who could have put foreign code there",
            found.uid()
        ));
    }
    if mode & OTHERS_WRITE == 0 {
        return Ok(());
    }
    let open = format!("its permissions, {mode:04o}, let other users put code there");
    if found.uid() != user {
        return Err(open);
    }
    fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(|error| format!("{open}: {error}"))?;
    // What is in it already may be anybody's.
    if let Some(foreign) = foreign_entry(folder, user).map_err(|error| error.to_string())? {
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

/// Makes `folder`, for this user alone, and the folders above it.
pub(super) fn create(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Something in `folder` that does not belong to `user`.
fn foreign_entry(folder: &Path, user: u32) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.uid() != user {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

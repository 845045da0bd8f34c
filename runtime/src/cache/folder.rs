//! The folder that a cache lives in, and whether what is in it can be trusted: code from it is run.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::VARIABLE;
use crate::{environment, home};

/// The bits that let others write.
const OTHERS_WRITE: u32 = 0o022;

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
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    if !found.is_dir() {
        return Err("it is not a folder".to_owned());
    }
    let user = rustix::process::geteuid().as_raw();
    if let Trust::Full = trust(found.uid(), found.mode(), user)? {
        return Ok(());
    }
    let open = others_write(found.mode());
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

/// How far a folder can be trusted.
#[derive(Debug, PartialEq, Eq)]
enum Trust {
    /// Nobody else can have put anything there.
    Full,
    /// It belongs to this user, but others can write to it.
    TooOpen,
}

/// How far `user` can trust a folder of `owner` with these permissions; the error says why not at all. Root
/// is trusted, who can do anything anyway, so that a machine may offer a filled cache to all.
fn trust(owner: u32, mode: u32, user: u32) -> Result<Trust, String> {
    match (owner == user || owner == 0, mode & OTHERS_WRITE == 0) {
        (false, _) => Err(format!(
            "it belongs to user {owner}, who could have put foreign code there"
        )),
        (true, true) => Ok(Trust::Full),
        (true, false) if owner == user => Ok(Trust::TooOpen),
        (true, false) => Err(others_write(mode)),
    }
}

fn others_write(mode: u32) -> String {
    format!(
        "its permissions, {:04o}, let other users put code there",
        mode & 0o7777
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_others_cannot_write_is_trusted() {
        const DIRECTORY: u32 = 0o040000;
        assert_eq!(trust(1000, DIRECTORY | 0o700, 1000), Ok(Trust::Full));
        assert_eq!(trust(1000, DIRECTORY | 0o755, 1000), Ok(Trust::Full));
        assert_eq!(trust(1000, DIRECTORY | 0o775, 1000), Ok(Trust::TooOpen));
        assert_eq!(trust(1000, DIRECTORY | 0o1777, 1000), Ok(Trust::TooOpen));
        assert_eq!(trust(0, DIRECTORY | 0o755, 1000), Ok(Trust::Full));
        assert!(trust(0, DIRECTORY | 0o1777, 1000).unwrap_err().contains("1777"));
        assert!(trust(1001, DIRECTORY | 0o700, 1000).unwrap_err().contains("1001"));
        assert!(trust(1001, DIRECTORY | 0o700, 0).unwrap_err().contains("1001"));
    }
}

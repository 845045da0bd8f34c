//! What only this user, or root, can have written. Code from the cache and from the toolchain is run, so that everything
//! there has to be such, and is made such, whatever the umask.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use tempfile::TempDir;

/// The bits that let others write.
const OTHERS_WRITE: u32 = 0o022;

/// How far a file or folder can be trusted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nobody else can have put anything there.
    Full,
    /// It belongs to this user, but others can write to it. The text says so.
    TooOpen(String),
}

/// How far what `found` describes can be trusted; the error says why not at all.
pub(crate) fn of(found: &Metadata) -> Result<Trust, String> {
    let user = rustix::process::geteuid().as_raw();
    judge(found.uid(), found.mode(), user)
}

/// Refuses what `found` describes unless nobody but this user and root can have written it.
pub(crate) fn expect(found: &Metadata) -> Result<(), String> {
    match of(found)? {
        Trust::Full => Ok(()),
        Trust::TooOpen(reason) => Err(reason),
    }
}

/// Root is trusted, who can do anything anyway, so that a machine may offer a filled cache or a toolchain to all.
fn judge(owner: u32, mode: u32, user: u32) -> Result<Trust, String> {
    let open = format!(
        "its permissions, {:04o}, let other users put code there",
        mode & 0o7777
    );
    match (owner == user || owner == 0, mode & OTHERS_WRITE == 0) {
        (false, _) => Err(format!(
            "it belongs to user {owner}, who could have put foreign code there"
        )),
        (true, true) => Ok(Trust::Full),
        (true, false) if owner == user => Ok(Trust::TooOpen(open)),
        (true, false) => Err(open),
    }
}

/// Makes `folder`, for this user alone, and the folders above it.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    if let Some(above) = folder.parent() {
        DirBuilder::new().recursive(true).mode(0o755).create(above)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A new folder in `folder` for this user alone, whose name starts with `prefix`; deleted with this value.
pub(crate) fn temporary_folder(prefix: &str, folder: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix(prefix)
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(folder)
}

/// Lets nobody but this user read or write the file `path`, which is there.
pub(crate) fn close_file(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_others_cannot_write_is_trusted() {
        const DIRECTORY: u32 = 0o040000;
        let full = |owner, mode, user| judge(owner, DIRECTORY | mode, user) == Ok(Trust::Full);
        assert!(full(1000, 0o700, 1000) && full(1000, 0o755, 1000) && full(0, 0o755, 1000));
        let open = |owner, mode, user| match judge(owner, DIRECTORY | mode, user) {
            Ok(Trust::TooOpen(reason)) => reason.contains(&format!("{mode:04o}")),
            _ => false,
        };
        assert!(open(1000, 0o775, 1000) && open(1000, 0o1777, 1000) && open(0, 0o777, 0));
        let refused = |owner, mode, user, word: &str| {
            judge(owner, DIRECTORY | mode, user).is_err_and(|reason| reason.contains(word))
        };
        assert!(refused(0, 0o1777, 1000, "1777"));
        assert!(refused(1001, 0o700, 1000, "1001") && refused(1001, 0o700, 0, "1001"));
    }
}

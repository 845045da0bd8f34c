//! Files that appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}", path = path.display())]
pub(super) struct WriteError {
    path: PathBuf,
    source: io::Error,
}

/// Puts `contents` at `path`, making its folder if need be.
pub(super) fn write(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    let written = || -> io::Result<()> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut builder = tempfile::Builder::new();
        let mut file: NamedTempFile = builder.permissions(permissions()).tempfile_in(folder)?;
        file.write_all(contents)?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|source| WriteError {
        path: path.to_owned(),
        source,
    })
}

/// Those of an ordinary file; the system takes off what the user's mask forbids.
fn permissions() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}

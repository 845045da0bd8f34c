//! Installation: complete or not at all, once however many ask for it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::part::Part;
use super::pins;
use super::{ToolchainError, manifest, pip, progress, wheel};
use crate::lock::Lock;

/// Starts the name of every folder that an installation works in.
const STAGING: &str = ".installing-";

/// Installs `part` at `root`, unless another process does so meanwhile.
pub(super) fn install(root: &Path, part: &Part) -> Result<(), ToolchainError> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(ToolchainError::Platform);
    }
    let parent = root.parent().expect("a toolchain has a folder above it");
    // Programs from here are run: whatever the umask, nobody else may put any there.
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(parent)
        .map_err(ToolchainError::writing(parent))?;
    let lock_file = parent.join("lock");
    let _lock = Lock::acquire_in_turn(&lock_file, "another process that installs the embedded toolchain")
        .map_err(ToolchainError::writing(&lock_file))?;
    if manifest::is_whole(root) {
        return Ok(());
    }
    eprintln!(
        "oxysycl: installing the {} ({} MB to download) at {}",
        part.name,
        pins::total_length(part.pins) / 1_000_000,
        root.display()
    );
    // Whoever made these held the lock, and is dead.
    remove_remains(parent).map_err(ToolchainError::writing(parent))?;
    // Beside its place, so that one rename puts it there.
    let staging = tempfile::Builder::new()
        .prefix(STAGING)
        .tempdir_in(parent)
        .map_err(ToolchainError::writing(parent))?;
    let tree = staging.path().join("tree");
    let wheels = pip::download(part.pins, staging.path())?;
    let bar = progress::bytes("extracting", part.extracted);
    for path in &wheels {
        wheel::extract(path, &tree, part.destination, &bar)?;
    }
    bar.finish_and_clear();
    manifest::write(&tree, part.needed)?;
    // A damaged toolchain may stand in the way.
    if root.exists() {
        let damaged = staging.path().join("damaged");
        fs::rename(root, &damaged).map_err(ToolchainError::writing(root))?;
    }
    fs::rename(&tree, root).map_err(ToolchainError::writing(root))
}

/// Deletes what killed installations left in `parent`.
fn remove_remains(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

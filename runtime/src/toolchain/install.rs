//! Installation: complete or not at all, once however many ask for it.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::part::Part;
use super::pins;
use super::progress::Progress;
use super::{ToolchainError, manifest, pip, wheel};
use crate::lock::Lock;

/// Starts the name of every folder that an installation works in.
const STAGING: &str = ".installing-";

/// Starts the name of every folder of downloaded wheels.
const WHEELS: &str = ".wheels-";

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
    // Kept where it may serve the next attempt: the network fails, or this process is killed.
    let wheels = parent.join(format!("{WHEELS}{}", part.version()));
    // Whoever made these held the lock, and is dead.
    remove_remains(parent, &wheels).map_err(ToolchainError::writing(parent))?;
    let installed = install_by_way_of(&wheels, root, part);
    let _ = match installed {
        Err(ToolchainError::Network { .. }) => fs::remove_dir(&wheels),
        _ => fs::remove_dir_all(&wheels),
    };
    installed
}

/// Installs `part` at `root`; what is downloaded goes to the folder `wheels`.
fn install_by_way_of(wheels: &Path, root: &Path, part: &Part) -> Result<(), ToolchainError> {
    let parent = root.parent().expect("a toolchain has a folder above it");
    // Beside its place, so that one rename puts it there.
    let staging = tempfile::Builder::new()
        .prefix(STAGING)
        .tempdir_in(parent)
        .map_err(ToolchainError::writing(parent))?;
    let tree = staging.path().join("tree");
    let wheels = pip::download(part.pins, wheels, staging.path())?;
    let progress = Progress::bytes("extracting", part.extracted);
    for path in &wheels {
        wheel::extract(path, &tree, part.destination, progress.bar())?;
    }
    drop(progress);
    manifest::write(&tree, part.needed)?;
    // A damaged toolchain may stand in the way.
    if root.exists() {
        let damaged = staging.path().join("damaged");
        fs::rename(root, &damaged).map_err(ToolchainError::writing(root))?;
    }
    fs::rename(&tree, root).map_err(ToolchainError::writing(root))
}

/// Deletes what killed installations left in `parent`, but not `wheels`.
fn remove_remains(parent: &Path, wheels: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(STAGING) || name.starts_with(WHEELS) && entry.path() != wheels {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

//! Downloads by pip, which knows from its own configuration where from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::pins::{self, Pin};
use super::{ToolchainError, progress};
use crate::process::{self, Ending};

/// Downloads the wheels of `pins` into a new folder `wheels` in `staging`, where pip's temporary files go too.
pub(super) fn download(pins: &[Pin], staging: &Path) -> Result<Vec<PathBuf>, ToolchainError> {
    let temporary = staging.join("tmp");
    let wheels = staging.join("wheels");
    let requirements = staging.join("requirements.txt");
    for folder in [&temporary, &wheels] {
        fs::create_dir(folder).map_err(ToolchainError::writing(folder))?;
    }
    fs::write(&requirements, pins::requirements(pins)).map_err(ToolchainError::writing(&requirements))?;

    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--no-input",
        "--disable-pip-version-check",
    ])
    .args([
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--progress-bar=off",
    ])
    .arg("--dest")
    .arg(&wheels)
    .arg("--requirement")
    .arg(&requirements)
    .env("TMPDIR", &temporary);

    let bar = progress::bytes("downloading", pins::total_length(pins));
    // pip says nothing that could be shown until a wheel is complete; the files it is writing do.
    let finished = process::run(&mut pip, None, || {
        bar.set_position(length(&temporary) + length(&wheels));
    });
    bar.finish_and_clear();
    let finished = finished.map_err(|source| ToolchainError::NoPython { source })?;
    match finished.ending {
        Ending::Exit(0) => list(&wheels).map_err(ToolchainError::writing(&wheels)),
        ending => Err(explain(ending, finished.text(), staging)),
    }
}

/// What pip's failure means.
fn explain(ending: Ending, output: String, staging: &Path) -> ToolchainError {
    let says = |texts: &[&str]| texts.iter().any(|text| output.contains(text));
    if says(&["No module named pip", "No module named 'pip'"]) {
        ToolchainError::NoPip { output }
    } else if says(&["DO NOT MATCH THE HASHES", "Hashes are required"]) {
        ToolchainError::Mismatch { output }
    } else if says(&["No space left on device", "Errno 28", "Disk quota exceeded"]) {
        ToolchainError::NoSpace {
            path: staging.to_path_buf(),
        }
    } else if says(&[
        "No matching distribution",
        "Could not find a version",
        "Failed to establish a new connection",
        "Max retries exceeded",
        "ConnectionError",
        "ProxyError",
        "ReadTimeoutError",
    ]) {
        ToolchainError::Network { output }
    } else {
        ToolchainError::Pip {
            status: ending.to_string(),
            output,
        }
    }
}

/// The files in `folder`, sorted by name.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// The length of all files below `folder` in bytes, as far as they can be seen: they come and go.
fn length(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => length(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}

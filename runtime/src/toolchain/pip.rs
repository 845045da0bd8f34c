//! Downloads by pip, which knows from its own configuration where from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ToolchainError;
use super::pins::{self, Pin};
use super::progress::Progress;
use crate::process::{self, Ending};

/// Downloads the wheels of `pins` into the folder `wheels`. What is there already from an earlier attempt, and has the pinned
/// digest, is not downloaded again. pip's temporary files go to `staging`.
pub(super) fn download(pins: &[Pin], wheels: &Path, staging: &Path) -> Result<Vec<PathBuf>, ToolchainError> {
    let temporary = staging.join("tmp");
    for folder in [wheels, &temporary] {
        fs::create_dir_all(folder).map_err(ToolchainError::writing(folder))?;
    }
    let progress = Progress::bytes("downloading", pins::total_length(pins));
    for pin in pins {
        // One by one: pip keeps nothing of several if it does not get them all.
        let requirements = staging.join("requirements.txt");
        fs::write(&requirements, pin.requirement()).map_err(ToolchainError::writing(&requirements))?;
        let mut pip = command(&requirements, wheels, &temporary);
        // pip says nothing that could be shown until a wheel is complete; the files it is writing do.
        let finished = process::run(&mut pip, None, || {
            progress.bar().set_position(length(&temporary) + length(wheels));
        });
        let finished = finished.map_err(|source| ToolchainError::NoPython { source })?;
        if finished.ending != Ending::Exit(0) {
            return Err(explain(finished.ending, finished.text(), staging));
        }
    }
    list(wheels).map_err(ToolchainError::writing(wheels))
}

fn command(requirements: &Path, wheels: &Path, temporary: &Path) -> Command {
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
    .arg(wheels)
    .arg("--requirement")
    .arg(requirements)
    // Within a wheel; versions of pip that cannot do it do not mind.
    .env("PIP_RESUME_RETRIES", "20")
    .env("TMPDIR", temporary);
    pip
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

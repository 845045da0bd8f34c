//! The Python packages that tests use: installed by pip beside the toolchain, complete or not at all, once however many tests
//! ask for them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use oxysycl::runtime::toolchain::Toolchain;
use sha2::{Digest, Sha256};

/// The folder that Python finds the packages of `requirements` in: a file of pinned versions and digests, as pip reads it.
pub(crate) fn folder(requirements: &Path) -> PathBuf {
    let toolchain = Toolchain::place().unwrap();
    let home = toolchain
        .ancestors()
        .nth(2)
        .expect("the toolchain is two folders below the home folder");
    let parent = home.join("python");
    fs::create_dir_all(&parent).unwrap();
    let lock = File::create(parent.join("lock")).unwrap();
    lock.lock().unwrap();
    // A wheel is for one version of Python.
    let digest = hex::encode(Sha256::digest(fs::read(requirements).unwrap()));
    let folder = parent.join(format!("{}-{}", python_version(), &digest[..12]));
    if !folder.exists() {
        let staging = tempfile::tempdir_in(&parent).unwrap();
        let packages = staging.path().join("packages");
        let output = Command::new("python3")
            .args([
                "-m",
                "pip",
                "install",
                "--no-input",
                "--disable-pip-version-check",
                "--no-deps",
            ])
            .args([
                "--only-binary=:all:",
                "--require-hashes",
                "--progress-bar=off",
                "--target",
            ])
            .arg(&packages)
            .arg("--requirement")
            .arg(requirements)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        fs::rename(&packages, &folder).unwrap();
    }
    folder
}

/// Such as `cpython-311`.
fn python_version() -> String {
    let question = "import sys; print(sys.implementation.cache_tag)";
    let output = Command::new("python3").args(["-c", question]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

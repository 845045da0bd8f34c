//! The package `oxysycl` as Python has it: its pytest suite, run on what cargo has built.

#[path = "../../tests/python/packages.rs"]
mod packages;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// As a user does: what has to be known of the toolchain the command tells the shell.
const SETTLED: &str = r#"
python3 -m oxysycl toolchain install >/dev/null && eval "$(python3 -m oxysycl toolchain env)" && exec python3 "$@"
"#;

/// A folder with the package, as a wheel would install it.
fn package() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("oxysycl");
    fs::create_dir(&package).unwrap();
    for entry in fs::read_dir(Path::new(CRATE).join("oxysycl")).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().unwrap_or_default();
        if ["py", "pyi", "typed"].iter().any(|known| extension == *known) {
            fs::copy(&path, package.join(path.file_name().unwrap())).unwrap();
        }
    }
    // Cargo builds the library for these tests, beside them.
    let tests = env::current_exe().unwrap();
    let library = tests.with_file_name("liboxysycl_python.so");
    fs::copy(&library, package.join("_native.abi3.so")).unwrap();
    folder
}

/// A command of Python with `package` and what the suite needs, and the toolchain's libraries as the command tells a shell.
fn python(package: &Path) -> Command {
    let requirements = |path: &str| packages::folder(&Path::new(CRATE).join(path));
    let folders = [
        package.to_owned(),
        requirements("../tests/python/requirements.txt"),
        requirements("tests/requirements.txt"),
    ];
    let mut command = Command::new("sh");
    command
        .args(["-c", SETTLED, "sh"])
        .env("PYTHONPATH", env::join_paths(folders).unwrap())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("OXYSYCL_DRIVER", "embedded")
        .current_dir(package);
    command
}

#[track_caller]
fn text(output: &Output) -> String {
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text
}

/// Runs one file of the suite, and prints what it skips.
#[track_caller]
fn suite(file: &str) {
    let package = package();
    let path: PathBuf = [CRATE, "tests", "suite", file].iter().collect();
    let output = python(package.path())
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"])
        .arg(path)
        .env("HYPOTHESIS_STORAGE_DIRECTORY", package.path())
        .output()
        .unwrap();
    let told = text(&output);
    for skipped in told.lines().filter(|line| line.starts_with("SKIPPED")) {
        println!("{skipped}");
    }
}

#[test]
fn operators_agree_with_numpy() {
    suite("operators.py");
}

#[test]
fn arrays_may_lie_in_memory_as_kernels_take_them() {
    suite("layouts.py");
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    suite("refusals.py");
}

#[test]
fn the_package_is_whole() {
    suite("package.py");
}

#[test]
fn devices_run_what_they_are_given() {
    suite("devices.py");
}

/// The guide's chapter, from top to bottom.
#[test]
fn the_guide_does_what_it_says() {
    let package = package();
    let chapter = fs::read_to_string(Path::new(CRATE).join("../docs/src/python.md")).unwrap();
    let blocks = chapter.split("```python\n").skip(1);
    let script: String = blocks.map(|block| block.split("```").next().unwrap()).collect();
    assert!(script.lines().count() > 10);
    text(&python(package.path()).args(["-c", &script]).output().unwrap());
}

/// With `UPDATE=1` they are written anew.
#[test]
fn types_are_those_of_the_kernels() {
    let package = package();
    let script = "import oxysycl._native as native; print(native.stub(), end='')";
    let output = python(package.path()).args(["-c", script]).output().unwrap();
    let written = text(&output);
    let path = Path::new(CRATE).join("oxysycl/ops.pyi");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == written,
        "python/oxysycl/ops.pyi is not what the kernels say: write it anew with UPDATE=1"
    );
}

//! Callers that know nothing of Rust: Python scripts which call exported functions by ctypes, on a queue and on memory of dpctl.

mod packages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use oxysycl::prelude::*;
use tempfile::TempDir;

const OXYSYCL: &str = env!("CARGO_BIN_EXE_oxysycl");

/// Writes its arguments to memory, one to an element.
#[sycl_kernel(symbol = "echo_forward", shapes(integers = [numel], reals = [numel]))]
#[expect(
    clippy::too_many_arguments,
    dead_code,
    reason = "arguments are what is tested, of its device side alone"
)]
fn echo(
    integers: &mut [i64],
    reals: &mut [f32],
    wide: i64,
    real: f32,
    narrow: i32,
    count: u32,
    flag: bool,
    last: i64,
    numel: i64,
) {
    for i in elements(numel) {
        let exact = if i == 0 {
            wide
        } else if i == 1 {
            narrow as i64
        } else if i == 2 {
            count as i64
        } else if i == 3 {
            flag as i64
        } else {
            last
        };
        integers.store(i, exact);
        reals.store(i, real);
    }
}

/// Builds a library in `folder`.
fn build(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let library = folder.join(name);
    let output = Command::new(OXYSYCL)
        .arg("build")
        .args(arguments)
        .arg("-o")
        .arg(&library)
        .env("OXYSYCL_DRIVER", "embedded")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    library
}

/// Runs a script on libraries, as a user does: what it has to know of the toolchain the command tells the shell.
#[track_caller]
fn run(script: &str, libraries: &[&Path]) -> Output {
    let output = Command::new("sh")
        .args([
            "-c",
            r#"eval "$("$0" toolchain env)" && exec python3 "$@""#,
            OXYSYCL,
        ])
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/python")
                .join(script),
        )
        .args(libraries)
        .env("PYTHONPATH", packages())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// The folder that Python finds the scripts' packages in.
fn packages() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        packages::folder(Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/python/requirements.txt"
        )))
    })
}

fn norm(folder: &TempDir) -> PathBuf {
    let arguments = ["rmsnorm", "--dtype", "fp16", "-D", "HIDDEN_SIZE=4096"];
    build(folder.path(), "norm.so", &arguments)
}

fn scale(folder: &TempDir) -> PathBuf {
    build(folder.path(), "scale.so", &["scale", "--dtype", "fp16"])
}

#[test]
fn results_are_right() {
    let folder = tempfile::tempdir().unwrap();
    run("results.py", &[&norm(&folder), &scale(&folder)]);
}

#[test]
fn refusals_are_told_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    run("refusals.py", &[&norm(&folder), &scale(&folder)]);
}

#[test]
fn launches_keep_their_order_on_any_queue() {
    let folder = tempfile::tempdir().unwrap();
    let library = build(folder.path(), "scale.so", &["scale", "--dtype", "fp32"]);
    run("order.py", &[&library]);
}

#[test]
fn forked_processes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    run("fork.py", &[&norm(&folder), &scale(&folder)]);
}

#[test]
fn loading_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    run("load.py", &[&norm(&folder), &scale(&folder)]);
}

#[test]
fn exceptions_become_reasons() {
    let folder = tempfile::tempdir().unwrap();
    run("exceptions.py", &[&norm(&folder)]);
}

#[test]
fn callers_that_expect_no_code_are_told_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = run("void.py", &[&norm(&folder)]);
    let told = String::from_utf8(output.stderr).unwrap();
    // Once each, however often.
    for reason in ["rmsnorm: num_tokens is -1, but", "rmsnorm: input is null"] {
        assert_eq!(told.matches(reason).count(), 1, "{told}");
    }
}

#[test]
fn arguments_arrive_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("echo.hpp");
    fs::write(&header, oxysycl::codegen::header(&echo::kernel().ir().unwrap())).unwrap();
    let library = build(folder.path(), "echo.so", &["--header", header.to_str().unwrap()]);
    run("arguments.py", &[&library, &norm(&folder)]);
}

/// Libraries as sgl-kernel-xpu's loader compiles them: its file names below the folder of headers, and its macros.
#[test]
fn the_wrappers_of_sgl_kernel_xpu_find_what_they_call() {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new(OXYSYCL)
        .arg("emit")
        .arg("-o")
        .arg(folder.path())
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    let units = [
        (
            "elementwise/rmsnorm.hpp",
            &["SGL_RMSNORM_HIDDEN_SIZE=1536", "SGL_RMSNORM_DTYPE_fp16"][..],
        ),
        (
            "elementwise/qknorm.hpp",
            &["SGL_QKNORM_HEAD_DIM=128", "SGL_QKNORM_DTYPE_fp16"],
        ),
        ("elementwise/rope.hpp", &["SGL_ROPE_DIM=80"]),
        ("elementwise/activation.hpp", &["SGL_ACT_DTYPE_fp16"]),
        ("diffusion/timestep_embedding.hpp", &[]),
    ];
    let library = |(header, defines): (&str, &[&str])| {
        let header = folder.path().join(header);
        let mut arguments = vec!["--header", header.to_str().unwrap()];
        arguments.extend(defines.iter().flat_map(|define| ["-D", *define]));
        let name = format!("{}.so", header.file_stem().unwrap().to_str().unwrap());
        build(folder.path(), &name, &arguments)
    };
    let libraries = units.map(library);
    run("drop_in.py", &libraries.each_ref().map(PathBuf::as_path));
}

#[test]
fn hand_written_headers_work_too() {
    let folder = tempfile::tempdir().unwrap();
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/tests/fixtures/scale.hpp");
    let library = build(
        folder.path(),
        "foreign.so",
        &["--header", header, "-D", "SCALE_BY=3"],
    );
    run("foreign.py", &[&library]);
}

//! The program that all accepted kernels are in: written, compiled and run.
//!
//! It is compiled by rustc alone, against the very `oxysycl` that this test is linked with, so that nothing is built twice.

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::kernel::{Generated, SCHEDULES};

/// Schedules that are compiled as one module.
const TOGETHER: usize = 45;
/// Cases that each schedule is run with.
const CASES: usize = 6;
/// How often kernels are taken out that rustc refuses. It judges types first, then borrows.
const ROUNDS: usize = 6;

/// What bundles are for.
const TARGET: &str = "nvptx64-nvidia-cuda";

/// What came of the accepted kernels, by their seeds.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Kernels that rustc refuses, with its message, or the checks once they have seen what rustc knows.
    pub(crate) refused: Vec<(u64, String)>,
    /// Kernels times schedules that ran.
    pub(crate) launches: usize,
    /// Cases that ran.
    pub(crate) cases: usize,
    /// Those in which the native function panics.
    pub(crate) panics: usize,
    /// What went wrong.
    pub(crate) failures: Vec<(u64, String)>,
}

/// Runs kernels under all schedules.
pub(crate) fn run(kernels: &[&Generated]) -> Verdict {
    let (folder, refused) = Folder::build(kernels, |_| 0..SCHEDULES.len());
    let mut verdict = Verdict {
        refused,
        ..Verdict::default()
    };
    folder.run(&mut verdict);
    verdict
}

/// Puts the program with `kernels`, each under one of the schedules, and a bundle of them into the folder `to`, for a machine
/// with a GPU and no compiler.
pub(crate) fn bundle(kernels: &[&Generated], to: &Path) {
    let (folder, _) = Folder::build(kernels, |seed| {
        let schedule = (seed % SCHEDULES.len() as u64) as usize;
        schedule..schedule + 1
    });
    fs::create_dir_all(to).expect("the folder can be made");
    fs::copy(folder.path.join("program"), to.join("program")).expect("the folder can be written");
    let output = folder
        .program()
        .args(["bundle", &TOGETHER.to_string(), &CASES.to_string(), TARGET])
        .arg(std::path::absolute(to).expect("there is a folder").join("bundle"))
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && !text.contains("\"problem\""),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Where the program is.
struct Folder {
    path: PathBuf,
    libraries: Libraries,
}

impl Folder {
    /// The program with `kernels`, each with the `schedules` for its seed; and the kernels that rustc refuses, with its messages.
    fn build(kernels: &[&Generated], schedules: fn(u64) -> Range<usize>) -> (Self, Vec<(u64, String)>) {
        let folder = Self::new();
        let mut left = kernels.to_vec();
        let mut refused = Vec::new();
        for _ in 0..ROUNDS {
            folder.write(&left, schedules);
            let found = folder.compile();
            if found.is_empty() {
                return (folder, refused);
            }
            for (seed, message) in found {
                // rustc may say several things of a kernel.
                if let Some(at) = left.iter().position(|kernel| kernel.seed == seed) {
                    left.remove(at);
                    refused.push((seed, message));
                }
            }
        }
        panic!("rustc goes on refusing kernels: {refused:?}");
    }

    fn new() -> Self {
        let libraries = Libraries::find();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential");
        fs::create_dir_all(&path).expect("the target directory can be written");
        Self { path, libraries }
    }

    fn write(&self, kernels: &[&Generated], schedules: fn(u64) -> Range<usize>) {
        let mut list = String::from(
            "type Of = fn() -> &'static oxysycl::Kernel;\n\npub const KERNELS: &[(&str, Of)] = &[\n",
        );
        let mut modules = String::new();
        for kernel in kernels {
            let seed = kernel.seed;
            let _ = writeln!(modules, "#[path = \"k{seed}.rs\"]\nmod k{seed};");
            let mut text = format!("use oxysycl::prelude::*;\n\n{}", kernel.helpers.join("\n"));
            for schedule in schedules(seed) {
                let name = format!("k{seed}_{schedule}");
                let _ = writeln!(list, "    (\"{name}\", k{seed}::{name}::kernel),");
                let _ = write!(text, "\n{}", kernel.item(&name, SCHEDULES[schedule]));
            }
            self.put(&format!("k{seed}.rs"), &text);
        }
        self.put("kernels.rs", &format!("{modules}\n{list}];\n"));
        self.put("main.rs", include_str!("runner.rs"));
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).expect("the target directory can be written");
    }

    /// Compiles the program. Gives the kernels that rustc refuses, each with a message.
    fn compile(&self) -> Vec<(u64, String)> {
        let output = self
            .libraries
            .rustc()
            .current_dir(&self.path)
            .args(["main.rs", "-o", "program"])
            .output()
            .expect("rustc runs");
        let messages = String::from_utf8_lossy(&output.stderr);
        let refused: Vec<(u64, String)> = messages
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter_map(|message| refusal(&message))
            .collect();
        assert!(output.status.success() || !refused.is_empty(), "{messages}");
        refused
    }

    fn program(&self) -> Command {
        let mut program = Command::new(self.path.join("program"));
        program.env("OXYSYCL_CACHE", self.path.join("cache"));
        program
    }

    fn run(&self, verdict: &mut Verdict) {
        let output = self
            .program()
            .args(["run", &TOGETHER.to_string(), &CASES.to_string()])
            .output()
            .expect("the program runs");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let result: Value = serde_json::from_str(line).expect("the program prints JSON");
            let name = result["kernel"].as_str().expect("a name");
            let (seed, schedule) = name[1..].split_once('_').expect("k1_2");
            let seed: u64 = seed.parse().expect("a number");
            let schedule: usize = schedule.parse().expect("a number");
            if let Some(message) = result["refused"].as_str() {
                verdict.refused.push((seed, message.to_owned()));
                continue;
            }
            let number = |key: &str| result[key].as_u64().expect("a number") as usize;
            verdict.launches += 1;
            verdict.cases += number("cases");
            verdict.panics += number("panics");
            if let Some(problem) = result["problem"].as_str() {
                let schedule = SCHEDULES[schedule];
                let failure = format!("with the schedule `{schedule}`: {problem}");
                verdict.failures.push((seed, failure));
            }
        }
        assert!(
            output.status.success(),
            "the program ends with {}:\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// The seed of the kernel that an error of rustc is about.
fn refusal(message: &Value) -> Option<(u64, String)> {
    if message["level"] != "error" {
        return None;
    }
    let seed = message["spans"].as_array()?.iter().find_map(in_kernel)?;
    Some((seed, message["rendered"].as_str()?.to_owned()))
}

/// The seed of the kernel that a place is in, or that a macro was expanded for there.
fn in_kernel(span: &Value) -> Option<u64> {
    let name = span["file_name"].as_str()?;
    let number = name.strip_prefix('k').and_then(|rest| rest.strip_suffix(".rs"));
    number
        .and_then(|number| number.parse().ok())
        .or_else(|| in_kernel(&span["expansion"]["span"]))
}

/// The compiled libraries that this test is linked with.
struct Libraries {
    /// By crate.
    crates: Vec<(String, PathBuf)>,
    /// Where theirs are.
    folder: PathBuf,
}

impl Libraries {
    /// Asks cargo, which has built them for this very command and builds nothing now.
    fn find() -> Self {
        let this = std::env::current_exe().expect("a test is a file");
        let folder = this.parent().expect("in the folder of dependencies").to_owned();
        let profile = folder
            .parent()
            .and_then(Path::file_name)
            .expect("named after the profile");
        let profile = match profile.to_str() {
            Some("debug") => "dev",
            other => other.expect("profiles are identifiers"),
        };
        let output: Output = Command::new(env!("CARGO"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args([
                "test",
                "--package=oxysycl",
                "--test=differential",
                "--no-run",
                "--offline",
            ])
            .args(["--message-format=json", "--profile", profile])
            .env("CARGO_TARGET_DIR", folder.join("../.."))
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo runs");
        let mut crates = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let message: Value = serde_json::from_str(line).unwrap_or_default();
            let name = message["target"]["name"].as_str().unwrap_or_default();
            let files = message["filenames"].as_array().into_iter().flatten();
            let library = files
                .filter_map(Value::as_str)
                .find(|file| file.ends_with(".rlib"));
            if let Some(library) = library
                && ["oxysycl", "serde_json", "fastrand"].contains(&name)
            {
                crates.push((name.to_owned(), PathBuf::from(library)));
            }
        }
        assert_eq!(crates.len(), 3, "{crates:?}");
        Self { crates, folder }
    }

    /// rustc with those libraries, and what makes arithmetic panic where it overflows.
    fn rustc(&self) -> Command {
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
        rustc
            .args([
                "--edition=2024",
                "--crate-name=differential",
                "--crate-type=bin",
                "--error-format=json",
            ])
            .args([
                "-Cdebug-assertions=on",
                "-Copt-level=0",
                "-Cdebuginfo=0",
                "--cap-lints=allow",
            ])
            .arg("-L")
            .arg(format!("dependency={}", self.folder.display()));
        for (name, library) in &self.crates {
            rustc.arg("--extern").arg(format!("{name}={}", library.display()));
        }
        rustc
    }
}

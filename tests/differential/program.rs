//! The program that all accepted kernels are in: written, compiled and run.
//!
//! It is compiled by rustc alone, against the very `oxysycl` that this test is linked with, so that nothing is built twice.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
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

/// What came of the accepted kernels, by their position.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Kernels that rustc refuses, with its message, or the checks once they have seen what rustc knows.
    pub(crate) refused: Vec<(usize, String)>,
    /// Kernels times schedules that ran.
    pub(crate) launches: usize,
    /// Cases that ran.
    pub(crate) cases: usize,
    /// Those in which the native function panics.
    pub(crate) panics: usize,
    /// What went wrong.
    pub(crate) failures: Vec<(usize, String)>,
}

/// Runs kernels under all schedules.
pub(crate) fn run(kernels: &[&Generated]) -> Verdict {
    let mut verdict = Verdict::default();
    let folder = Folder::new();
    let mut left: BTreeSet<usize> = (0..kernels.len()).collect();
    for _ in 0..ROUNDS {
        folder.write(kernels, &left);
        let refused = folder.compile();
        if refused.is_empty() {
            folder.run(&mut verdict);
            return verdict;
        }
        for (at, message) in refused {
            if left.remove(&at) {
                verdict.refused.push((at, message));
            }
        }
    }
    panic!("rustc goes on refusing kernels: {:?}", verdict.refused);
}

/// Where the program is.
struct Folder {
    path: PathBuf,
    libraries: Libraries,
}

impl Folder {
    fn new() -> Self {
        let libraries = Libraries::find();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("differential");
        fs::create_dir_all(&path).expect("the target directory can be written");
        Self { path, libraries }
    }

    fn write(&self, kernels: &[&Generated], left: &BTreeSet<usize>) {
        let mut list = String::from(
            "type Of = fn() -> &'static oxysycl::Kernel;\n\npub const KERNELS: &[(&str, Of)] = &[\n",
        );
        let mut modules = String::new();
        for at in left {
            for schedule in 0..SCHEDULES.len() {
                let _ = writeln!(
                    list,
                    "    (\"k{at}_{schedule}\", k{at}::k{at}_{schedule}::kernel),"
                );
            }
            let _ = writeln!(modules, "#[path = \"k{at}.rs\"]\nmod k{at};");
            let mut text = format!("// seed {}\nuse oxysycl::prelude::*;\n\n", kernels[*at].seed);
            text += &kernels[*at].helpers.join("\n");
            for (schedule, attribute) in SCHEDULES.iter().enumerate() {
                let _ = write!(
                    text,
                    "\n{}",
                    kernels[*at].item(&format!("k{at}_{schedule}"), attribute)
                );
            }
            self.put(&format!("k{at}.rs"), &text);
        }
        self.put("kernels.rs", &format!("{modules}\n{list}];\n"));
        self.put("main.rs", include_str!("runner.rs"));
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path.join(name), text).expect("the target directory can be written");
    }

    /// Compiles the program. Gives the kernels that rustc refuses, each with a message.
    fn compile(&self) -> Vec<(usize, String)> {
        let output = self
            .libraries
            .rustc()
            .current_dir(&self.path)
            .args(["main.rs", "-o", "program"])
            .output()
            .expect("rustc runs");
        let messages = String::from_utf8_lossy(&output.stderr);
        let refused: Vec<(usize, String)> = messages
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter_map(|message| refusal(&message))
            .collect();
        assert!(output.status.success() || !refused.is_empty(), "{messages}");
        refused
    }

    fn run(&self, verdict: &mut Verdict) {
        let output = Command::new(self.path.join("program"))
            .args([TOGETHER.to_string(), CASES.to_string()])
            .env("OXYSYCL_CACHE", self.path.join("cache"))
            .output()
            .expect("the program runs");
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let result: Value = serde_json::from_str(line).expect("the program prints JSON");
            let name = result["kernel"].as_str().expect("a name");
            let (at, schedule) = name[1..].split_once('_').expect("k1_2");
            let (at, schedule): (usize, usize) =
                (at.parse().expect("a number"), schedule.parse().expect("a number"));
            if let Some(message) = result["refused"].as_str() {
                verdict.refused.push((at, message.to_owned()));
                continue;
            }
            let number = |key: &str| result[key].as_u64().expect("a number") as usize;
            verdict.launches += 1;
            verdict.cases += number("cases");
            verdict.panics += number("panics");
            if let Some(problem) = result["problem"].as_str() {
                let schedule = SCHEDULES[schedule];
                let failure = format!("with the schedule `{schedule}`: {problem}");
                verdict.failures.push((at, failure));
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

/// The kernel that an error of rustc is about.
fn refusal(message: &Value) -> Option<(usize, String)> {
    if message["level"] != "error" {
        return None;
    }
    let file = message["spans"].as_array()?.iter().find_map(in_kernel)?;
    Some((file, message["rendered"].as_str()?.to_owned()))
}

/// The kernel that a place is in, or that a macro was expanded for there.
fn in_kernel(span: &Value) -> Option<usize> {
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

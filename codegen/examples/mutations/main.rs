//! Weakens each rule of the checks, and shows what notices.
//!
//! `cargo run -p oxysycl-codegen --example mutations` copies this package into the target folder, puts every weakening of
//! [`table`] beside its rule there, builds that once, and runs the test that the table names with each of them in force, and
//! the simulator. It prints what each of the two says: the test, and a kernel in which the simulator sees the weakening.
//!
//! A weakening that its test does not notice is an error, for which the other tests are run, too. If nothing notices it,
//! either a test is missing, or the rule is not needed. Arguments choose weakenings by parts of their names.

mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use self::table::{MUTATIONS, Mutation};

/// Kernels that the simulator tries with each weakening.
const KERNELS: &str = "20000";
/// Chooses the weakening that is in force.
const CHOSEN: &str = "OXYSYCL_MUTATION";

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let copy = copied();
    let [tests, simulator] = built(&copy);
    let mut survivors = 0_usize;
    for mutation in MUTATIONS {
        if !chosen.is_empty() && !chosen.iter().any(|part| mutation.name.contains(part)) {
            continue;
        }
        let test = format!("check::tests::{}", mutation.test);
        let by = failed(&tests, &["--exact", &test], mutation).unwrap_or_else(|| {
            survivors += 1;
            let other = failed(&tests, &["check::"], mutation);
            format!("not {test}, but {}", other.as_deref().unwrap_or("no test"))
        });
        let seen = found(&simulator, mutation).unwrap_or_else(|| "not by the simulator".to_owned());
        println!("{:60} {by}; {seen}", mutation.name);
    }
    ExitCode::from(u8::from(survivors > 0))
}

/// A copy of the package in which every weakening stands beside its rule. What is there already stays as it is, so that
/// nothing is built twice.
fn copied() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.parent().expect("the package is in a workspace");
    let mut files = BTreeMap::new();
    collect(package, Path::new("codegen"), &mut files);
    for mutation in MUTATIONS {
        let text = of(&mut files, &format!("codegen/src/check/{}", mutation.file));
        *text = text.replacen(mutation.rule, &beside(mutation), 1);
    }
    *of(&mut files, "codegen/src/lib.rs") += &format!(
        "\nfn weakened(rule: &str) -> bool {{\n    static CHOSEN: std::sync::LazyLock<String> =\n        std::sync::LazyLock::new(|| std::env::var(\"{CHOSEN}\").unwrap_or_default());\n    *CHOSEN == rule\n}}\n"
    );
    let manifest = read(&workspace.join("Cargo.toml"));
    let (shared, own) = manifest
        .split_once("[package]")
        .expect("what members share comes first");
    let (_, profiles) = own.split_once("[profile").expect("profiles come last");
    let members = shared.lines().map(|line| match line.starts_with("members") {
        true => "members = [\"codegen\"]",
        false => line,
    });
    let members = members.collect::<Vec<_>>().join("\n");
    files.insert("Cargo.toml".into(), format!("{members}\n[profile{profiles}"));
    files.insert("Cargo.lock".into(), read(&workspace.join("Cargo.lock")));
    let copy = workspace.join("target/mutations");
    for (path, text) in files {
        write(&copy.join(path), &text);
    }
    copy
}

/// Reads the files of a folder, by their paths from `name` on.
fn collect(folder: &Path, name: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("the package is readable").flatten() {
        let (path, name) = (entry.path(), name.join(entry.file_name()));
        if path.is_dir() {
            collect(&path, &name, files);
        } else {
            files.insert(name, read(&path));
        }
    }
}

fn of<'a>(files: &'a mut BTreeMap<PathBuf, String>, path: &str) -> &'a mut String {
    let text = files.get_mut(Path::new(path));
    text.unwrap_or_else(|| panic!("there is no {path}"))
}

/// A rule with its weakening. An arm of a `match` keeps its pattern.
fn beside(mutation: &Mutation) -> String {
    let arm = |text: &'static str| text.split_once(" => ").unwrap_or(("", text));
    let ((pattern, rule), (_, weaker)) = (arm(mutation.rule), arm(mutation.weaker));
    let arrow = if pattern.is_empty() { "" } else { " => " };
    let name = mutation.name;
    format!("{pattern}{arrow}(if crate::weakened({name:?}) {{ {weaker} }} else {{ {rule} }})")
}

/// The tests of the checks, and the simulator.
fn built(copy: &Path) -> [PathBuf; 2] {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["test", "--offline", "--profile", "simulator", "--no-run"])
        .args(["--lib", "--test", "simulator"])
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", copy.join("target"));
    let output = cargo.output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let binary = |part: &str| {
        let line = said
            .lines()
            .find(|line| line.contains("Executable") && line.contains(part));
        let path = line.and_then(|line| line.rsplit_once('(')?.1.strip_suffix(')'));
        // Cargo names files below its folder from there.
        copy.join(path.unwrap_or_else(|| panic!("cargo names no {part}: {said}")))
    };
    [binary("src/lib.rs"), binary("simulator")]
}

/// Of the tests that `chosen` names, the one that fails first.
fn failed(tests: &Path, chosen: &[&str], mutation: &Mutation) -> Option<String> {
    let output = Command::new(tests)
        .args(chosen)
        .env(CHOSEN, mutation.name)
        .output()
        .expect("tests run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said.lines().find(|line| line.ends_with("... FAILED"))?;
    Some(
        line.trim_start_matches("test ")
            .trim_end_matches(" ... FAILED")
            .to_owned(),
    )
}

/// What the simulator finds, with the seed of a kernel.
fn found(simulator: &Path, mutation: &Mutation) -> Option<String> {
    let output = Command::new(simulator)
        .arg("accepted_kernels_are_right")
        .env(CHOSEN, mutation.name)
        .env("OXYSYCL_SIMULATOR_COUNT", KERNELS)
        .output()
        .expect("the simulator runs");
    if output.status.success() {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let seed = said
        .split_once("OXYSYCL_SIMULATOR_SEED=")
        .map_or("?", |(_, after)| after.split(' ').next().unwrap_or("?"));
    Some(format!("simulator, seed {seed}"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a file that is not there like this already.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

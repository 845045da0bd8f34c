//! Intel's oneAPI compiler as a driver.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::compiler::Compiler;
use super::source::{OWN, define_options, include_options, unwritable, write_source};
use super::work::{Work, isolated};
use super::{CompileError, Driver, Identity, MODULE_MACRO, command, depfile, output, search, target};
use crate::environment;
use crate::key::Key;
use crate::libsycl;
use crate::unit::{Source, Unit};

/// The options for everything. icpx's own default for floating-point numbers is fast, not precise.
const OPTIONS: [&str; 18] = [
    "-ffp-model=precise",
    "-fsycl",
    "-sycl-std=2020",
    "-std=c++20",
    "-O3",
    "-fPIC",
    "-shared",
    "-ftemplate-backtrace-limit=0",
    "-fno-sycl-unnamed-lambda",
    "-fhonor-nans",
    "-fhonor-infinities",
    "-fno-associative-math",
    "-fno-approx-func",
    "-no-ftz",
    "-fno-sycl-instrument-device-code",
    "-ffp-contract=off",
    "-foffload-fp32-prec-div",
    "-foffload-fp32-prec-sqrt",
];

/// A linker's version script that exports functions with C names, and nothing that C++ makes of a header.
const EXPORTS: &str = "{ local: _Z*; };\n";

/// The environment variable that names devices to compile for ahead of time, instead of the queue's.
const TARGETS: &str = "SGLANG_SYCL_AOT_TARGETS";

/// What to do where there is no icpx.
const ADVICE: &str =
    "install Intel's oneAPI DPC++ compiler, or use OXYSYCL_DRIVER=embedded, which needs no oneAPI";

/// Intel's oneAPI compiler, `icpx`.
#[derive(Debug)]
pub struct Icpx {
    path: PathBuf,
    identity: Identity,
    /// The SYCL run time that libraries are linked with: the one in use, else the one beside icpx. None if there is none.
    sycl: Option<PathBuf>,
}

/// A place where `icpx` may be.
pub(super) struct Candidate {
    /// How to name it in messages.
    pub(super) place: String,
    /// The program, if it is there.
    pub(super) path: Option<PathBuf>,
}

impl Icpx {
    /// Looks for `icpx` in `OXYSYCL_ICPX`, then `PATH`, then `ONEAPI_ROOT`, and asks it for its version.
    pub fn find() -> Result<Self, CompileError> {
        let candidates = candidates();
        match candidates.iter().find_map(|candidate| candidate.path.clone()) {
            Some(path) => Self::new(path),
            None => Err(CompileError::NotFound {
                what: "icpx".to_owned(),
                looked_at: join(&candidates),
                advice: ADVICE.to_owned(),
            }),
        }
    }

    fn new(path: PathBuf) -> Result<Self, CompileError> {
        let compiler = compiler(&path)?;
        compiler.remember();
        let own = own_folder(&path).map(|own| own.join("lib/libsycl.so"));
        let own = own.filter(|own| own.is_file());
        let sycl = libsycl::mapped().into_iter().next().or(own);
        let mut facts = vec![
            ("driver", "icpx".to_owned()),
            ("version", compiler.answers.concat()),
            ("content", compiler.program.clone()),
            ("content of what it calls", compiler.others.clone()),
            ("options", OPTIONS.join(" ")),
            ("recipe", super::digest(&[EXPORTS, include_str!("icpx.rs")])),
        ];
        if let Some(sycl) = &sycl {
            // Nothing is asked: only its contents are wanted.
            let library = Compiler::examine(sycl, || Ok((Vec::new(), Vec::new())))?;
            library.remember();
            let soname = String::from_utf8_lossy(&libsycl::soname(sycl)).into_owned();
            facts.push(("libsycl", soname));
            facts.push(("libsycl content", library.program));
        }
        if let Some(targets) = environment::variable(TARGETS) {
            facts.push(("targets", targets.to_string_lossy().into_owned()));
        }
        Ok(Self {
            path,
            identity: Identity::new(facts),
            sycl,
        })
    }

    /// icpx with `options`, the unit's target, macros and include folders.
    fn command(&self, unit: &Unit, module: &str, folder: &Path) -> Result<Command, CompileError> {
        let mut compiler = oneapi(&self.path, folder);
        compiler.args(OPTIONS);
        if !matches!(unit.source, Source::Host { .. }) {
            let mut targets = OsString::from("-fsycl-targets=");
            targets.push(match (environment::variable(TARGETS), &unit.target) {
                (Some(targets), _) => targets,
                (None, target) => target::option(target)?.into(),
            });
            compiler.arg(targets);
        }
        compiler
            .args(define_options(unit)?)
            .arg(format!("-D{MODULE_MACRO}={module}"))
            .args(include_options(unit)?);
        Ok(compiler)
    }

    fn compile_in(&self, work: &Work, unit: &Unit, module: &str, out: &Path) -> Result<(), CompileError> {
        let mut compiler = self.command(unit, module, work.path())?;
        compiler.current_dir(work.path());
        let source = write_source(unit, work.path())?;
        // A header is code too; nothing is linked before it.
        compiler.args(["-x", "c++"]).arg(source).args(["-x", "none"]);
        let exports = Path::new(OWN).join("exports.map");
        fs::write(work.path().join(&exports), EXPORTS).map_err(unwritable(&exports))?;
        compiler.arg(format!("-Wl,--version-script={}", exports.display()));
        if let Some(folder) = self.sycl.as_deref().and_then(Path::parent) {
            compiler.arg("-L").arg(folder);
        }
        output::publish(&mut compiler, work, out)
    }
}

impl Driver for Icpx {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    fn libraries(&self) -> Vec<PathBuf> {
        let sycl = self.sycl.as_deref().and_then(Path::parent);
        let own = own_folder(&self.path).map(|own| own.join("lib"));
        sycl.map(Path::to_owned).into_iter().chain(own).collect()
    }

    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        match &unit.source {
            Source::File(path) => {
                let mut compiler = self.command(unit, "module", &std::env::temp_dir())?;
                let read = depfile::read(compiler.args(["-x", "c++"]), path)?;
                let own = own_folder(&self.path);
                let is_own = |path: &PathBuf| own.as_ref().is_some_and(|own| path.starts_with(own));
                Ok(read.into_iter().filter(|path| !is_own(path)).collect())
            }
            Source::Header { .. } | Source::Host { .. } => Ok(Vec::new()),
        }
    }

    fn compile(&self, unit: &Unit, out: &Path) -> Result<Vec<PathBuf>, CompileError> {
        // icpx lists what both of its passes read.
        let dependencies = self.dependencies(unit)?;
        let module = super::module_name(&Key::new(&self.identity, unit, &dependencies)?);
        let work = Work::beside(out)?;
        super::twice_if_silent("icpx", || self.compile_in(&work, unit, &module, out))?;
        Ok(dependencies)
    }
}

/// The folder that the icpx at `path` is installed in: the one above its `bin`.
fn own_folder(path: &Path) -> Option<PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    let bin = path.parent().filter(|bin| bin.ends_with("bin"))?;
    bin.parent().map(Path::to_owned)
}

/// The icpx at `path`, as if oneAPI's own script had been sourced, and nothing else: with the folders of its libraries, and
/// of the compilers for devices that it calls.
fn oneapi(path: &Path, folder: &Path) -> Command {
    let mut compiler = isolated(path, folder);
    let Some(own) = own_folder(path) else {
        return compiler;
    };
    // `compiler/2026.2/bin/icpx` has `ocloc/2026.2` and `ocloc/latest` beside it.
    let root = own.ancestors().nth(2).unwrap_or(Path::new("/"));
    let ocloc = root.join("ocloc/latest");
    let mut programs = vec![own.join("bin"), ocloc.join("bin")];
    let isolated_path = compiler.get_envs().find(|(name, _)| *name == OsStr::new("PATH"));
    programs.extend(
        isolated_path
            .and_then(|(_, path)| path)
            .into_iter()
            .flat_map(std::env::split_paths),
    );
    let libraries = [own.join("lib"), ocloc.join("lib")];
    // A folder with a colon in its name cannot be among them.
    if let (Ok(programs), Ok(libraries)) = (std::env::join_paths(programs), std::env::join_paths(libraries)) {
        compiler.env("PATH", programs).env("LD_LIBRARY_PATH", libraries);
    }
    compiler
}

/// Where `icpx` is looked for, in order.
pub(super) fn candidates() -> Vec<Candidate> {
    let mut candidates = Vec::new();
    if let Some(value) = environment::variable("OXYSYCL_ICPX") {
        // It was asked for by name: if it can't be run, that is the error to show.
        return vec![Candidate {
            place: format!("OXYSYCL_ICPX={}", value.to_string_lossy()),
            path: Some(value.into()),
        }];
    }
    candidates.push(Candidate {
        place: "PATH".to_owned(),
        path: search::on_path("icpx"),
    });
    if let Some(root) = environment::variable("ONEAPI_ROOT") {
        let path = Path::new(&root).join("compiler/latest/bin/icpx");
        candidates.push(Candidate {
            place: format!("ONEAPI_ROOT={}", root.to_string_lossy()),
            path: search::is_program(&path).then_some(path),
        });
    }
    candidates
}

fn join(candidates: &[Candidate]) -> String {
    let places: Vec<&str> = candidates
        .iter()
        .map(|candidate| candidate.place.as_str())
        .collect();
    places.join(", ")
}

/// The version text of the icpx at `path`, without the folder it is installed in; an error if it isn't icpx.
pub(super) fn version(path: &Path) -> Result<String, CompileError> {
    Ok(compiler(path)?.answers.concat())
}

/// The icpx at `path`, with its version text; an error if it isn't icpx.
fn compiler(path: &Path) -> Result<Compiler, CompileError> {
    Compiler::examine(path, || {
        let text = command::run(oneapi(path, &std::env::temp_dir()).arg("--version"))?.text();
        if !text.contains("oneAPI DPC++/C++ Compiler") {
            return Err(CompileError::WrongCompiler {
                path: path.to_owned(),
                expected: "icpx".to_owned(),
                version: text,
                advice: ADVICE.to_owned(),
            });
        }
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.contains('/') || line.contains("DPC++/C++"))
            .collect();
        // `icpx` only calls the compiler proper.
        let called = [
            "bin/compiler/clang",
            "bin/compiler/clang++",
            "bin/compiler/ld.lld",
        ];
        let own = own_folder(path).unwrap_or_default();
        let files = called.iter().map(|name| own.join(name)).collect();
        Ok((vec![lines.join("\n")], files))
    })
}

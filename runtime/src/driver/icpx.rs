//! Intel's oneAPI compiler as a driver.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::source::{OWN, define_options, include_options, unwritable, work_folder, write_source};
use super::{CompileError, Driver, Identity, MODULE_MACRO, command, depfile, output, search};
use crate::environment;
use crate::key::Key;
use crate::libsycl;
use crate::unit::{Source, Target, Unit};

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
    /// The folder of the SYCL run time in use, if there is one already.
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
        let version = version(&path)?;
        let mut facts = vec![
            ("driver", "icpx".to_owned()),
            ("version", version),
            ("options", OPTIONS.join(" ")),
            ("recipe", super::digest(&[EXPORTS, include_str!("icpx.rs")])),
        ];
        if let Some(targets) = environment::variable(TARGETS) {
            facts.push(("targets", targets.to_string_lossy().into_owned()));
        }
        Ok(Self {
            path,
            identity: Identity::new(facts),
            sycl: libsycl::mapped()
                .first()
                .and_then(|library| library.parent().map(Path::to_owned)),
        })
    }

    /// icpx with `options`, the unit's target, macros and include folders.
    fn command(&self, unit: &Unit, module: &str) -> Result<Command, CompileError> {
        let mut compiler = Command::new(&self.path);
        compiler.args(OPTIONS);
        if !matches!(unit.source, Source::Host { .. }) {
            let mut targets = OsString::from("-fsycl-targets=");
            targets.push(match (environment::variable(TARGETS), &unit.target) {
                (Some(targets), _) => targets,
                (None, Target::Named(name)) => name.into(),
                (None, Target::Spir64) => "spir64".into(),
            });
            compiler.arg(targets);
        }
        compiler
            .args(define_options(unit)?)
            .arg(format!("-D{MODULE_MACRO}={module}"))
            .args(include_options(unit)?);
        Ok(compiler)
    }

    fn try_compile(&self, unit: &Unit, module: &str, work: &Path, out: &Path) -> Result<(), CompileError> {
        let mut compiler = self.command(unit, module)?;
        compiler.current_dir(work);
        let source = write_source(unit, work)?;
        // A header is code too; nothing is linked before it.
        compiler.args(["-x", "c++"]).arg(source).args(["-x", "none"]);
        let exports = Path::new(OWN).join("exports.map");
        fs::write(work.join(&exports), EXPORTS).map_err(unwritable(&exports))?;
        compiler.arg(format!("-Wl,--version-script={}", exports.display()));
        if let Some(folder) = &self.sycl {
            compiler.arg("-L").arg(folder).args(output::rpath(folder));
        }
        output::publish(&mut compiler, out)
    }
}

impl Driver for Icpx {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        match &unit.source {
            Source::File(path) => {
                let mut compiler = self.command(unit, "module")?;
                depfile::read(compiler.args(["-x", "c++"]), path)
            }
            Source::Header { .. } | Source::Host { .. } => Ok(Vec::new()),
        }
    }

    fn compile(&self, unit: &Unit, out: &Path) -> Result<(), CompileError> {
        let key = Key::new(&self.identity, unit, &self.dependencies(unit)?)?;
        let module = super::module_name(&key);
        let work = work_folder()?;
        match self.try_compile(unit, &module, work.path(), out) {
            // Under load its back end sometimes fails without a word, and then does not.
            Err(error) if error.is_silent() => {
                eprintln!("oxysycl: icpx failed without a message; trying once more");
                self.try_compile(unit, &module, work.path(), out)
            }
            result => result,
        }
    }
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
    let text = command::run(Command::new(path).arg("--version"))?.to_string();
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
    Ok(lines.join("\n"))
}

//! A driver for tests: it compiles nothing, or plain C++ with g++, as slowly as wanted, and counts how often
//! it is asked to.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use oxysycl_runtime::driver::{Cause, CompileError, Driver, Failure, Identity};
use oxysycl_runtime::{Source, Target, Unit};

/// A driver whose library is the source text, written in ten pieces; or, if the text is C++ that says so,
/// what g++ makes of it.
pub(crate) struct Fake {
    identity: Identity,
    starts: PathBuf,
    delay: Duration,
}

impl Fake {
    /// A driver that adds a line to the file `starts` for each compilation, and takes `delay` for one.
    pub(crate) fn new(starts: &Path, delay: Duration) -> Self {
        let facts = vec![("driver", "fake".to_owned()), ("version", "1".to_owned())];
        Self {
            identity: Identity::new(facts),
            starts: starts.to_owned(),
            delay,
        }
    }

    /// How many compilations the file `starts` counts.
    pub(crate) fn count(starts: &Path) -> usize {
        fs::read_to_string(starts).unwrap_or_default().lines().count()
    }
}

impl Driver for Fake {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![("OXYSYCL_TEST_VARIABLE", "from the driver".into())]
    }

    fn dependencies(&self, unit: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        Ok(match &unit.source {
            Source::File(path) => vec![path.with_extension("included")],
            _ => Vec::new(),
        })
    }

    fn compile(&self, unit: &Unit, out: &Path) -> Result<Vec<PathBuf>, CompileError> {
        let failed = |source| CompileError::Io {
            action: "cannot write",
            path: out.to_owned(),
            source,
        };
        let mut starts = File::options()
            .create(true)
            .append(true)
            .open(&self.starts)
            .unwrap();
        // A file-size limit may forbid even this; the count is then not needed.
        let _ = starts.write_all(b"compiling\n");
        let (Source::Header { text, .. } | Source::Host { text, .. }) = &unit.source else {
            thread::sleep(self.delay);
            fs::write(out, "from a file").map_err(failed)?;
            return self.dependencies(unit);
        };
        if text.contains("extern \"C\"") {
            gcc(text, &[], out)?;
            return Ok(Vec::new());
        }
        let mut file = File::create(out).map_err(failed)?;
        for piece in text.as_bytes().chunks(text.len().div_ceil(10)) {
            file.write_all(piece).map_err(failed)?;
            thread::sleep(self.delay / 10);
        }
        Ok(Vec::new())
    }
}

/// Compiles the C++ `text` into the shared library `out`.
pub(crate) fn gcc(text: &str, flags: &[&str], out: &Path) -> Result<(), CompileError> {
    let source = tempfile::Builder::new().suffix(".cpp").tempfile().unwrap();
    fs::write(&source, text).unwrap();
    let mut command = Command::new("g++");
    command
        .args(["-shared", "-fPIC", "-o"])
        .arg(out)
        .arg(source.path())
        .args(flags);
    let output = command.output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(CompileError::Failed(Box::new(Failure {
        cause: Cause::Exit(output.status.code().unwrap_or(-1)),
        command: format!("{command:?}"),
        output: String::from_utf8_lossy(&output.stderr).into_owned(),
        log: None,
    })))
}

/// A unit of this text.
pub(crate) fn unit(text: &str) -> Unit {
    Unit {
        source: Source::Header {
            name: "test.hpp".to_owned(),
            text: text.to_owned(),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: Target::Spir64,
    }
}

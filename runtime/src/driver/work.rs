//! Where one unit is compiled, and what every compiler is started with.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

use super::source::{OWN, unwritable};
use super::{CompileError, LOG, command};
use crate::process::Finished;
use crate::{environment, events, trust};

/// The folders of a system's own programs.
pub(super) const SYSTEM: &str = "/usr/local/bin:/usr/bin:/bin";

/// `program`, with an environment of its own: no variable of the user's reaches a compiler, whose list of variables that
/// change what it makes is long and grows. (`HOME` changes nothing, and what stands in for a compiler may need it.)
/// Temporary files go to `folder`.
pub(super) fn isolated(program: &Path, folder: &Path) -> Command {
    let mut path = OsString::new();
    if let Some(own) = program.parent().filter(|own| own.is_absolute()) {
        path.push(own);
        path.push(":");
    }
    path.push(SYSTEM);
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", path)
        .env("TMPDIR", folder)
        .env("LC_ALL", "C");
    if let Some(home) = environment::variable("HOME") {
        command.env("HOME", home);
    }
    command
}

/// The folder that one unit is compiled in, and the log of the compilers that run there.
#[derive(Debug)]
pub(super) struct Work {
    folder: TempDir,
    log: PathBuf,
}

impl Work {
    /// A folder beside `out`, where whoever wants that collects what a killed process leaves; and the log there.
    pub(super) fn beside(out: &Path) -> Result<Self, CompileError> {
        let out = std::path::absolute(out).map_err(unwritable(out))?;
        let parent = out.parent().unwrap_or(Path::new("/"));
        let folder = trust::temporary_folder(".oxysycl-", parent).map_err(unwritable(parent))?;
        let own = folder.path().join(OWN);
        fs::create_dir(&own).map_err(unwritable(&own))?;
        Ok(Self {
            folder,
            log: parent.join(LOG),
        })
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder for a driver's own files in it.
    pub(super) fn own(&self) -> PathBuf {
        self.path().join(OWN)
    }

    /// Runs a compiler; what it wrote if it ended well.
    pub(super) fn run(&self, compiler: &mut Command) -> Result<Finished, CompileError> {
        self.run_watched(compiler, || ())
    }

    /// Like [`run`](Self::run); calls `watch` every few milliseconds meanwhile.
    pub(super) fn run_watched(
        &self,
        compiler: &mut Command,
        watch: impl FnMut(),
    ) -> Result<Finished, CompileError> {
        let start = Instant::now();
        let finished = command::start(compiler, watch)?;
        let time = start.elapsed();
        let line = command::line(compiler);
        events::compile(time, &line, &finished.ending);
        // A log that cannot be written is no reason to fail.
        let _ = self.append(&line, &finished, time.as_secs_f64());
        command::judge(compiler, finished)
    }

    fn append(&self, line: &str, finished: &Finished, seconds: f64) -> std::io::Result<()> {
        let mut log = File::options().create(true).append(true).open(&self.log)?;
        trust::close_file(&self.log)?;
        writeln!(log, "$ {line}")?;
        log.write_all(&finished.stderr)?;
        log.write_all(&finished.stdout)?;
        writeln!(log, "[{}, {seconds:.3} s]", finished.ending)
    }
}

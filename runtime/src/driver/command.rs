//! Running compilers, and saying what went wrong.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Cause, CompileError, Failure};
use crate::environment;
use crate::process::{self, Ending, Finished};

/// The environment variable with the time limit for one run of a compiler, in seconds.
const LIMIT: &str = "OXYSYCL_COMPILE_TIMEOUT";

/// The time limit if the environment says nothing. Compiling for several GPUs ahead of time can take minutes.
const DEFAULT_LIMIT: Duration = Duration::from_secs(600);

/// The time limit for one run of a compiler.
pub(super) fn limit() -> Result<Duration, CompileError> {
    let Some(value) = environment::variable(LIMIT) else {
        return Ok(DEFAULT_LIMIT);
    };
    let value = value.to_string_lossy().into_owned();
    match value.parse() {
        Ok(seconds @ 1..) => Ok(Duration::from_secs(seconds)),
        _ => Err(CompileError::Variable {
            variable: LIMIT,
            value,
            expected: "a whole number of seconds, at least 1".to_owned(),
        }),
    }
}

/// Runs a compiler that compiles nothing; what it wrote if it ended well.
pub(super) fn run(command: &mut Command) -> Result<Finished, CompileError> {
    let finished = start(command, || ())?;
    judge(command, finished)
}

/// Runs a compiler, however that ends, and calls `watch` every few milliseconds meanwhile.
pub(super) fn start(command: &mut Command, watch: impl FnMut()) -> Result<Finished, CompileError> {
    let limit = limit()?;
    process::run(command, Some(limit), watch)
        .map_err(|source| cannot_run(Path::new(command.get_program()), source))
}

/// What `command` wrote, if it ended well.
pub(super) fn judge(command: &Command, finished: Finished) -> Result<Finished, CompileError> {
    if finished.ending == Ending::Exit(0) {
        return Ok(finished);
    }
    let cause = match finished.ending {
        Ending::Exit(code) => Cause::Exit(code),
        Ending::Signal(number) => Cause::Signal(number),
        Ending::TimedOut(limit) => Cause::TimedOut(limit),
        Ending::Flooded(bytes) => Cause::Flooded(bytes),
    };
    Err(failed(cause, command, &finished))
}

/// The error for `command`, which wrote what it did and did not succeed.
pub(super) fn failed(cause: Cause, command: &Command, finished: &Finished) -> CompileError {
    CompileError::Failed(Box::new(Failure {
        cause,
        command: line(command),
        output: finished.text(),
        log: None,
    }))
}

/// Passes on what a compiler wrote about a unit that it compiled, such as warnings.
pub(super) fn show(finished: &Finished) {
    let text = finished.text();
    if !text.is_empty() {
        eprintln!("{text}");
    }
}

/// The error for a program that could not be started.
pub(super) fn cannot_run(program: &Path, source: io::Error) -> CompileError {
    CompileError::Io {
        action: "cannot run",
        path: program.to_path_buf(),
        source,
    }
}

/// The command line, quoted for a shell.
pub(super) fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            match shlex::try_quote(&word) {
                Ok(quoted) => quoted.into_owned(),
                Err(_) => word.into_owned(),
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

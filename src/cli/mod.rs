//! The command: `fn main() { oxysycl::cli::main() }` has every kernel that is linked into the program.
//!
//! Exit status 0: good. 1: the answer is no. 2: the question could not be asked, or it made no sense. Errors go to standard
//! error, one each, whether or not `--json` is given.

mod bench;
mod build;
mod bundle;
mod cache;
mod check;
mod compile;
mod doctor;
mod emit;
mod explain;
mod file;
mod list;
mod output;
mod select;
mod toolchain;

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, ErrorKind};

use clap::{Parser, Subcommand};

use self::output::Output;

/// Kernels for Intel XPUs, written in Rust, reviewed as SYCL, run anywhere.
#[derive(Debug, Parser)]
#[command(name = "oxysycl", version)]
struct Command {
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Say on standard error, when all is done, how often the cache hit and missed, and what was compiled and loaded
    #[arg(long, global = true)]
    summary: bool,
    #[command(subcommand)]
    subcommand: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Kernels, what they take, and the symbols they export
    List(list::List),
    /// Write the SYCL headers of kernels
    Emit(emit::Emit),
    /// Compile a kernel, or any SYCL header, into a shared library
    Build(build::Build),
    /// Compiled kernels in a folder, for machines that have nothing to compile with
    Bundle(bundle::Bundle),
    /// Run kernels on the device and compare them with their native functions
    Check(check::Check),
    /// Measure kernels on the device, beside other headers with the same exports
    Bench(bench::Bench),
    /// What is there to compile and run with, where it was looked for, and what to do
    Doctor(doctor::Doctor),
    /// The embedded toolchain, for machines without oneAPI
    #[command(subcommand)]
    Toolchain(toolchain::Toolchain),
    /// Compiled libraries on disk
    #[command(subcommand)]
    Cache(cache::Cache),
}

/// What a question came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
}

/// An answer, or why the question could not be asked.
type Result = std::result::Result<Answer, Box<dyn Error>>;

/// Runs the command with the program's own arguments, and ends the program.
pub fn main() -> ! {
    std::process::exit(run(std::env::args_os()))
}

/// Runs the command with `arguments`, the program's name first, and gives the exit status.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let command = match Command::try_parse_from(arguments) {
        Ok(command) => command,
        Err(error) => {
            // Help and version are good answers; what standard output does not take is nobody's loss.
            let _ = error.print();
            return error.exit_code();
        }
    };
    let answer = crate::log::start()
        .map_err(Into::into)
        .and_then(|()| command.subcommand.run(&Output::new(command.json)));
    if command.summary {
        eprintln!("oxysycl: {}", oxysycl_runtime::summary());
    }
    match answer {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        // Whoever reads has read enough.
        Err(error) if is_broken_pipe(&*error) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            2
        }
    }
}

impl Subcommands {
    fn run(self, output: &Output) -> Result {
        match self {
            Self::List(list) => list.run(output),
            Self::Emit(emit) => emit.run(output),
            Self::Build(build) => build.run(output),
            Self::Bundle(bundle) => bundle.run(output),
            Self::Check(check) => check.run(output),
            Self::Bench(bench) => bench.run(output),
            Self::Doctor(doctor) => doctor.run(output),
            Self::Toolchain(toolchain) => toolchain.run(output),
            Self::Cache(cache) => cache.run(output),
        }
    }
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Command::command().debug_assert();
    }
}

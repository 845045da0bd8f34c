//! Why a unit could not be compiled.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::toolchain::ToolchainError;

/// Why a unit could not be compiled. Each message names the thing, shows the compiler's own words and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A compiler is not where it was looked for.
    #[error("{what} not found\nlooked at: {looked_at}\n{advice}")]
    NotFound {
        /// The program, such as `icpx` or `g++`.
        what: String,
        /// Every place looked at, comma separated.
        looked_at: String,
        /// What to install or set.
        advice: String,
    },
    /// The program exists and is not the compiler that was asked for, or too old.
    #[error("{path} is not {expected}; its version text is:\n{version}\n{advice}", path = path.display())]
    WrongCompiler {
        /// The program that was run.
        path: PathBuf,
        /// What was expected, such as `icpx`.
        expected: String,
        /// The version text it printed.
        version: String,
        /// What to install or set.
        advice: String,
    },
    /// The compiler refused the unit.
    #[error("compiler failed with exit status {code}\ncommand: {command}\n{output}")]
    Exit {
        /// Its exit status.
        code: i32,
        /// The command line, quoted for a shell.
        command: String,
        /// What the compiler wrote, shortened in the middle if very long.
        output: String,
    },
    /// The compiler was ended by a signal.
    #[error("compiler was ended by {signal}{hint}\ncommand: {command}\n{output}")]
    Signal {
        /// The signal's name, such as `SIGKILL`.
        signal: String,
        /// A likely reason, or nothing.
        hint: &'static str,
        /// The command line, quoted for a shell.
        command: String,
        /// What the compiler wrote, shortened in the middle if very long.
        output: String,
    },
    /// The compiler took longer than allowed and was ended, with all its children.
    #[error(
        "compiler did not finish within {} s and was ended; OXYSYCL_COMPILE_TIMEOUT (seconds) sets the limit\n\
         command: {command}\n{output}", limit.as_secs()
    )]
    TimedOut {
        /// The limit.
        limit: Duration,
        /// The command line, quoted for a shell.
        command: String,
        /// What the compiler wrote until then.
        output: String,
    },
    /// The compiler wrote more than any reader would, and was ended, with all its children.
    #[error("compiler was ended after it wrote {bytes} bytes of messages\ncommand: {command}\n{output}")]
    Flooded {
        /// How much it wrote.
        bytes: u64,
        /// The command line, quoted for a shell.
        command: String,
        /// What the compiler wrote, shortened in the middle.
        output: String,
    },
    /// The compiler reported success, but what it left is not a shared library.
    #[error("compiler reported success, but {problem}\ncommand: {command}\n{output}")]
    BadOutput {
        /// What is wrong with the output file.
        problem: String,
        /// The command line, quoted for a shell.
        command: String,
        /// What the compiler wrote.
        output: String,
    },
    /// The unit holds something that the driver cannot compile rightly.
    #[error("{subject}: {reason}")]
    Refused {
        /// The kernel or the file.
        subject: String,
        /// What about it, and what to do.
        reason: String,
    },
    /// It cannot be compiled for one of its targets.
    #[error("target {target}: {source}")]
    Target {
        /// The target, such as `nvptx64-nvidia-cuda`.
        target: &'static str,
        /// Why.
        source: Box<CompileError>,
    },
    /// An environment variable has a value that cannot be used.
    #[error("{variable}={value:?}: expected {expected}")]
    Variable {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// The embedded toolchain could not be provided.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// A file could not be read or written.
    #[error("{action} {path}: {source}", path = path.display())]
    Io {
        /// What was tried, such as `cannot write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl CompileError {
    /// Whether the compiler failed without a word.
    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Self::Exit { output, .. } | Self::Signal { output, .. } | Self::BadOutput { output, .. } => {
                output.is_empty()
            }
            _ => false,
        }
    }
}

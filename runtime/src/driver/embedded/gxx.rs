//! The system's g++, which compiles the host side.

use std::path::PathBuf;
use std::process::Command;

use super::super::{CompileError, command, search};

/// The oldest g++ that compiles the SYCL headers as C++20.
const OLDEST: u32 = 12;

/// What to do where there is no usable g++.
const ADVICE: &str = "install g++ 12 or later (on Debian and Ubuntu: apt install g++)";

/// A usable g++.
#[derive(Clone, Debug)]
pub(in crate::driver) struct Gxx {
    /// The program.
    pub(in crate::driver) path: PathBuf,
    /// The first line of its version text.
    pub(in crate::driver) version: String,
}

impl Gxx {
    /// The `g++` on `PATH`.
    pub(in crate::driver) fn find() -> Result<Self, CompileError> {
        let Some(path) = search::on_path("g++") else {
            return Err(CompileError::NotFound {
                what: "g++".to_owned(),
                looked_at: "PATH".to_owned(),
                advice: ADVICE.to_owned(),
            });
        };
        let text = command::run(Command::new(&path).arg("--version"))?.to_string();
        let number = command::run(Command::new(&path).arg("-dumpversion"))?.to_string();
        let major: Option<u32> = number
            .split('.')
            .next()
            .and_then(|major| major.trim().parse().ok());
        // Some systems call clang `g++`.
        let is_gcc = text.contains("Free Software Foundation");
        match major {
            Some(major) if is_gcc && major >= OLDEST => Ok(Self {
                path,
                version: text.lines().next().unwrap_or_default().to_owned(),
            }),
            _ => Err(CompileError::WrongCompiler {
                path,
                expected: format!("g++ {OLDEST} or later"),
                version: text,
                advice: ADVICE.to_owned(),
            }),
        }
    }
}

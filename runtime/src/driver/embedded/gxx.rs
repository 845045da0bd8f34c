//! The system's g++, which compiles the host side.

use std::path::PathBuf;

use super::super::compiler::Compiler;
use super::super::work::isolated;
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
    /// A digest of the program, which may be a script that calls the one proper.
    pub(in crate::driver) program: String,
    /// A digest of the programs that do the work.
    pub(in crate::driver) called: String,
    /// The folder of its own headers and libraries.
    pub(in crate::driver) own: PathBuf,
    compiler: Compiler,
}

/// The programs that g++ calls.
const CALLED: [&str; 4] = ["cc1plus", "collect2", "as", "ld"];

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
        let compiler = Compiler::examine(&path, || {
            let ask = |option: &str| command::run(isolated(&path, &std::env::temp_dir()).arg(option));
            let called =
                CALLED.map(|name| Ok(called(&ask(&format!("-print-prog-name={name}"))?.first_line())));
            let answers = vec![
                ask("--version")?.text(),
                ask("-dumpversion")?.first_line(),
                ask("-print-file-name=include")?.first_line(),
            ];
            Ok((answers, called.into_iter().collect::<Result<_, CompileError>>()?))
        })?;
        let [text, number, include] = compiler.answers.as_slice() else {
            unreachable!("three questions have three answers");
        };
        let major: Option<u32> = number.split('.').next().and_then(|major| major.parse().ok());
        // Some systems call clang `g++`.
        let is_gcc = text.contains("Free Software Foundation");
        match major {
            Some(major) if is_gcc && major >= OLDEST => Ok(Self {
                path,
                version: text.lines().next().unwrap_or_default().to_owned(),
                program: compiler.program.clone(),
                called: compiler.others.clone(),
                own: PathBuf::from(include)
                    .parent()
                    .map(PathBuf::from)
                    .unwrap_or_default(),
                compiler,
            }),
            _ => Err(CompileError::WrongCompiler {
                path,
                expected: format!("g++ {OLDEST} or later"),
                version: text.clone(),
                advice: ADVICE.to_owned(),
            }),
        }
    }

    /// Keeps what is known of it, for the next time.
    pub(in crate::driver) fn remember(&self) {
        self.compiler.remember();
    }
}

/// The program that g++ calls `name`: a path, or what is looked for where it looks.
fn called(name: &str) -> PathBuf {
    match search::among_system_programs(name) {
        Some(path) if !name.contains('/') => path,
        _ => name.into(),
    }
}

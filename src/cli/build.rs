//! `oxysycl build`

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use oxysycl_runtime::cache::{Library, Origin};
use oxysycl_runtime::{Error, Runtime, Source, Target, Unit};
use serde::Serialize;

use super::explain::Explanation;
use super::output::Output;
use super::select::{Choice, named};
use super::{Answer, Result, file};
use crate::launch;

#[derive(Args, Debug)]
pub(super) struct Build {
    /// A kernel by name or path
    #[arg(required_unless_present = "header")]
    kernel: Option<String>,
    /// A SYCL header or source file to compile instead of a kernel
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kernel", "dtype"])]
    header: Option<PathBuf>,
    /// Element type, such as fp16; given once per type parameter, in order
    #[arg(long)]
    dtype: Vec<String>,
    /// A const parameter or a selection macro of the kernel; any macro for a header
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    define: Vec<(String, String)>,
    /// A folder to search for what a header includes
    #[arg(short = 'I', value_name = "DIR", conflicts_with = "kernel")]
    include: Vec<PathBuf>,
    /// A value for -fsycl-targets instead of portable SPIR-V
    #[arg(long)]
    target: Option<String>,
    /// Where to put the library; without it, it stays in the cache
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Say what identifies the library, and if it is not in the cache, what differs from the nearest entry there
    #[arg(long)]
    explain: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Built {
    /// The shared library.
    library: PathBuf,
    /// Whether it was `cached`, or `compiled` now.
    origin: &'static str,
    /// The driver that compiles: `icpx` or `embedded`.
    driver: String,
    /// The exported functions of a kernel; empty for a header.
    symbols: Vec<String>,
    /// The macros that it was compiled with, name and value.
    defines: Vec<(String, String)>,
    /// With `--explain`: what identifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
}

/// What to compile, and the symbols that will come of it if that is known.
struct Wanted {
    unit: Unit,
    symbols: Vec<String>,
}

impl Build {
    pub(super) fn run(self, output: &Output) -> Result {
        let Wanted { unit, symbols } = self.wanted()?;
        let runtime = Runtime::global()?;
        let explanation = self.explanation(runtime, &unit)?;
        if let Some(explanation) = &explanation {
            // Before the compiler has its say.
            output.print_text(|| explanation.text())?;
        }
        let library = match runtime.library(&unit) {
            Ok(library) => library,
            Err(Error::Compile(error)) if error.is_refusal() => {
                eprintln!("error: {error}");
                return Ok(Answer::No);
            }
            Err(error) => return Err(error.into()),
        };
        let built = Built {
            library: self.place(&library)?,
            origin: if library.origin() == Origin::Cached {
                "cached"
            } else {
                "compiled"
            },
            driver: runtime.driver().identity().driver().to_owned(),
            symbols,
            defines: unit.defines,
            explanation,
        };
        output.print(&built, |built| built.library.display().to_string())?;
        Ok(Answer::Yes)
    }

    /// What identifies the library of `unit`, if that is asked for.
    fn explanation(
        &self,
        runtime: &Runtime,
        unit: &Unit,
    ) -> std::result::Result<Option<Explanation>, Box<dyn std::error::Error>> {
        if !self.explain {
            return Ok(None);
        }
        let fields = runtime.key_fields(unit)?;
        Ok(Some(Explanation::new(runtime.cache(), &fields)?))
    }

    fn wanted(&self) -> std::result::Result<Wanted, Box<dyn std::error::Error>> {
        let target = self.target.clone().map_or(Target::Spir64, Target::Named);
        if let Some(header) = &self.header {
            fs::File::open(header).map_err(|error| format!("cannot read {}: {error}", header.display()))?;
            let unit = Unit {
                source: Source::File(header.clone()),
                defines: self.define.clone(),
                include_dirs: self.include.clone(),
                target,
            };
            return Ok(Wanted {
                unit,
                symbols: Vec::new(),
            });
        }
        let mut symbols = Vec::new();
        let mut found = named(self.kernel.as_slice())?.into_iter();
        let ir = found.next().ok_or("there are no kernels in this program")?.ir()?;
        let choice = Choice::new(&ir, &self.dtype, &self.define)?;
        symbols.extend(choice.symbols(&ir));
        let unit = Unit {
            defines: choice.defines(&ir)?,
            ..launch::unit(&ir, &target)
        };
        Ok(Wanted { unit, symbols })
    }

    /// Puts the library where it was asked for, if it was.
    fn place(&self, library: &Library) -> std::result::Result<PathBuf, Box<dyn std::error::Error>> {
        match (&self.output, library.origin()) {
            (Some(path), _) => {
                let folders = Runtime::global()?.driver().libraries();
                file::write(path, &library.standalone(&folders)?)?;
                Ok(path.clone())
            }
            (None, Origin::Uncached) => Err(
                "the library is not kept, since the cache cannot be used: say where to put it with -o FILE"
                    .into(),
            ),
            (None, _) => Ok(Path::to_owned(library.path())),
        }
    }
}

pub(super) fn define(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(valid) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("`{name}` is no macro name; write NAME or NAME=VALUE"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

//! A stand-in for icpx that takes its command line and really compiles, with the embedded toolchain.

use std::path::PathBuf;
use std::process::ExitCode;

use oxysycl_runtime::driver::{Driver, Embedded};
use oxysycl_runtime::toolchain::Toolchain;
use oxysycl_runtime::{Source, Target, Unit};

/// What it says of itself.
pub(crate) const VERSION: &str = "Intel(R) oneAPI DPC++/C++ Compiler 0.0.0 (stand-in)";

/// What a command line asks for.
#[derive(Default)]
struct Request {
    source: Option<PathBuf>,
    output: Option<PathBuf>,
    /// Where to write the rule with the files that the source includes, instead of compiling it.
    rule: Option<PathBuf>,
    defines: Vec<(String, String)>,
    include_dirs: Vec<PathBuf>,
}

/// Does what the command line asks of icpx. The first two arguments say which role this process plays.
pub(crate) fn run() -> ExitCode {
    if std::env::args().any(|argument| argument == "--version") {
        println!("{VERSION}");
        return ExitCode::SUCCESS;
    }
    match request().and_then(|request| serve(request).map_err(|error| error.to_string())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn request() -> Result<Request, String> {
    let mut request = Request::default();
    let mut arguments = std::env::args_os().skip(3);
    let mut next = |option: &str| arguments.next().ok_or(format!("{option} lacks its value"));
    while let Ok(argument) = next("") {
        match argument.to_string_lossy().as_ref() {
            "-o" => request.output = Some(next("-o")?.into()),
            "-MF" => request.rule = Some(next("-MF")?.into()),
            option @ ("-x" | "-L" | "-MT" | "-Xlinker") => drop(next(option)?),
            option if option.starts_with("-I") => request.include_dirs.push(option[2..].into()),
            option if option.starts_with("-DOXYSYCL_MODULE=") => {}
            option if option.starts_with("-D") => {
                let (name, value) = option[2..].split_once('=').unwrap_or((&option[2..], ""));
                request.defines.push((name.to_owned(), value.to_owned()));
            }
            option if option.starts_with('-') => {}
            _ => request.source = Some(argument.into()),
        }
    }
    Ok(request)
}

fn serve(request: Request) -> Result<(), Box<dyn std::error::Error>> {
    let source = request.source.ok_or("no input files")?;
    let unit = Unit {
        source: Source::File(source),
        defines: request.defines,
        include_dirs: request.include_dirs,
        target: Target::Spir64,
    };
    let driver = Embedded::new(Toolchain::ensure()?)?;
    match request.rule {
        Some(rule) => {
            let paths = driver.dependencies(&unit)?;
            let paths: Vec<String> = paths
                .iter()
                .map(|path| path.display().to_string().replace(' ', "\\ "))
                .collect();
            std::fs::write(rule, format!("unit: {}\n", paths.join(" ")))?;
        }
        None => drop(driver.compile(&unit, &request.output.ok_or("no -o")?)?),
    }
    Ok(())
}

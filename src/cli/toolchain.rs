//! `oxysycl toolchain`

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use oxysycl_runtime::toolchain::{Nvidia, Toolchain as Installed, ToolchainError};
use serde::Serialize;

use super::output::Output;
use super::{Answer, Result};

#[derive(Debug, Subcommand)]
pub(super) enum Toolchain {
    /// Install it, unless it is there with every file as it was installed
    Install {
        /// A part that is installed only where it is asked for; it is installed as well
        part: Option<Part>,
    },
    /// Compare every file with the digest that it had when it was installed
    Verify,
    /// Print the folder it is in
    Path,
    /// Print what a shell has to set before a program uses its libraries
    Env,
}

/// A part of the toolchain that not everybody needs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Part {
    /// What kernels for NVIDIA's GPUs are compiled with
    Nvidia,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Described {
    /// Whether it is installed, and whole.
    installed: bool,
    /// Where it is, or would be.
    path: PathBuf,
    /// The part for NVIDIA's GPUs.
    nvidia: DescribedPart,
    /// Environment variables, name and value, that a program needs before it uses the libraries.
    environment: Vec<(String, String)>,
}

/// A part, in what `--json` prints.
#[derive(Serialize)]
struct DescribedPart {
    /// Whether it is installed, and whole.
    installed: bool,
    /// Where it is, or would be.
    path: PathBuf,
}

/// What `verify --json` prints.
#[derive(Serialize)]
struct Verified {
    /// Files that are not what they were.
    damaged: Vec<PathBuf>,
}

impl Toolchain {
    pub(super) fn run(self, output: &Output) -> Result {
        if let Self::Verify = self {
            return verify(output);
        }
        if let Self::Install { .. } = self {
            condemn_damaged()?;
        }
        if let Self::Install {
            part: Some(Part::Nvidia),
        } = self
        {
            Nvidia::ensure()?;
        }
        let found = match self {
            Self::Install { .. } => Some(Installed::ensure()?),
            Self::Path | Self::Env | Self::Verify => Installed::find()?,
        };
        let described = Described {
            installed: found.is_some(),
            path: Installed::place()?,
            nvidia: DescribedPart {
                installed: Nvidia::find()?.is_some(),
                path: Nvidia::place()?,
            },
            environment: found.iter().flat_map(environment).collect(),
        };
        if !described.installed {
            eprintln!("it is not installed: run `oxysycl toolchain install`");
        }
        output.print(&described, |described| match self {
            Self::Install { .. } | Self::Path | Self::Verify => described.path.display().to_string(),
            Self::Env => described
                .environment
                .iter()
                .map(|(name, value)| export(name, value))
                .collect(),
        })?;
        Ok(if described.installed {
            Answer::Yes
        } else {
            Answer::No
        })
    }
}

fn verify(output: &Output) -> Result {
    if Installed::find()?.is_none() {
        eprintln!("it is not installed, or parts of it are missing: run `oxysycl toolchain install`");
        return Ok(Answer::No);
    }
    let verified = Verified {
        damaged: Installed::verify()?,
    };
    output.print(&verified, |verified| {
        if verified.damaged.is_empty() {
            return "every file is as it was installed".to_owned();
        }
        let lines: String = verified
            .damaged
            .iter()
            .map(|path| format!("{} is not as it was installed\n", path.display()))
            .collect();
        format!("{lines}`oxysycl toolchain install` installs it anew\n")
    })?;
    Ok(if verified.damaged.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// Sees to it that what is damaged is installed anew.
fn condemn_damaged() -> std::result::Result<(), ToolchainError> {
    match Installed::condemn_damaged() {
        Ok(damaged) => {
            for path in damaged {
                eprintln!("oxysycl: {} is damaged, and installed anew", path.display());
            }
            Ok(())
        }
        // Its lengths are right, or else it is installed anew anyway.
        Err(ToolchainError::NoDigests { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The toolchain's own variables, and its libraries in front of what is searched for libraries now.
fn environment(toolchain: &Installed) -> Vec<(String, String)> {
    let lib = toolchain.lib();
    let searched = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let others = std::env::split_paths(&searched).filter(|path| *path != lib && !path.as_os_str().is_empty());
    let folders: Vec<String> = [lib.clone()]
        .into_iter()
        .chain(others)
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    let own = toolchain.environment().into_iter();
    let own = own.map(|(name, value)| (name.to_owned(), value.to_string_lossy().into_owned()));
    [("LD_LIBRARY_PATH".to_owned(), folders.join(":"))]
        .into_iter()
        .chain(own)
        .collect()
}

/// A line for a POSIX shell.
fn export(name: &str, value: &str) -> String {
    format!("export {name}='{}'\n", value.replace('\'', "'\\''"))
}

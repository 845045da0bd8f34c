//! Where the parts of the drivers were looked for, and what was found: for people whose compiler isn't.

use std::path::Path;
use std::process::Command;

use super::embedded::Gxx;
use super::{command, icpx};
use crate::toolchain::Toolchain;

/// A place where a part of a driver was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The part: `icpx`, `embedded toolchain`, `g++` or `pip`.
    pub part: &'static str,
    /// Where it was looked for.
    pub place: String,
    /// What was found there; or why it cannot be used, and what to do.
    pub found: Result<String, String>,
}

/// Looks at every place where a part of a driver may be. Installs nothing.
pub fn probe() -> Vec<Probe> {
    let mut probes: Vec<Probe> = icpx::candidates()
        .into_iter()
        .map(|candidate| Probe {
            part: "icpx",
            place: candidate.place,
            found: match candidate.path {
                Some(path) => described(&path, icpx::version(&path).map_err(|error| error.to_string())),
                None => Err(
                    "no icpx there; it is needed only where the embedded toolchain is not wanted".to_owned(),
                ),
            },
        })
        .collect();
    probes.extend([toolchain(), gxx(), pip()]);
    probes
}

fn toolchain() -> Probe {
    let place = Toolchain::place();
    let found = match Toolchain::find() {
        Ok(Some(toolchain)) => Ok(toolchain.version()),
        Ok(None) => {
            Err("not installed: run `oxysycl toolchain install`, or use it, which installs it".to_owned())
        }
        Err(error) => Err(error.to_string()),
    };
    Probe {
        part: "embedded toolchain",
        place: place.map_or_else(|_| "OXYSYCL_HOME".to_owned(), |place| place.display().to_string()),
        found,
    }
}

fn gxx() -> Probe {
    Probe {
        part: "g++",
        place: "PATH".to_owned(),
        found: match Gxx::find() {
            Ok(gxx) => described(&gxx.path, Ok(gxx.version)),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn pip() -> Probe {
    let version = command::run(Command::new("python3").args(["-m", "pip", "--version"]));
    Probe {
        part: "pip",
        place: "python3 on PATH".to_owned(),
        found: match version {
            // The rest of it says where it is installed.
            Ok(finished) => Ok(finished
                .text()
                .split(" from ")
                .next()
                .unwrap_or_default()
                .to_owned()),
            Err(error) => Err(format!(
                "{error}\nneeded only to install the embedded toolchain (on Debian and Ubuntu: apt install python3-pip)"
            )),
        },
    }
}

fn described(path: &Path, version: Result<String, String>) -> Result<String, String> {
    version.map(|version| format!("{}\n{version}", path.display()))
}

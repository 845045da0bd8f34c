//! `oxysycl emit`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::output::Output;
use super::select::named;
use super::{Answer, Result, file};

#[derive(Args, Debug)]
pub(super) struct Emit {
    /// Kernels by name or path; all of them if there are none
    kernels: Vec<String>,
    /// Folder to put the headers in, or `-` for standard output
    #[arg(short, long, value_name = "DIR", default_value = "-")]
    output: PathBuf,
}

/// What `--json` prints: one entry per header.
#[derive(Serialize)]
struct Header {
    /// Its path below the folder of headers.
    header: String,
    /// The kernels in it.
    kernels: Vec<String>,
    /// The file that was written; `null` for standard output.
    path: Option<PathBuf>,
    /// Its text; `null` if it was written to a file.
    text: Option<String>,
}

/// Two kernels that would be written to the same place.
#[derive(Debug, thiserror::Error)]
#[error("the kernels {kernels} have the same header, {header}: emit them into different folders", kernels = kernels.join(" and "))]
struct Collision {
    header: String,
    kernels: Vec<String>,
}

impl Emit {
    pub(super) fn run(self, output: &Output) -> Result {
        let to_stdout = self.output == Path::new("-");
        let mut headers: BTreeMap<String, Header> = BTreeMap::new();
        for kernel in named(&self.kernels)? {
            let ir = kernel.ir()?;
            let header = Header {
                header: ir.attributes.header.clone(),
                kernels: vec![ir.name.clone()],
                path: (!to_stdout).then(|| self.output.join(&ir.attributes.header)),
                text: Some(oxysycl_codegen::header(&ir)),
            };
            if let Some(other) = headers.insert(header.header.clone(), header) {
                let kernels = [other.kernels, vec![ir.name.clone()]].concat();
                return Err(Collision {
                    header: other.header,
                    kernels,
                }
                .into());
            }
        }
        let mut headers: Vec<Header> = headers.into_values().collect();
        for header in &mut headers {
            if let Some(path) = &header.path {
                file::write(path, header.text.take().unwrap_or_default().as_bytes())?;
            }
        }
        output.print(&headers, |headers| {
            let line = |header: &Header| match (&header.text, &header.path) {
                (Some(text), _) => text.clone(),
                (None, path) => path.iter().map(|path| format!("{}\n", path.display())).collect(),
            };
            headers.iter().map(line).collect()
        })?;
        Ok(Answer::Yes)
    }
}

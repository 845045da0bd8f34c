//! `oxysycl emit`

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::ptr;

use clap::Args;
use serde::Serialize;

use super::output::Output;
use super::select::{default_symbols, named};
use super::{Answer, Result, file};
use crate::kernel::Kernel;

#[derive(Args, Debug)]
pub(super) struct Emit {
    /// Kernels by name or path; all of them if there are none. Those that share a header come together
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

/// Kernels of one header with the same export.
#[derive(Debug, thiserror::Error)]
#[error("{header} would export `{symbol}` twice: give its kernels other symbols, or headers of their own")]
struct Clash {
    header: String,
    symbol: String,
}

impl Emit {
    pub(super) fn run(self, output: &Output) -> Result {
        let to_stdout = self.output == Path::new("-");
        let wanted = named(&self.kernels)?;
        let mut headers = Vec::new();
        for header in crate::headers()? {
            let is_wanted = |kernel: &&Kernel| wanted.iter().any(|wanted| ptr::eq(*wanted, *kernel));
            if header.kernels().iter().any(is_wanted) {
                headers.push(Header::new(&header)?);
            }
        }
        if !to_stdout {
            for header in &mut headers {
                let path = self.output.join(&header.header);
                file::write(&path, header.text.take().unwrap_or_default().as_bytes())?;
                header.path = Some(path);
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

impl Header {
    /// A header with its text, still to be written anywhere.
    fn new(header: &crate::Header) -> std::result::Result<Self, Box<dyn Error>> {
        let mut kernels = Vec::new();
        let mut symbols = BTreeSet::new();
        for kernel in header.kernels() {
            let ir = kernel.ir()?;
            let mut exported = default_symbols(&ir);
            exported.push(format!("{}_last_error", ir.name));
            // Macros may select what no header has by itself.
            let patterns = ir.symbol_patterns().into_iter();
            exported.extend(patterns.filter(|pattern| pattern.contains('{')));
            if let Some(symbol) = exported
                .into_iter()
                .find(|symbol| !symbols.insert(symbol.clone()))
            {
                let header = header.path().to_owned();
                return Err(Clash { header, symbol }.into());
            }
            kernels.push(ir.name.clone());
        }
        kernels.sort();
        Ok(Self {
            header: header.path().to_owned(),
            kernels,
            path: None,
            text: Some(header.text()?),
        })
    }
}

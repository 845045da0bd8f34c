//! The headers that are measured beside one another.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use oxysycl_codegen::ir::Kernel as Ir;
use oxysycl_runtime::DeviceKind;

use super::baseline;
use crate::kernel::Kernel;

/// A header that has a kernel's export.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// What results call it.
    pub(crate) name: String,
    /// The name of its file in a compiler's messages.
    pub(crate) file: String,
    /// Its text, which includes no file beside it.
    pub(crate) text: String,
    /// Its function that tells why an export failed, if it follows that convention.
    pub(crate) last_error: Option<String>,
}

/// What the generated header is measured against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    /// Itself, so that noise can be seen.
    Itself,
    /// One of this project's own, by its name.
    Named(&'static str),
    /// A header on disk.
    File(PathBuf),
}

/// Why there is no such header.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HeaderError {
    #[error("cannot read {path}: {source}", path = path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("there is no header `{name}` for {kernel}; there is for {known}", known = known.join(", "))]
    Missing {
        name: &'static str,
        kernel: String,
        known: Vec<&'static str>,
    },
}

impl Against {
    /// `self`, the name of one of this project's own headers, or the path of a file.
    pub(crate) fn parse(text: &str) -> Self {
        let own = baseline::NAMES.into_iter().find(|name| *name == text);
        match own {
            _ if text == "self" => Self::Itself,
            Some(name) => Self::Named(name),
            None => Self::File(PathBuf::from(text)),
        }
    }

    /// This project's own headers that there are for `kernel`; those for CPUs only where that is what the device is.
    pub(crate) fn usual(kernel: &Kernel, ir: &Ir, device: DeviceKind) -> Vec<Self> {
        let names = baseline::NAMES.into_iter();
        names
            .filter(|name| *name != baseline::CPU || device == DeviceKind::Cpu)
            .filter(|name| baseline::of(kernel, ir, name).is_some())
            .map(Self::Named)
            .collect()
    }

    /// The header for `kernel`.
    pub(crate) fn header(&self, kernel: &Kernel, ir: &Ir) -> Result<Header, HeaderError> {
        match self {
            Self::Itself => Ok(Header {
                name: "self".to_owned(),
                ..generated(ir)
            }),
            Self::Named(name) => baseline::of(kernel, ir, name).ok_or_else(|| HeaderError::Missing {
                name,
                kernel: ir.name.clone(),
                known: baseline::kernels(name),
            }),
            Self::File(path) => Ok(Header {
                name: path.display().to_string(),
                file: file_name(path),
                text: self_contained(path)?,
                last_error: None,
            }),
        }
    }
}

/// The header that is emitted for a kernel.
pub(crate) fn generated(ir: &Ir) -> Header {
    Header {
        name: "generated".to_owned(),
        file: file_name(Path::new(&ir.attributes.header)),
        text: oxysycl_codegen::header(ir),
        last_error: Some(format!("{}_last_error", ir.name)),
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The text of the header at `path` with the files that it includes by `"…"` in their place, each once: so the text is all that
/// a compiled library depends on, and it can be carried to other machines.
fn self_contained(path: &Path) -> Result<String, HeaderError> {
    let mut seen = BTreeSet::new();
    expanded(path, &mut seen)
}

fn expanded(path: &Path, seen: &mut BTreeSet<PathBuf>) -> Result<String, HeaderError> {
    let unreadable = |source| HeaderError::Unreadable {
        path: path.to_owned(),
        source,
    };
    seen.insert(path.canonicalize().map_err(unreadable)?);
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut whole = String::new();
    for line in text.lines() {
        let included = included(line).map(|name| folder.join(name));
        match included.and_then(|file| Some((file.canonicalize().ok()?, file))) {
            Some((same, _)) if seen.contains(&same) => {}
            Some((_, file)) => whole += &expanded(&file, seen)?,
            // Of the compiler, or of one of its folders.
            None => whole += line,
        }
        whole.push('\n');
    }
    Ok(whole)
}

/// The name in a line `#include "name"`.
fn included(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = directive.strip_prefix("include")?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn included_files_take_their_place_once() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        write("common.hpp", "#pragma once\nint common;\n");
        write("deep/part.hpp", "# include \"../common.hpp\"\nint part;\n");
        write(
            "whole.hpp",
            "#include <cstdint>\n#include \"common.hpp\"\n#include \"deep/part.hpp\"\n#include \"none.hpp\"\nint whole;\n",
        );
        let text = self_contained(&folder.path().join("whole.hpp")).unwrap();
        for once in [
            "int common;",
            "int part;",
            "int whole;",
            "<cstdint>",
            "\"none.hpp\"",
        ] {
            assert_eq!(text.matches(once).count(), 1, "{once}: {text}");
        }
        assert!(!text.contains("\"common.hpp\"") && !text.contains("part.hpp\""));
        assert!(text.find("int common;") < text.find("int part;"));
    }

    #[test]
    fn names_come_before_files() {
        assert_eq!(Against::parse("self"), Against::Itself);
        assert_eq!(Against::parse("handwritten"), Against::Named("handwritten"));
        assert_eq!(Against::parse("./self"), Against::File("./self".into()));
        let error = Against::parse("nowhere.hpp");
        let Against::File(path) = error else { panic!() };
        let text = self_contained(&path).unwrap_err().to_string();
        assert!(text.starts_with("cannot read nowhere.hpp: "), "{text}");
    }
}

//! Which files a compiler reads.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::source::{unreadable, unwritable};
use super::{CompileError, command};
use crate::scratch::Scratch;

/// The files that `compiler`, complete but for its source, reads for the file `source`, without that file itself, in the order
/// in which it first reads them.
pub(super) fn read(compiler: &mut Command, source: &Path) -> Result<Vec<PathBuf>, CompileError> {
    // Before a compiler says of it, in its own way, that it cannot read it: that is no verdict on the code.
    fs::read(source).map_err(unreadable(source))?;
    let work = Scratch::anywhere().map_err(unwritable(&std::env::temp_dir()))?;
    let list = work.path().join("dependencies");
    let source = std::path::absolute(source).map_err(unreadable(source))?;
    compiler
        .args(["-M", "-MT", "unit", "-MF"])
        .arg(&list)
        .arg(&source)
        .env("TMPDIR", work.path());
    command::run(compiler)?;
    let text = fs::read(&list).map_err(unreadable(&list))?;
    Ok(parse(&text).into_iter().filter(|path| *path != source).collect())
}

/// The files in a rule for `make` that the compiler wrote to `list`, as it ran in the folder `work`.
pub(super) fn listed(list: &Path, work: &Path) -> Result<Vec<PathBuf>, CompileError> {
    let text = fs::read(list).map_err(unreadable(list))?;
    Ok(parse(&text).into_iter().map(|path| work.join(path)).collect())
}

/// The paths in a rule for `make`, as compilers write it: `unit: a.hpp b\ c.hpp \` and so on.
fn parse(rule: &[u8]) -> Vec<PathBuf> {
    let text = match rule.iter().position(|&byte| byte == b':') {
        Some(colon) => &rule[colon + 1..],
        None => rule,
    };
    let mut paths = Vec::new();
    let mut path = Vec::new();
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'\\', Some(b'\n')) => {}
            (b'\\', Some(b' ' | b'#' | b'\\' | b':')) | (b'$', Some(b'$')) => path.extend(bytes.next()),
            (b' ' | b'\t' | b'\n', _) => {
                if !path.is_empty() {
                    paths.push(std::mem::take(&mut path));
                }
            }
            _ => path.push(byte),
        }
    }
    if !path.is_empty() {
        paths.push(path);
    }
    paths
        .into_iter()
        .map(|path| OsString::from_vec(path).into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule = b"unit: /a/b.hpp \\\n /c\\ d/e.hpp \\\n  /f$$g/\\#h.hpp\n";
        let paths = parse(rule);
        assert_eq!(
            paths,
            ["/a/b.hpp", "/c d/e.hpp", "/f$g/#h.hpp"].map(PathBuf::from)
        );
    }
}

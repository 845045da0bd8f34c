//! A unit, laid out for both passes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::super::source::{OWN, file_name, unwritable, write_source};
use super::super::{CompileError, MODULE_MACRO};
use super::tools::{END_OF_PRELUDE, PRELUDE, Tools};
use crate::unit::{Source, Unit};

/// A unit, laid out for both passes.
pub(super) struct Translation<'a> {
    unit: &'a Unit,
    /// The line that includes the unit's source.
    include: OsString,
    /// Whether `sycl.hpp` may come first: nothing in the unit could change what is in it.
    prelude: bool,
}

impl<'a> Translation<'a> {
    /// Lays out `unit`; `texts` are the contents of its own source and of all files that this includes. Writes a source that
    /// is no file into the folder `work`.
    pub(super) fn new(
        unit: &'a Unit,
        texts: &[Vec<u8>],
        tools: &Tools,
        work: &Path,
    ) -> Result<Self, CompileError> {
        let include = include_line(&write_source(unit, work)?)?;
        let defined = unit.defines.iter().map(|(name, _)| name.as_bytes());
        let prelude = !tools.is_changed_by(defined, texts)?;
        Ok(Self {
            unit,
            include,
            prelude,
        })
    }

    /// Writes the device pass's unit into `work`, and returns the arguments that say where it is and what it includes.
    pub(super) fn write_device(&self, work: &Path, module: &str) -> Result<Vec<OsString>, CompileError> {
        let mut text = OsString::new();
        if self.prelude {
            text.push(PRELUDE);
            text.push(END_OF_PRELUDE);
        }
        // Not as options: the precompiled header is looked for by all of them.
        for (name, value) in &self.unit.defines {
            text.push(format!(
                "#define {name} {}\n",
                if value.is_empty() { "1" } else { value }
            ));
        }
        text.push(format!("#define {MODULE_MACRO} {module}\n"));
        text.push(&self.include);
        let unit = format!("{OWN}/device.cpp");
        let path = work.join(&unit);
        fs::write(&path, text.as_bytes()).map_err(unwritable(&path))?;
        let mut arguments = vec![unit.into(), format!("{OWN}/module").into()];
        if let Source::Header { name, .. } = &self.unit.source {
            let name = file_name(name);
            arguments.extend([name.clone().into(), name.into()]);
        }
        Ok(arguments)
    }

    /// Writes the host pass's unit into `work` and returns its path below that. It is alone in its folder, where its includes
    /// are looked for first.
    pub(super) fn write_host(&self, work: &Path) -> Result<PathBuf, CompileError> {
        let folder = Path::new(OWN).join("host");
        let path = folder.join(format!("{OWN}.cpp"));
        fs::create_dir_all(work.join(&folder)).map_err(unwritable(&folder))?;
        fs::write(work.join(&path), self.include.as_bytes()).map_err(unwritable(&path))?;
        Ok(path)
    }

    /// Whether the host pass may use the precompiled headers.
    pub(super) fn host_prelude(&self) -> bool {
        self.prelude
    }

    /// Whether the device pass may use the precompiled headers. They are looked for by all options, so that another
    /// include folder would have them made once more.
    pub(super) fn device_prelude(&self) -> bool {
        self.prelude && self.unit.include_dirs.is_empty()
    }
}

/// The line that includes `path`.
fn include_line(path: &Path) -> Result<OsString, CompileError> {
    let bytes = path.as_os_str().as_bytes();
    let (open, close) = match (bytes.contains(&b'"'), bytes.contains(&b'>')) {
        _ if bytes.contains(&b'\n') => (None, b'"'),
        (false, _) => (Some(b'"'), b'"'),
        (true, false) => (Some(b'<'), b'>'),
        (true, true) => (None, b'"'),
    };
    let Some(open) = open else {
        return Err(CompileError::Refused {
            subject: path.display().to_string(),
            reason: "no include line can hold this path: rename the file or its folder".to_owned(),
        });
    };
    let line = [b"#include ", [open].as_slice(), bytes, &[close], b"\n"].concat();
    Ok(OsString::from_vec(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_quotes_can_be_included() {
        let line = |path: &str| include_line(Path::new(path)).map(|line| line.into_string().unwrap());
        assert_eq!(line("/a b/é.hpp").unwrap(), "#include \"/a b/é.hpp\"\n");
        assert_eq!(line("/a\"b/x.hpp").unwrap(), "#include </a\"b/x.hpp>\n");
        assert!(line("/a\"<b>/x.hpp").unwrap_err().to_string().contains("rename"));
    }
}

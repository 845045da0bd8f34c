//! The names in the headers of SYCL and those that they need of the system: gathered once, since there are millions of words.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::super::CompileError;
use super::super::source::{unreadable, unwritable};

/// The list of all words.
const WORDS: &str = "words";

/// The list of those that are names of macros somewhere.
const MACROS: &str = "macros";

/// What the lists are called.
pub(super) const LISTS: [&str; 2] = [WORDS, MACROS];

/// Writes the lists for `headers` into `folder`, a name a line.
pub(super) fn write(headers: &[PathBuf], folder: &Path) -> Result<(), CompileError> {
    let (mut all_words, mut macros) = (BTreeSet::new(), BTreeSet::new());
    for path in headers {
        let text = fs::read(path).map_err(unreadable(path))?;
        all_words.extend(words(&text).map(<[u8]>::to_vec));
        macros.extend(defined(&text).map(<[u8]>::to_vec));
    }
    for (list, names) in [(WORDS, all_words), (MACROS, macros)] {
        let path = folder.join(list);
        let lines: Vec<u8> = names
            .into_iter()
            .flat_map(|name| [name, vec![b'\n']].concat())
            .collect();
        fs::write(&path, lines).map_err(unwritable(&path))?;
    }
    Ok(())
}

/// Whether `texts`, read after macros called `names` have been defined, could change what the headers hold, so that these have to
/// be read after them. `folder` is where their lists are.
///
/// A macro does if the headers have its name, or if that is reserved to the implementation. What `#undef` takes away does only
/// if it may be there: if the texts define it themselves, or the headers or the implementation do.
pub(super) fn is_changed_by<'a>(
    names: impl Iterator<Item = &'a [u8]>,
    texts: &'a [Vec<u8>],
    folder: &Path,
) -> Result<bool, CompileError> {
    let defines: HashSet<&[u8]> = names.chain(texts.iter().flat_map(|text| defined(text))).collect();
    let undefines: HashSet<&[u8]> = texts.iter().flat_map(|text| directives(text, b"undef")).collect();
    if defines.union(&undefines).any(|name| name.starts_with(b"_")) {
        return Ok(true);
    }
    Ok(has_one_of(&folder.join(WORDS), &defines)? || has_one_of(&folder.join(MACROS), &undefines)?)
}

/// Whether one of the lines of a list is one of `names`.
fn has_one_of(list: &Path, names: &HashSet<&[u8]>) -> Result<bool, CompileError> {
    if names.is_empty() {
        return Ok(false);
    }
    let lines = fs::read(list).map_err(unreadable(list))?;
    Ok(lines
        .split(|&byte| byte == b'\n')
        .any(|line| names.contains(line)))
}

/// The names that `#define` lines in `text` define.
fn defined(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    directives(text, b"define")
}

/// The names that lines of one `directive` in `text` name.
fn directives<'a>(text: &'a [u8], directive: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    text.split(|&byte| byte == b'\n').filter_map(move |line| {
        let line = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        words(line.strip_prefix(directive)?).next()
    })
}

/// The identifiers and numbers in `text`.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `text` changes a header in which there are a macro, `assert`, and a name, `half`.
    fn changes(text: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let header = folder.path().join("header.hpp");
        fs::write(&header, "# define assert(x)\n#undef min\nclass half;\n").unwrap();
        write(&[header], folder.path()).unwrap();
        is_changed_by(
            [b"N".as_slice()].into_iter(),
            &[text.as_bytes().to_vec()],
            folder.path(),
        )
        .unwrap()
    }

    #[test]
    fn macros_with_names_of_the_headers_change_them() {
        assert!(changes("# define half 1\n"));
        assert!(changes("#define A 1\n#define min(x) x\n"));
        assert!(changes("#define __A\n") && changes("#undef __A\n"));
        assert!(!changes("#define A half\n// #define half\n#ifdef half\n"));
    }

    #[test]
    fn what_is_no_macro_may_be_undefined() {
        assert!(!changes(
            "#pragma push_macro(\"half\")\n#undef half\n#undef min\n"
        ));
        assert!(changes("  #undef assert\n"));
    }
}

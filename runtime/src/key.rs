//! What identifies a compiled unit: a digest of all that shapes it, and of nothing else.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::driver::{CompileError, Identity};
use crate::unit::{Source, Target, Unit};

/// The version of this scheme, and of the entries that keys name. A change of either needs a new number.
const FORMAT: u64 = 1;

/// The SHA-256 digest of everything that shapes a compiled unit: the driver's identity, the source text and
/// its file's name, the macros in order, the target, and the contents of the files that the source includes.
/// Times, process numbers, folders and the rest of the environment are not in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of `unit` compiled by the driver that `identity` describes. `dependencies` are the files that
    /// the source includes, in the order in which the compiler first reads them.
    pub fn new(identity: &Identity, unit: &Unit, dependencies: &[PathBuf]) -> Result<Self, CompileError> {
        let mut fields = Fields(Sha256::new());
        fields.number(FORMAT);
        fields.list(identity.facts(), |fields, (name, value)| {
            fields.bytes(name.as_bytes());
            fields.bytes(value.as_bytes());
        });
        match &unit.source {
            Source::Header { name, text } => {
                fields.bytes(b"header");
                fields.bytes(name.as_bytes());
                fields.bytes(text.as_bytes());
            }
            Source::File(path) => {
                fields.bytes(b"file");
                fields.file(path)?;
            }
            Source::Host { name, text } => {
                fields.bytes(b"host");
                fields.bytes(name.as_bytes());
                fields.bytes(text.as_bytes());
            }
        }
        fields.list(&unit.defines, |fields, (name, value)| {
            fields.bytes(name.as_bytes());
            fields.bytes(value.as_bytes());
        });
        match &unit.target {
            Target::Spir64 => fields.bytes(b"spir64"),
            Target::Named(name) => fields.bytes(name.as_bytes()),
        }
        fields.number(dependencies.len() as u64);
        for dependency in dependencies {
            fields.file(dependency)?;
        }
        Ok(Self(fields.0.finalize().into()))
    }
}

impl Key {
    /// The key that prints as `text`.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        Some(Self(hex::decode(text).ok()?.try_into().ok()?))
    }
}

impl fmt::Display for Key {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex::encode(self.0))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// A digest over fields, each preceded by its length, so that no two lists of fields are the same bytes.
struct Fields(Sha256);

impl Fields {
    fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut add: impl FnMut(&mut Self, T)) {
        let items: Vec<T> = items.into_iter().collect();
        self.number(items.len() as u64);
        for item in items {
            add(self, item);
        }
    }

    /// A file's name without its folder, and its contents.
    fn file(&mut self, path: &Path) -> Result<(), CompileError> {
        let unreadable = |source| CompileError::Io {
            action: "cannot read",
            path: path.to_owned(),
            source,
        };
        self.bytes(path.file_name().unwrap_or_default().as_encoded_bytes());
        self.bytes(&fs::read(path).map_err(unreadable)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(version: &str) -> Identity {
        Identity::new(vec![
            ("driver", "test".to_owned()),
            ("version", version.to_owned()),
        ])
    }

    fn header(text: &str) -> Unit {
        Unit {
            source: Source::Header {
                name: "k.hpp".to_owned(),
                text: text.to_owned(),
            },
            defines: vec![("A".to_owned(), "1".to_owned()), ("B".to_owned(), "2".to_owned())],
            include_dirs: Vec::new(),
            target: Target::Spir64,
        }
    }

    fn define(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn key(unit: &Unit) -> Key {
        Key::new(&identity("1"), unit, &[]).unwrap()
    }

    #[track_caller]
    fn differs(change: impl FnOnce(&mut Unit)) {
        let mut unit = header("int x;");
        change(&mut unit);
        assert_ne!(key(&unit), key(&header("int x;")));
    }

    #[test]
    fn equal_units_have_equal_keys() {
        assert_eq!(key(&header("int x;")), key(&header("int x;")));
    }

    #[test]
    fn the_driver_is_in_the_key() {
        let unit = header("int x;");
        assert_ne!(
            Key::new(&identity("1"), &unit, &[]).unwrap(),
            Key::new(&identity("2"), &unit, &[]).unwrap()
        );
        let more = Identity::new(vec![
            ("driver", "test".to_owned()),
            ("version", "1".to_owned()),
            ("flags", String::new()),
        ]);
        assert_ne!(
            Key::new(&identity("1"), &unit, &[]).unwrap(),
            Key::new(&more, &unit, &[]).unwrap()
        );
    }

    #[test]
    fn the_text_is_in_the_key() {
        differs(|unit| unit.source = header("int y;").source);
    }

    #[test]
    fn the_name_is_in_the_key() {
        differs(|unit| {
            unit.source = Source::Header {
                name: "l.hpp".to_owned(),
                text: "int x;".to_owned(),
            }
        });
    }

    #[test]
    fn the_kind_of_source_is_in_the_key() {
        differs(|unit| {
            unit.source = Source::Host {
                name: "k.hpp".to_owned(),
                text: "int x;".to_owned(),
            }
        });
    }

    #[test]
    fn each_macro_is_in_the_key() {
        differs(|unit| unit.defines[0].0 = "C".to_owned());
        differs(|unit| unit.defines[0].1 = "3".to_owned());
        differs(|unit| drop(unit.defines.pop()));
        differs(|unit| unit.defines.push(define("C", "")));
    }

    #[test]
    fn the_order_of_macros_is_in_the_key() {
        differs(|unit| unit.defines.reverse());
    }

    #[test]
    fn the_target_is_in_the_key() {
        differs(|unit| unit.target = Target::Named("intel_gpu_bmg_g21".to_owned()));
    }

    #[test]
    fn fields_do_not_run_into_one_another() {
        let with = |defines: Vec<(String, String)>| {
            key(&Unit {
                defines,
                ..header("int x;")
            })
        };
        assert_ne!(with(vec![define("AB", "C")]), with(vec![define("A", "BC")]));
        assert_ne!(
            with(vec![define("A", "B")]),
            with(vec![define("A", ""), define("B", "")])
        );
    }

    /// A folder with a source file that includes another.
    fn folder(included: &str) -> (tempfile::TempDir, Unit, Vec<PathBuf>) {
        let folder = tempfile::tempdir().unwrap();
        let (source, header) = (folder.path().join("k.cpp"), folder.path().join("value.hpp"));
        fs::write(&source, "#include \"value.hpp\"").unwrap();
        fs::write(&header, included).unwrap();
        let unit = Unit {
            source: Source::File(source),
            include_dirs: vec![folder.path().to_owned()],
            ..super::tests::header("")
        };
        (folder, unit, vec![header])
    }

    #[test]
    fn included_files_are_in_the_key() {
        let (_a, unit, included) = folder("2");
        let before = Key::new(&identity("1"), &unit, &included).unwrap();
        fs::write(&included[0], "3").unwrap();
        assert_ne!(Key::new(&identity("1"), &unit, &included).unwrap(), before);
        assert_ne!(Key::new(&identity("1"), &unit, &[]).unwrap(), before);
    }

    #[test]
    fn the_source_file_is_in_the_key() {
        let (folder, unit, included) = folder("2");
        let before = Key::new(&identity("1"), &unit, &included).unwrap();
        fs::write(folder.path().join("k.cpp"), "#include \"value.hpp\" // changed").unwrap();
        assert_ne!(Key::new(&identity("1"), &unit, &included).unwrap(), before);
    }

    #[test]
    fn folders_and_times_are_not_in_the_key() {
        let (_a, one, one_included) = folder("2");
        let (_b, two, two_included) = folder("2");
        assert_eq!(
            Key::new(&identity("1"), &one, &one_included).unwrap(),
            Key::new(&identity("1"), &two, &two_included).unwrap()
        );
        let old = fs::File::open(&one_included[0]).unwrap();
        old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(
            Key::new(&identity("1"), &one, &one_included).unwrap(),
            Key::new(&identity("1"), &two, &two_included).unwrap()
        );
    }

    #[test]
    fn an_unreadable_dependency_is_an_error_that_names_it() {
        let (folder, unit, _) = folder("2");
        let gone = folder.path().join("gone.hpp");
        let error = Key::new(&identity("1"), &unit, std::slice::from_ref(&gone))
            .unwrap_err()
            .to_string();
        assert!(error.contains(gone.to_str().unwrap()), "{error}");
    }
}

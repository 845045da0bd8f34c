//! What identifies a compiled unit: a digest of all that shapes it, and of nothing else.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::driver::{CompileError, Identity};
use crate::unit::{Source, Target, Unit};

/// The version of this scheme, and of the entries that keys name. A change of either needs a new number.
const FORMAT: u32 = 2;

/// The SHA-256 digest of everything that shapes a compiled unit, its [`KeyFields`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

/// Everything that shapes a compiled unit, name and value, in a fixed order: the number of this format, the driver's
/// identity, the source and its file's name, the macros in order, the target, and the files that the source includes.
/// Files and texts are there by their digests, files by their names without the folders. Times, process numbers, folders
/// and the environment are not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyFields(Vec<(String, String)>);

impl Key {
    /// The key of `unit` compiled by the driver that `identity` describes. `dependencies` are the files that the source
    /// includes, in a fixed order.
    pub fn new(identity: &Identity, unit: &Unit, dependencies: &[PathBuf]) -> Result<Self, CompileError> {
        Ok(KeyFields::new(identity, unit, dependencies)?.key())
    }
}

impl KeyFields {
    /// The fields of `unit`, as for [`Key::new`].
    pub fn new(identity: &Identity, unit: &Unit, dependencies: &[PathBuf]) -> Result<Self, CompileError> {
        let mut fields = Self::default();
        fields.add("format", &FORMAT.to_string());
        for (name, value) in identity.facts() {
            fields.add(name, value);
        }
        match &unit.source {
            Source::Header { name, text } => fields.add_text("header", name, text.as_bytes()),
            Source::Host { name, text } => fields.add_text("host source", name, text.as_bytes()),
            Source::File(path) => fields.add_file("source", path)?,
        }
        for (name, value) in &unit.defines {
            fields.add("macro", name);
            fields.add("its value", value);
        }
        match &unit.target {
            Target::Spir64 => fields.add("target", "spir64"),
            Target::Named(name) => fields.add("target", name),
        }
        for dependency in dependencies {
            fields.add_file("included", dependency)?;
        }
        Ok(fields)
    }

    /// The digest of all fields, each preceded by its length, so that no two lists of fields are the same bytes.
    pub fn key(&self) -> Key {
        let mut digest = Sha256::new();
        for (name, value) in &self.0 {
            for text in [name, value] {
                digest.update((text.len() as u64).to_le_bytes());
                digest.update(text);
            }
        }
        Key(digest.finalize().into())
    }

    /// All fields, name and value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The fields that these have and `others` do not, each as often as it is missing there.
    pub fn missing_in(&self, others: &Self) -> Vec<(&str, &str)> {
        let mut rest: Vec<&(String, String)> = others.0.iter().collect();
        let mut missing = Vec::new();
        for field in &self.0 {
            match rest.iter().position(|other| *other == field) {
                Some(position) => drop(rest.swap_remove(position)),
                None => missing.push((field.0.as_str(), field.1.as_str())),
            }
        }
        missing
    }

    fn add(&mut self, name: &str, value: &str) {
        self.0.push((name.to_owned(), value.to_owned()));
    }

    fn add_text(&mut self, kind: &str, name: &str, text: &[u8]) {
        self.add(kind, name);
        self.add("its SHA-256", &hex::encode(Sha256::digest(text)));
    }

    /// A file's name without its folder, and its contents.
    fn add_file(&mut self, kind: &str, path: &Path) -> Result<(), CompileError> {
        let text = fs::read(path).map_err(|source| CompileError::Io {
            action: "cannot read",
            path: path.to_owned(),
            source,
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.add_text(kind, &name, &text);
        Ok(())
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

    /// U-KEY: what differs is said of the nearest entry.
    #[test]
    fn differences_are_named() {
        let fields = |unit: &Unit| KeyFields::new(&identity("1"), unit, &[]).unwrap();
        let (one, mut other) = (header("int x;"), header("int x;"));
        assert_eq!(fields(&one).missing_in(&fields(&other)), []);
        other.defines[1].1 = "3".to_owned();
        assert_eq!(fields(&other).missing_in(&fields(&one)), [("its value", "3")]);
        assert_eq!(fields(&one).missing_in(&fields(&other)), [("its value", "2")]);
        assert!(fields(&one).iter().any(|field| field == ("target", "spir64")));
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

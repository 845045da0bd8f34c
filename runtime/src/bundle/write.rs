//! Making bundles.

use std::fs;
use std::io;
use std::path::Path;

use object::{Object, ObjectSymbol};

use super::manifest::{Entry, FORMAT, Manifest};
use super::{Bundle, BundleError, LIB, MODULES, digest};
use crate::cache::{Cache, Compiled};
use crate::runtime::Runtime;
use crate::shim::Shim;
use crate::unit::{Target, Unit};

/// What goes into a bundle.
#[derive(Clone, Debug)]
pub struct Contents {
    /// What to compile: self-contained headers, all for [`target`](Self::target).
    pub units: Vec<Unit>,
    /// The devices that it is for.
    pub target: Target,
}

impl Bundle {
    /// Makes a bundle of `contents` in `folder`, which must be no folder yet, empty, or that of an older bundle. Whatever is
    /// not compiled yet is compiled now.
    ///
    /// # Errors
    /// If something cannot be compiled, or the folder cannot be written. Then it is left as it was.
    pub fn create(folder: &Path, runtime: &Runtime, contents: &Contents) -> Result<Self, BundleError> {
        let unwritable = |reason: &dyn std::fmt::Display| BundleError::Unwritable {
            folder: folder.to_owned(),
            reason: reason.to_string(),
        };
        if !may_be_replaced(folder) {
            return Err(unwritable(&"there is something else in it"));
        }
        let folder = std::path::absolute(folder).map_err(|error| unwritable(&error))?;
        let parent = folder.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(|error| unwritable(&error))?;
        // Beside its place, so that one rename puts it there.
        let staging = tempfile::Builder::new()
            .prefix(".oxysycl-")
            .tempdir_in(parent)
            .map_err(|error| unwritable(&error))?;
        let new = staging.path().join("bundle");
        let lib = new.join(LIB);
        fs::create_dir_all(&lib).map_err(|error| unwritable(&error))?;
        let runtime_error = |error: crate::Error| BundleError::Runtime(Box::new(error));
        let libraries = runtime
            .driver()
            .run_time(&contents.target)
            .map_err(|error| runtime_error(error.into()))?;
        for (name, path) in libraries {
            fs::copy(&path, lib.join(name))
                .map_err(|error| unwritable(&format!("{}: {error}", path.display())))?;
        }
        let modules = Cache::open(&new.join(MODULES));
        let mut entries = Vec::new();
        for unit in contents.units.iter().chain([&Shim::unit()]) {
            entries.push(add(unit, runtime, &modules).map_err(runtime_error)?);
        }
        keep_only(&entries, &new.join(MODULES)).map_err(|error| unwritable(&error))?;
        let facts = runtime.driver().identity().facts();
        let manifest = Manifest {
            format: FORMAT,
            identity: facts
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            targets: contents.target.name().split(',').map(str::to_owned).collect(),
            modules: entries,
            files: Default::default(),
        };
        manifest.write(&new).map_err(|error| unwritable(&error))?;
        if folder.exists() {
            fs::rename(&folder, staging.path().join("old")).map_err(|error| unwritable(&error))?;
        }
        fs::rename(&new, &folder).map_err(|error| unwritable(&error))?;
        Self::open(&folder)
    }
}

/// Puts the library of `unit` among `modules`.
fn add(unit: &Unit, runtime: &Runtime, modules: &Cache) -> Result<Entry, crate::Error> {
    let wanted = runtime.wanted(unit)?;
    let library = runtime.library(unit)?;
    let copy = modules.obtain(&wanted, |out| {
        fs::copy(library.path(), out)
            .map(|_| Compiled::default())
            .map_err(|source| crate::driver::CompileError::Io {
                action: "cannot write",
                path: out.to_owned(),
                source,
            })
    })?;
    Ok(Entry {
        key: wanted.key.to_string(),
        about: wanted.about,
        source: digest(&unit.source).unwrap_or_default(),
        symbols: exports(copy.path()),
    })
}

/// The functions that a library exports.
fn exports(library: &Path) -> Vec<String> {
    let bytes = fs::read(library).unwrap_or_default();
    let Ok(file) = object::File::parse(bytes.as_slice()) else {
        return Vec::new();
    };
    let mut names: Vec<String> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// Deletes what is in the folder `modules` besides `entries`: that by which processes which fill a cache wait for one
/// another.
fn keep_only(entries: &[Entry], modules: &Path) -> io::Result<()> {
    for found in fs::read_dir(modules)? {
        let found = found?;
        let path = found.path();
        if entries.iter().any(|entry| found.file_name() == *entry.key) {
            continue;
        }
        if found.metadata()?.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Whether a bundle may take the place of what is at `folder`.
fn may_be_replaced(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none() || Manifest::read(folder).is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

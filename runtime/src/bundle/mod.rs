//! Bundles: compiled libraries and what their run needs of the SYCL run time, in a folder that can be carried to a machine
//! with no compiler, no pip and no network.
//!
//! `OXYSYCL_BUNDLE` names the folder of one, which then takes the place of all compilers and of the cache.

mod manifest;
mod write;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use self::manifest::Manifest;
use crate::cache::Cache;
use crate::driver::{ADAPTERS, CompileError, Driver, Identity};
use crate::environment;
use crate::key::Key;
use crate::unit::{Source, Target, Unit};

pub use self::write::Contents;

/// The environment variable that names a bundle's folder.
const VARIABLE: &str = "OXYSYCL_BUNDLE";

/// Where a bundle keeps its compiled libraries.
const MODULES: &str = "modules";

/// Where a bundle keeps the SYCL run time.
const LIB: &str = "lib";

/// A bundle on disk, whole. As a driver it compiles nothing: what it holds was compiled before.
#[derive(Debug)]
pub struct Bundle {
    folder: PathBuf,
    manifest: Manifest,
    identity: Identity,
}

/// Why a bundle cannot be used or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It is not whole, or of another version.
    #[error(
        "the bundle {folder} cannot be used: {reason}\ncopy it again, or make it again with `oxysycl bundle`",
        folder = folder.display()
    )]
    Unusable {
        /// Its folder.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Its folder cannot be written.
    #[error("cannot write the bundle {folder}: {reason}", folder = folder.display())]
    Unwritable {
        /// Its folder.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// What goes into it could not be compiled.
    #[error(transparent)]
    Runtime(#[from] Box<crate::Error>),
}

impl Bundle {
    /// The bundle that `OXYSYCL_BUNDLE` names, if it is set.
    ///
    /// # Errors
    /// If there is no whole bundle.
    pub fn from_environment() -> Result<Option<Self>, BundleError> {
        environment::variable(VARIABLE)
            .map(|folder| Self::open(Path::new(&folder)))
            .transpose()
    }

    /// The bundle in `folder`.
    ///
    /// # Errors
    /// If it is not whole, or was made by a version of oxysycl whose format is another.
    pub fn open(folder: &Path) -> Result<Self, BundleError> {
        let unusable = |reason| BundleError::Unusable {
            folder: folder.to_owned(),
            reason,
        };
        let folder = std::path::absolute(folder).map_err(|error| unusable(error.to_string()))?;
        let manifest = Manifest::read(&folder).map_err(unusable)?;
        // Names of facts are few, and a process opens one bundle.
        let facts = manifest.identity.iter();
        let facts = facts.map(|(name, value)| (&*name.clone().leak(), value.clone()));
        Ok(Self {
            identity: Identity::new(facts.collect()),
            folder,
            manifest,
        })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The targets that it was made for, in icpx's words.
    pub fn targets(&self) -> &[String] {
        &self.manifest.targets
    }

    /// What it holds, a few words for each compiled library.
    pub fn contents(&self) -> impl Iterator<Item = &str> {
        self.manifest.modules.iter().map(|entry| entry.about.as_str())
    }

    /// Its libraries, as a cache that has them already.
    pub(crate) fn cache(&self) -> Cache {
        Cache::open(&self.folder.join(MODULES))
    }

    fn has_target(&self, target: &Target) -> bool {
        target
            .name()
            .split(',')
            .all(|name| self.manifest.targets.iter().any(|target| target == name))
    }
}

impl Driver for Bundle {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![(ADAPTERS, self.folder.join(LIB).into())]
    }

    fn libraries(&self) -> Vec<PathBuf> {
        vec![self.folder.join(LIB)]
    }

    fn dependencies(&self, _: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        Ok(Vec::new())
    }

    fn compiled(&self, unit: &Unit, symbols: &[&str]) -> Option<Key> {
        let source = digest(&unit.source)?;
        let fits = |entry: &&manifest::Entry| {
            entry.source == source
                && symbols
                    .iter()
                    .all(|symbol| entry.symbols.iter().any(|known| known == symbol))
        };
        let found = self.manifest.modules.iter().find(fits)?;
        self.has_target(&unit.target)
            .then(|| Key::from_text(&found.key))
            .flatten()
    }

    fn compile(&self, unit: &Unit, _: &Path) -> Result<Vec<PathBuf>, CompileError> {
        let subject = unit.source.to_string();
        let targets = self.manifest.targets.join(" and ");
        let folder = self.folder.display();
        let wanted = unit.target.name();
        let reason = if self.has_target(&unit.target) {
            format!(
                "the bundle {folder} does not hold what is asked for of it, and nothing is compiled where {VARIABLE} is set: \
                 make it again with `oxysycl bundle`, with this among its kernels"
            )
        } else {
            format!(
                "the bundle {folder} was made for {targets}, and this device needs {wanted}: \
                 make it again with `oxysycl bundle --target {wanted}`"
            )
        };
        Err(CompileError::Refused { subject, reason })
    }
}

/// A digest of the text of `source`; none for one that may include others.
fn digest(source: &Source) -> Option<String> {
    match source {
        Source::Header { text, .. } => Some(hex::encode(Sha256::digest(text))),
        Source::Host { .. } | Source::File(_) => None,
    }
}

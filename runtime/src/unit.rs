//! What a driver is asked to compile.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

/// One translation unit, with everything that shapes its result besides the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The code.
    pub source: Source,
    /// `-D` macros in order: name and value; an empty value defines the bare name.
    pub defines: Vec<(String, String)>,
    /// Extra `-I` folders, searched in order. Only foreign headers need any.
    pub include_dirs: Vec<PathBuf>,
    /// The device to compile for, from the queue that will run it.
    pub target: Target,
}

/// Where the code of a [`Unit`] comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A self-contained SYCL header: it includes nothing but `<cstdint>` and `<sycl/sycl.hpp>`, so its text is all there is to hash.
    Header {
        /// File name shown in compiler messages, such as `rmsnorm.hpp`.
        name: String,
        /// The header's text.
        text: String,
    },
    /// A SYCL header or source file on disk, which may include others.
    File(PathBuf),
    /// Host-only C++ on the SYCL API, without kernels: the run time's own shim.
    Host {
        /// File name shown in compiler messages.
        name: String,
        /// The text.
        text: String,
    },
}

/// The device that a [`Unit`] is compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// Portable SPIR-V, finished by the device's own driver at load.
    #[default]
    Spir64,
    /// A value for `-fsycl-targets=`, such as `intel_gpu_bmg_g21` or `spir64,nvptx64-nvidia-cuda`.
    Named(String),
}

impl Target {
    /// Its name, in icpx's words.
    pub fn name(&self) -> &str {
        match self {
            Self::Spir64 => "spir64",
            Self::Named(name) => name,
        }
    }
}

impl Hash for Unit {
    /// Not of the whole text, which takes longer than to compare it: its length tells most units of a name apart.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            source,
            defines,
            include_dirs,
            target,
        } = self;
        match source {
            Source::Header { name, text } | Source::Host { name, text } => (name, text.len()).hash(state),
            Source::File(path) => path.hash(state),
        }
        (defines, include_dirs, target).hash(state);
    }
}

impl fmt::Display for Source {
    /// The name to call it by in messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { name, .. } | Self::Host { name, .. } => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

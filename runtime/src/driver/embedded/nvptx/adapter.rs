//! The library through which the SYCL run time reaches NVIDIA's GPUs: an adapter for its Unified Runtime, in C++, built
//! against the headers of the toolchain.

use std::fs;
use std::path::Path;

use crate::driver::source::unwritable;
use crate::driver::work::isolated;
use crate::driver::{CompileError, command};

/// The environment variable with the folders in which the SYCL run time looks for adapters.
pub(crate) const SEARCH_PATH: &str = "UR_ADAPTERS_SEARCH_PATH";

/// The file that the SYCL run time looks for.
pub(crate) const LIBRARY: &str = "libur_adapter_cuda.so.0";

macro_rules! sources {
    ($($name:literal)*) => {
        /// The adapter's sources, by file name.
        const SOURCES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../../adapter/", $name)))),*];
    };
}

sources!(
    "cuda.cpp" "cuda.hpp" "device.cpp" "enqueue.cpp" "failure.cpp" "functions.hpp" "memory.cpp" "objects.hpp"
    "platform.cpp" "program.cpp" "queue.cpp" "tables.cpp"
);

/// The options that it is compiled with.
const OPTIONS: [&str; 6] = [
    "-std=c++20",
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-ldl",
];

/// Everything here that shapes the library.
pub(super) fn recipe() -> String {
    let texts: Vec<&str> = SOURCES.iter().map(|(_, text)| *text).chain(OPTIONS).collect();
    crate::driver::digest(&texts)
}

/// Builds the adapter into the new folder `folder`, with the SYCL headers in `include` and room for what is not kept in
/// `work`.
pub(super) fn build(gxx: &Path, include: &Path, work: &Path, folder: &Path) -> Result<(), CompileError> {
    fs::create_dir(folder).map_err(unwritable(folder))?;
    let mut compiler = isolated(gxx, work);
    compiler.arg("-isystem").arg(include);
    for (name, text) in SOURCES {
        let path = work.join(name);
        fs::write(&path, text).map_err(unwritable(&path))?;
        if name.ends_with(".cpp") {
            compiler.arg(path);
        }
    }
    compiler.args(OPTIONS);
    compiler.arg("-o").arg(folder.join(LIBRARY));
    command::run(&mut compiler).map(drop)
}

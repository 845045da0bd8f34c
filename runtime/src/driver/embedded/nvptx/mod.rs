//! Device code for NVIDIA's GPUs, and the library through which the SYCL run time reaches them.

pub(crate) mod adapter;
mod ptx;
mod resources;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::gxx::Gxx;
use super::module::Image;
use super::once;
use crate::driver::source::unwritable;
use crate::driver::work::isolated;
use crate::driver::{CompileError, command, digest};
use crate::libsycl;
use crate::toolchain::{Nvidia, Progress, Toolchain};

/// The source of the device pass.
const PTX_PASS: &str = include_str!("ptx_pass.cpp");

/// The compiler library whose insides are spoken to here.
const COMPILER: &str = "libsycl-jit.so.23.1";

/// What the compiler is told of NVIDIA's toolkit besides the device functions: its version.
const TOOLKIT: &str = "#define CUDA_VERSION 12080\n";

/// The options of the programs that are built here.
const OPTIONS: [&str; 4] = ["-std=c++20", "-O2", "-rdynamic", "-ldl"];

/// Everything here that shapes device code.
pub(super) const RECIPE: [&str; 4] = [
    PTX_PASS,
    TOOLKIT,
    include_str!("ptx.rs"),
    include_str!("resources.rs"),
];

/// What was built for a toolchain with the NVIDIA part and a g++: the device pass and what it reads, and the adapter.
#[derive(Clone, Debug)]
pub(super) struct Nvptx {
    folder: PathBuf,
}

impl Nvptx {
    /// What is there for `toolchain` and `gxx`, built now if need be; none where the NVIDIA part is not installed.
    pub(super) fn find(toolchain: &Toolchain, gxx: &Gxx) -> Result<Option<Self>, CompileError> {
        let Some(nvidia) = Nvidia::find()? else {
            return Ok(None);
        };
        let name = digest(&[
            &toolchain.version(),
            &gxx.version,
            &gxx.called,
            PTX_PASS,
            TOOLKIT,
            &adapter::recipe(),
        ]);
        let found = Self {
            folder: nvidia.root().join("host").join(&name[..12]),
        };
        once::ensure(&found.folder, |folder, work| {
            let built = Self {
                folder: folder.to_owned(),
            };
            built.build(&nvidia, toolchain, gxx, work)
        })?;
        Ok(Some(found))
    }

    fn build(
        &self,
        nvidia: &Nvidia,
        toolchain: &Toolchain,
        gxx: &Gxx,
        work: &Path,
    ) -> Result<(), CompileError> {
        let compiler = toolchain.lib().join("libsycl-jit.so");
        if libsycl::soname(&compiler) != COMPILER.as_bytes() {
            return Err(CompileError::Refused {
                subject: compiler.display().to_string(),
                reason: format!(
                    "it is not {COMPILER}, which this version of oxysycl compiles with for NVIDIA's GPUs"
                ),
            });
        }
        eprintln!(
            "oxysycl: preparing the NVIDIA part of the embedded toolchain for {} (once)",
            gxx.version
        );
        let progress = Progress::spinner("compiling the adapter for NVIDIA's driver");
        resources::extract(&compiler, &self.resources())?;
        let toolkit = self.toolkit();
        for (path, text) in [("bin/nvcc", ""), ("include/cuda.h", TOOLKIT)] {
            write(&toolkit.join(path), text)?;
        }
        let libdevice = toolkit.join("nvvm/libdevice/libdevice.10.bc");
        make_folder_of(&libdevice)?;
        symlink(nvidia.libdevice(), &libdevice).map_err(unwritable(&libdevice))?;
        let source = work.join("ptx_pass.cpp");
        write(&source, PTX_PASS)?;
        let mut build = isolated(&gxx.path, work);
        build.arg(&source).args(OPTIONS).arg("-o").arg(self.pass());
        command::run(&mut build)?;
        adapter::build(&gxx.path, &toolchain.include(), work, &self.adapters())?;
        drop(progress);
        Ok(())
    }

    /// The folder that holds the adapter.
    pub(super) fn adapters(&self) -> PathBuf {
        self.folder.join("adapter")
    }

    fn pass(&self) -> PathBuf {
        self.folder.join("ptx_pass")
    }

    fn resources(&self) -> PathBuf {
        self.folder.join("resources")
    }

    fn toolkit(&self) -> PathBuf {
        self.folder.join("toolkit")
    }

    /// The device pass, to run in the folder `work`, without the unit yet.
    pub(super) fn command(&self, toolchain: &Toolchain, work: &Path) -> Command {
        let mut pass = isolated(&self.pass(), work);
        pass.current_dir(work)
            .env("LD_LIBRARY_PATH", toolchain.lib())
            .arg(self.resources());
        pass
    }

    /// The option by which the device pass finds NVIDIA's device functions.
    pub(super) fn toolkit_option(&self) -> OsString {
        let mut option = OsString::from("--cuda-path=");
        option.push(self.toolkit());
        option
    }

    /// The option by which the device pass uses its precompiled headers, which it makes when it first needs them.
    pub(super) fn precompiled_option(&self) -> OsString {
        let mut option = OsString::from("--persistent-auto-pch=");
        option.push(self.folder.join("precompiled"));
        option
    }

    /// Reads what the device pass left in `folder`.
    pub(super) fn images(folder: &Path, module: &str) -> Result<Vec<Image>, CompileError> {
        ptx::read_all(folder, module)
    }
}

/// What to do where a unit is to be compiled for NVIDIA's GPUs and the part for them is not there.
pub(super) fn missing() -> CompileError {
    let place =
        Nvidia::place().map_or_else(|_| "OXYSYCL_HOME".to_owned(), |place| place.display().to_string());
    CompileError::NotFound {
        what: "the NVIDIA part of the embedded toolchain".to_owned(),
        looked_at: place,
        advice: "run `oxysycl toolchain install nvidia`, which downloads 40 MB".to_owned(),
    }
}

fn make_folder_of(path: &Path) -> Result<(), CompileError> {
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).map_err(unwritable(folder))
}

fn write(path: &Path, text: &str) -> Result<(), CompileError> {
    make_folder_of(path)?;
    fs::write(path, text).map_err(unwritable(path))
}

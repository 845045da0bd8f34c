//! The parts that are installed by themselves: each from wheels of its own, into a folder of its own.

use std::path::{Path, PathBuf};

use super::pins::{self, NVIDIA, PINS, Pin};
use super::wheel;
use super::{ToolchainError, manifest};
use crate::home;

/// What is installed in one step.
pub(super) struct Part {
    /// What it is called in messages.
    pub(super) name: &'static str,
    /// What its folder's name starts with, before a digest of the pins.
    release: &'static str,
    /// The wheels that it is made of.
    pub(super) pins: &'static [Pin],
    /// What is read or loaded from it by name. Wheels that lack one of these cannot be used.
    pub(super) needed: &'static [&'static str],
    /// Where a wheel's file goes below the part's folder, if it is wanted.
    pub(super) destination: fn(&Path) -> Option<PathBuf>,
    /// How many bytes come out of the wheels, for the progress bar.
    pub(super) extracted: u64,
}

/// The SYCL run time, its compiler library and the OpenCL CPU device.
pub(super) static SYCL: Part = Part {
    name: "embedded toolchain",
    release: pins::RELEASE,
    pins: &PINS,
    needed: &[
        "include/sycl/sycl.hpp",
        "include/CL/cl.h",
        "lib/libsycl.so",
        "lib/libsycl.so.9",
        "lib/libsycl-jit.so",
        "lib/libOpenCL.so.1",
        "lib/libintelocl.so",
        "lib/libcommon_clang.so",
        "lib/libur_loader.so.0",
        "lib/libumf.so.1",
        "lib/libhwloc.so.15",
        "lib/libtbb.so.12",
    ],
    destination: wheel::sycl_file,
    extracted: 730_000_000,
};

/// What NVIDIA's GPUs need besides: the library of device functions, and the assembler.
pub(super) static NVPTX: Part = Part {
    name: "NVIDIA part of the embedded toolchain",
    release: pins::NVIDIA_RELEASE,
    pins: &NVIDIA,
    needed: &["bin/ptxas", "nvvm/libdevice/libdevice.10.bc"],
    destination: wheel::nvidia_file,
    extracted: 32_400_000,
};

impl Part {
    /// Its folder's name: the release, and a digest of the pins short enough for a path.
    pub(super) fn version(&self) -> String {
        pins::folder_name(self.release, self.pins)
    }

    /// Where it is, or would be installed.
    pub(super) fn place(&self) -> Result<PathBuf, ToolchainError> {
        Ok(home::folder()
            .ok_or(ToolchainError::NoHome)?
            .join("toolchain")
            .join(self.version()))
    }

    /// Its folder, if it is there and whole.
    pub(super) fn find(&self) -> Result<Option<PathBuf>, ToolchainError> {
        let root = self.place()?;
        Ok(manifest::is_whole(&root).then_some(root))
    }
}

//! The part of the toolchain for NVIDIA's GPUs, on disk beside the rest: NVIDIA's library of device functions and its
//! assembler, from PyPI. It is installed only where it is asked for.

use std::path::{Path, PathBuf};

use super::{ToolchainError, ensure, part};

/// The part of the toolchain for NVIDIA's GPUs, complete on disk.
#[derive(Clone, Debug)]
pub struct Nvidia {
    root: PathBuf,
}

impl Nvidia {
    /// Where it is, or would be installed: beside the [`Toolchain`](super::Toolchain).
    pub fn place() -> Result<PathBuf, ToolchainError> {
        part::NVPTX.place()
    }

    /// The part at [`Nvidia::place`], if it is there and whole.
    pub fn find() -> Result<Option<Self>, ToolchainError> {
        Ok(part::NVPTX.find()?.map(|root| Self { root }))
    }

    /// The part at [`Nvidia::place`]; installed with pip first if need be, as
    /// [`Toolchain::ensure`](super::Toolchain::ensure) does.
    pub fn ensure() -> Result<Self, ToolchainError> {
        Ok(Self {
            root: ensure(&part::NVPTX)?,
        })
    }

    /// What it is: a release of NVIDIA's compiler and a digest of the wheels it was made of.
    pub fn version() -> String {
        part::NVPTX.version()
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// NVIDIA's library of device functions, as LLVM bitcode.
    pub fn libdevice(&self) -> PathBuf {
        self.root.join("nvvm/libdevice/libdevice.10.bc")
    }

    /// NVIDIA's assembler, which makes machine code of PTX, with no GPU, and tells what that uses.
    pub fn ptxas(&self) -> PathBuf {
        self.root.join("bin/ptxas")
    }
}

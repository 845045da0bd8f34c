//! SPIR-V modules: what is in them, and other names for their kernels.

use std::fs;
use std::path::Path;

use rspirv::binary::Assemble;
use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, LinkageType};

use super::super::CompileError;
use super::super::source::unreadable;
use super::integration::{KERNEL, demangled, renamed};

/// SYCL's number of an aspect, by the SPIR-V capability that needs it.
const ASPECTS: [(Capability, u32); 3] = [
    (Capability::Float16, 5),
    (Capability::Float64, 6),
    (Capability::Int64Atomics, 27),
];

/// A SPIR-V module and what the run time has to know about it.
#[derive(Debug)]
pub(super) struct Image {
    /// The module itself.
    pub(super) spirv: Vec<u8>,
    /// The names of its kernels; none in a library.
    pub(super) kernels: Vec<String>,
    /// Functions that other modules may import.
    pub(super) exports: Vec<String>,
    /// What it imports.
    pub(super) imports: Vec<String>,
    /// SYCL's numbers of the aspects that a device must have.
    pub(super) aspects: Vec<u32>,
    /// The sub-group size that a device must have.
    pub(super) sub_group_size: Option<u32>,
}

/// Reads the modules that the device pass left in `folder`, and puts `module` in front of their kernels' names.
pub(super) fn read_all(folder: &Path, module: &str) -> Result<Vec<Image>, CompileError> {
    let mut images = Vec::new();
    for number in 0.. {
        let path = folder.join(format!("module.{number}.spv"));
        if !path.exists() {
            break;
        }
        images.push(Image::new(&fs::read(&path).map_err(unreadable(&path))?, module)?);
    }
    // The run time's own order is not always the same.
    images.sort_by(|a, b| a.spirv.cmp(&b.spirv));
    Ok(images)
}

impl Image {
    /// Reads a SPIR-V module and puts `module` in front of its kernels' names.
    fn new(spirv: &[u8], module: &str) -> Result<Self, CompileError> {
        let refuse = |subject: &str, reason: String| CompileError::Refused {
            subject: subject.to_owned(),
            reason,
        };
        let mut code = rspirv::dr::load_bytes(spirv)
            .map_err(|error| refuse("SPIR-V of the device pass", format!("it cannot be read: {error}")))?;
        let mut kernels = Vec::new();
        for entry in &mut code.entry_points {
            for operand in &mut entry.operands {
                let Operand::LiteralString(name) = operand else {
                    continue;
                };
                if !name.starts_with(KERNEL) {
                    let reason =
                        "only kernels that are functors can be compiled, no free functions".to_owned();
                    return Err(refuse(&format!("kernel {}", demangled(name)), reason));
                }
                *name = renamed(name, module);
                kernels.push(name.clone());
            }
        }
        Ok(Self {
            spirv: code.assemble().into_iter().flat_map(u32::to_le_bytes).collect(),
            kernels,
            exports: linked(&code, LinkageType::Export),
            imports: linked(&code, LinkageType::Import),
            aspects: aspects(&code),
            sub_group_size: sub_group_size(&code),
        })
    }
}

/// The names of what `code` exports or imports.
fn linked(code: &Module, wanted: LinkageType) -> Vec<String> {
    code.annotations
        .iter()
        .filter_map(|decoration| match decoration.operands.as_slice() {
            [
                _,
                Operand::Decoration(Decoration::LinkageAttributes),
                Operand::LiteralString(name),
                Operand::LinkageType(linkage),
            ] if *linkage == wanted => Some(name.clone()),
            _ => None,
        })
        .collect()
}

fn aspects(code: &Module) -> Vec<u32> {
    let has = |wanted| {
        code.capabilities
            .iter()
            .any(|capability| capability.operands == [Operand::Capability(wanted)])
    };
    ASPECTS
        .into_iter()
        .filter(|(capability, _)| has(*capability))
        .map(|(_, aspect)| aspect)
        .collect()
}

/// The sub-group size of the kernels in `code`: the device pass makes one module for each.
fn sub_group_size(code: &Module) -> Option<u32> {
    code.execution_modes
        .iter()
        .find_map(|mode| match mode.operands.as_slice() {
            [
                _,
                Operand::ExecutionMode(ExecutionMode::SubgroupSize),
                Operand::LiteralBit32(size),
            ] => Some(*size),
            _ => None,
        })
}

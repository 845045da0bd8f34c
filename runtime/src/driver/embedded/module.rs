//! Modules of device code, and of those in SPIR-V: what is in them, and other names for their kernels.

use std::fs;
use std::path::Path;

use ::spirv::{Capability, Decoration, ExecutionMode, LinkageType, Op};

use super::super::CompileError;
use super::super::source::unreadable;
use super::integration::{KERNEL, demangled, renamed};
use super::spirv::{Code, Instruction, literal, text};

/// SYCL's number of an aspect, by the SPIR-V capability that needs it.
const ASPECTS: [(Capability, u32); 3] = [
    (Capability::Float16, 5),
    (Capability::Float64, 6),
    (Capability::Int64Atomics, 27),
];

/// What form device code has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// SPIR-V, for any device that takes it.
    Spirv,
    /// Text for NVIDIA's GPUs.
    Ptx,
}

/// A module of device code and what the run time has to know about it.
#[derive(Debug)]
pub(super) struct Image {
    /// The form of its code.
    pub(super) form: Form,
    /// The code itself.
    pub(super) code: Vec<u8>,
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
    images.sort_by(|a, b| a.code.cmp(&b.code));
    Ok(images)
}

impl Image {
    /// Reads a SPIR-V module and puts `module` in front of its kernels' names.
    fn new(spirv: &[u8], module: &str) -> Result<Self, CompileError> {
        let refuse = |subject: &str, reason: &str| CompileError::Refused {
            subject: subject.to_owned(),
            reason: reason.to_owned(),
        };
        let damaged = || refuse("SPIR-V of the device pass", "it cannot be read");
        let code = Code::read(spirv).ok_or_else(damaged)?;
        let mut words = code.header().to_vec();
        let mut kernels = Vec::new();
        for instruction in code.instructions() {
            if instruction.op != Op::EntryPoint as u32 {
                instruction.write(&mut words);
                continue;
            }
            let (function, name) = instruction.operands.split_at_checked(2).ok_or_else(damaged)?;
            let (name, interface) = text(name).ok_or_else(damaged)?;
            if !name.starts_with(KERNEL) {
                let reason = "only kernels that are functors can be compiled, no free functions";
                return Err(refuse(&format!("kernel {}", demangled(&name)), reason));
            }
            let name = renamed(&name, module);
            Instruction {
                op: instruction.op,
                operands: &[function, &literal(&name), interface].concat(),
            }
            .write(&mut words);
            kernels.push(name);
        }
        Ok(Self {
            form: Form::Spirv,
            code: words.into_iter().flat_map(u32::to_le_bytes).collect(),
            kernels,
            exports: linked(&code, LinkageType::Export),
            imports: linked(&code, LinkageType::Import),
            aspects: aspects(&code),
            sub_group_size: sub_group_size(&code),
        })
    }
}

/// The names of what `code` exports or imports.
fn linked(code: &Code, wanted: LinkageType) -> Vec<String> {
    operands(code, Op::Decorate)
        .filter_map(|operands| match operands {
            [_, decoration, rest @ ..] if *decoration == Decoration::LinkageAttributes as u32 => text(rest),
            _ => None,
        })
        .filter(|(_, linkage)| *linkage == [wanted as u32])
        .map(|(name, _)| name)
        .collect()
}

fn aspects(code: &Code) -> Vec<u32> {
    let has = |wanted: Capability| operands(code, Op::Capability).any(|operands| operands == [wanted as u32]);
    ASPECTS
        .into_iter()
        .filter(|(capability, _)| has(*capability))
        .map(|(_, aspect)| aspect)
        .collect()
}

/// The sub-group size of the kernels in `code`: the device pass makes one module for each.
fn sub_group_size(code: &Code) -> Option<u32> {
    operands(code, Op::ExecutionMode).find_map(|operands| match operands {
        [_, mode, size] if *mode == ExecutionMode::SubgroupSize as u32 => Some(*size),
        _ => None,
    })
}

/// The operands of every instruction `op` in `code`.
fn operands(code: &Code, op: Op) -> impl Iterator<Item = &[u32]> {
    code.instructions()
        .filter(move |instruction| instruction.op == op as u32)
        .map(|instruction| instruction.operands)
}

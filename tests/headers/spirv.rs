//! The device code that becomes of them.

use std::fs;
use std::io;
use std::process::Command;

use oxysycl::codegen::Instance;
use oxysycl::codegen::ir::DType;
use oxysycl::runtime::{Source, Target, Unit};
use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Capability, Op};

use crate::{driver, headers};

/// A unit of one header.
fn unit(kernel: &str, text: String, defines: Vec<(String, String)>) -> Unit {
    Unit {
        source: Source::Header {
            name: format!("{kernel}.hpp"),
            text,
        },
        defines,
        include_dirs: Vec::new(),
        target: Target::Spir64,
    }
}

#[test]
fn it_is_valid_and_needs_nothing_rare() {
    for header in headers() {
        let has_halves = header.text.contains("::sycl::half");
        let (mut kernels, mut halves) = (0, false);
        for spirv in driver()
            .spirv(&unit(&header.name, header.text, Vec::new()))
            .unwrap()
        {
            validate(&header.name, &spirv);
            let module = rspirv::dr::load_bytes(&spirv).unwrap();
            kernels += module.entry_points.len();
            for capability in [Capability::Float64, Capability::Int64Atomics] {
                assert!(
                    !needs(&module, capability),
                    "{} needs {capability:?}",
                    header.name
                );
            }
            assert!(!has_float(&module, 64), "{} computes in double", header.name);
            halves |= has_float(&module, 16);
        }
        assert!(
            kernels > 0 && halves == has_halves,
            "{} is not whole",
            header.name
        );
    }
}

/// So that a device without half precision still runs what is compiled for single precision.
#[test]
fn an_instance_has_only_its_own_element_types() {
    let mut seen = 0;
    for kernel in oxysycl::kernels().unwrap() {
        let ir = kernel.ir().unwrap();
        if ir.types.is_empty() || !ir.types.iter().all(|param| param.dtypes.contains(&DType::F32)) {
            continue;
        }
        seen += 1;
        let dtypes = vec![DType::F32; ir.types.len()];
        let consts: Vec<i64> = ir.consts.iter().map(|param| param.instances[0]).collect();
        let defines = Instance::new(&ir, &dtypes, &consts).unwrap().defines().to_vec();
        let unit = unit(&ir.name, oxysycl::codegen::header(&ir), defines);
        for spirv in driver().spirv(&unit).unwrap() {
            let module = rspirv::dr::load_bytes(&spirv).unwrap();
            let halves = needs(&module, Capability::Float16) || has_float(&module, 16);
            assert!(!halves, "{} for fp32 needs half precision", ir.name);
        }
    }
    assert!(seen >= 3, "only {seen} kernels have a choice");
}

fn needs(module: &Module, capability: Capability) -> bool {
    let wanted = [Operand::Capability(capability)];
    module.capabilities.iter().any(|has| has.operands == wanted)
}

/// Whether there are floats of so many bits in it.
fn has_float(module: &Module, bits: u32) -> bool {
    let wanted = Some(&Operand::LiteralBit32(bits));
    let mut types = module.types_global_values.iter();
    types.any(|ty| ty.class.opcode == Op::TypeFloat && ty.operands.first() == wanted)
}

/// Has the Khronos validator look at it, where that is installed.
fn validate(kernel: &str, spirv: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("module.spv");
    fs::write(&file, spirv).unwrap();
    match Command::new("spirv-val").arg(&file).output() {
        Ok(output) => assert!(
            output.status.success(),
            "{kernel}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound, "spirv-val: {error}"),
    }
}

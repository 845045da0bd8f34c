//! No operator needs local memory on NVIDIA's GPUs: neither an array that is not in registers, nor registers that are spilled.
//! NVIDIA's assembler says so, which needs no GPU.
//!
//! Where a kernel calls `sin`, `cos` or `tan`, NVIDIA's library keeps 28 bytes there, which it touches for large angles alone
//! (CUDA C++ Programming Guide, "Arithmetic Instructions"). A stack frame rounds them up.

use std::fs;
use std::process::Command;
use std::thread;

use oxysycl::Header;
use oxysycl::codegen::ir::Scalar;
use oxysycl::runtime::driver::Embedded;
use oxysycl::runtime::toolchain::{Nvidia, Toolchain};
use oxysycl::runtime::{Source, Target, Unit};

/// What is compiled for, in the words of NVIDIA's assembler.
const ARCHITECTURE: &str = "sm_90";

/// How the name of a kernel's variant for launches with a global offset ends. Launchers give none.
const WITH_OFFSET: &str = "_with_offset";

/// The functions for which NVIDIA's library has a stack frame, and how many bytes that is.
const ANGLES: [&str; 3] = ["::sycl::sin(", "::sycl::cos(", "::sycl::tan("];
const ANGLE_FRAME: u32 = 32;

/// What the assembler says of a function.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    /// Bytes of its stack frame, of spill stores, and of spill loads.
    bytes: [u32; 3],
}

/// All operators in one unit, with all element types and flags; of the instances of an integer const parameter, such as a
/// row's length, the one that `choose` takes.
fn unit(headers: &[Header], choose: fn(&[i64]) -> Option<&i64>) -> Unit {
    let mut defines = Vec::new();
    for kernel in headers.iter().flat_map(Header::kernels) {
        let ir = kernel.ir().unwrap();
        for param in ir.consts.iter().filter(|param| param.ty != Scalar::Bool) {
            let value = choose(&param.instances).expect("a const parameter has instances");
            defines.push((ir.select(&param.name).to_owned(), value.to_string()));
        }
    }
    Unit {
        source: Source::Header {
            name: "operators.hpp".to_owned(),
            text: headers.iter().map(|header| header.text().unwrap()).collect(),
        },
        defines,
        include_dirs: Vec::new(),
        target: Target::Named("nvptx64-nvidia-cuda".to_owned()),
    }
}

impl Function {
    fn is_of(&self, class: &Class) -> bool {
        self.name.contains(&class.name)
    }
}

/// A class of kernels.
struct Class {
    /// Its name, as it stands in the names of device functions.
    name: String,
    /// The most bytes of stack frame, spill stores and spill loads that its functions may have.
    most: [u32; 3],
}

/// The classes of kernels in `header`.
fn classes(header: &Header) -> Vec<Class> {
    let text = header.text().unwrap();
    // Each class ends where the next one starts.
    let parts: Vec<&str> = text.split("\nstruct ").skip(1).collect();
    let class = |part: &&str| {
        let (name, body) = part.split_once(" {")?;
        name.ends_with("Kernel").then(|| Class {
            name: format!("{}{name}", name.len()),
            most: match ANGLES.iter().any(|call| body.contains(call)) {
                true => [ANGLE_FRAME, 0, 0],
                false => [0; 3],
            },
        })
    };
    let classes: Vec<Class> = parts.iter().filter_map(class).collect();
    assert_eq!(classes.len(), header.kernels().len(), "{}", header.path());
    classes
}

/// The functions of `ptx`, as the assembler makes them.
fn functions(ptx: &[u8]) -> Vec<Function> {
    let text = str::from_utf8(ptx).unwrap().trim_end_matches('\0');
    let entries = text.lines().filter_map(|line| line.split_once(".entry "));
    let names: Vec<&str> = entries
        .map(|(_, name)| name.trim_end_matches('('))
        .filter(|name| !name.ends_with(WITH_OFFSET))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("module.ptx");
    fs::write(&path, text).unwrap();
    let output = Command::new(Nvidia::ensure().unwrap().ptxas())
        .arg(format!("--gpu-name={ARCHITECTURE}"))
        .arg(format!("--entry={}", names.join(",")))
        .arg("--verbose")
        .arg(&path)
        .arg("--output-file")
        .arg(folder.path().join("module.cubin"))
        .output()
        .unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{report}");
    let functions = read(&report);
    for name in names {
        assert!(
            functions.iter().any(|function| function.name == name),
            "{name} is missing from\n{report}"
        );
    }
    functions
}

/// The functions in what the assembler writes.
fn read(report: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    let mut lines = report.lines();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line.split_once("Function properties for ") else {
            continue;
        };
        let properties = lines.next().expect("properties come in a line of their own");
        let bytes: Vec<u32> = properties
            .split(',')
            .map(|part| part.trim().split(' ').next().unwrap().parse().unwrap())
            .collect();
        functions.push(Function {
            name: name.trim().to_owned(),
            bytes: bytes.try_into().expect("a stack frame, stores and loads"),
        });
    }
    functions
}

/// The functions of all operators, of the instances that `choose` takes.
fn compile(headers: &[Header], choose: fn(&[i64]) -> Option<&i64>) -> Vec<Function> {
    let driver = Embedded::new(Toolchain::ensure().unwrap()).unwrap();
    let modules = driver.ptx(&unit(headers, choose)).unwrap();
    modules.iter().flat_map(|ptx| functions(ptx)).collect()
}

#[test]
fn no_operator_needs_any() {
    Nvidia::ensure().unwrap();
    let headers = oxysycl::headers().unwrap();
    let functions: Vec<Function> = thread::scope(|scope| {
        let largest = scope.spawn(|| compile(&headers, <[i64]>::last));
        let mut functions = compile(&headers, <[i64]>::first);
        functions.extend(largest.join().unwrap());
        functions
    });
    let classes: Vec<Class> = headers.iter().flat_map(classes).collect();
    for class in &classes {
        let compiled = functions.iter().any(|function| function.is_of(class));
        assert!(compiled, "{} was not compiled", class.name);
    }
    for function in &functions {
        let class = classes.iter().find(|class| function.is_of(class));
        let most = class.map_or([0; 3], |class| class.most);
        let needs_more = function.bytes.iter().zip(most).any(|(bytes, most)| *bytes > most);
        assert!(!needs_more, "{function:?} may have {most:?}");
    }
}

#[test]
fn the_report_is_read() {
    let report = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'f' for 'sm_90'
ptxas info    : Function properties for f
    48 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 26 registers, used 0 barriers
ptxas info    : Function properties for g
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
    let function = |name: &str, bytes| Function {
        name: name.to_owned(),
        bytes,
    };
    assert_eq!(read(report), [function("f", [48, 4, 8]), function("g", [0; 3])]);
}

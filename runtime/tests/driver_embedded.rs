//! The embedded driver: hand-written headers that know nothing of this project compile unmodified and run rightly on the
//! device that there is; what cannot be compiled rightly is refused by name.

mod common;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use object::{Object, ObjectSymbol};
use oxysycl_runtime::cache::{Cache, Origin};
use oxysycl_runtime::driver::{Cause, CompileError, Driver, Embedded, Failure};
use oxysycl_runtime::toolchain::Toolchain;
use oxysycl_runtime::{Buffer, Module, Queue, Runtime, Selector, Source, Target, Unit};
use rspirv::spirv::{Capability, Op};
use tempfile::TempDir;

use common::{process, texts};

fn main() -> ExitCode {
    // SAFETY: no other thread runs yet. Queues come from the run time's own driver, which has to be this one.
    unsafe { std::env::set_var("OXYSYCL_DRIVER", "embedded") };
    common::run(
        &[
            ("every_dtype_runs", every_dtype_runs),
            ("every_member_reaches_the_device", every_member_reaches_the_device),
            ("local_memory_works", local_memory_works),
            ("integers_of_any_width_are_right", integers_of_any_width_are_right),
            ("one_kernel_name_in_two_modules", one_kernel_name_in_two_modules),
            (
                "a_sub_group_size_concerns_its_own_kernels",
                a_sub_group_size_concerns_its_own_kernels,
            ),
            (
                "only_promised_symbols_are_exported",
                only_promised_symbols_are_exported,
            ),
            (
                "the_same_unit_gives_the_same_bytes",
                the_same_unit_gives_the_same_bytes,
            ),
            (
                "spirv_is_valid_and_free_of_doubles",
                spirv_is_valid_and_free_of_doubles,
            ),
            (
                "what_cannot_be_passed_is_refused_by_name",
                what_cannot_be_passed_is_refused_by_name,
            ),
            (
                "a_header_without_exports_is_refused",
                a_header_without_exports_is_refused,
            ),
            (
                "the_compiler_s_own_words_are_shown",
                the_compiler_s_own_words_are_shown,
            ),
            ("included_files_are_seen", included_files_are_seen),
            ("paths_may_hold_anything", paths_may_hold_anything),
            ("macros_reach_the_sycl_headers", macros_reach_the_sycl_headers),
            ("host_units_compile", host_units_compile),
            (
                "u_key_headers_of_either_pass_are_in_the_key",
                headers_of_either_pass,
            ),
            ("u_key_variables_change_nothing", variables_change_nothing),
            ("u_key_libraries_name_no_folder", libraries_name_no_folder),
            ("unknown_targets_are_refused", unknown_targets_are_refused),
            ("unusable_compilers_are_named", unusable_compilers_are_named),
            ("a_hanging_compiler_is_ended", a_hanging_compiler_is_ended),
        ],
        &[("compile", compile_role), ("compile_to", compile_to_role)],
    )
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn file(path: impl Into<PathBuf>) -> Unit {
    Unit {
        source: Source::File(path.into()),
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: Target::Spir64,
    }
}

fn header(text: &str) -> Unit {
    Unit {
        source: Source::Header {
            name: "unit.hpp".to_owned(),
            text: text.to_owned(),
        },
        ..file("")
    }
}

fn with_define(mut unit: Unit, name: &str, value: &str) -> Unit {
    unit.defines.push((name.to_owned(), value.to_owned()));
    unit
}

fn driver() -> &'static Embedded {
    static DRIVER: OnceLock<Embedded> = OnceLock::new();
    DRIVER.get_or_init(|| Embedded::new(Toolchain::ensure().unwrap()).unwrap())
}

/// Compiles `unit`, whatever any cache holds, and loads it.
fn module(unit: &Unit) -> &'static Module {
    let cache = tempfile::tempdir().unwrap();
    let driver = Embedded::new(Toolchain::ensure().unwrap()).unwrap();
    let runtime = Runtime::new(Box::new(driver), Cache::open(&cache.path().join("modules")));
    runtime.module(unit).unwrap()
}

/// Compiles `unit` to nowhere.
fn refusal(unit: &Unit) -> CompileError {
    let folder = tempfile::tempdir().unwrap();
    let error = driver().compile(unit, &folder.path().join("out.so")).unwrap_err();
    let left = list(folder.path());
    assert!(
        left.iter().all(|name| name == "compiler.log"),
        "something was left behind: {left:?}"
    );
    error
}

fn list(folder: &Path) -> Vec<OsString> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect()
}

fn queue() -> Queue {
    Queue::new(&Selector::Cpu).unwrap()
}

/// The first number that `symbol` of `module` writes.
fn number(queue: &Queue, module: &Module, symbol: &str) -> f32 {
    let output = queue.upload(&[f32::NAN; 4]).unwrap();
    // SAFETY: the fixtures' functions of one argument write one number.
    unsafe {
        module
            .function(symbol, None)
            .unwrap()
            .call_void(queue, (output.view(),))
            .unwrap()
    };
    output.to_vec().unwrap()[0]
}

/// `input` through the function `symbol(queue, input, output, numel)`.
fn scaled<T: oxysycl_runtime::Element>(queue: &Queue, module: &Module, symbol: &str, input: &[T]) -> Vec<T> {
    let input: Buffer<T> = queue.upload(input).unwrap();
    let output: Buffer<T> = queue.alloc(input.len()).unwrap();
    let arguments = (input.view(), output.view(), input.len() as i64);
    // SAFETY: the fixture's C type, with two buffers of `numel` elements.
    unsafe {
        module
            .function(symbol, None)
            .unwrap()
            .call_void(queue, arguments)
            .unwrap()
    };
    output.to_vec().unwrap()
}

fn every_dtype_runs() {
    let (queue, module) = (queue(), module(&file(fixture("scale.hpp"))));
    let numbers: Vec<f32> = (0..100).map(|i| i as f32 - 50.0).collect();
    let doubled: Vec<f32> = numbers.iter().map(|x| x * 2.0).collect();
    assert_eq!(scaled(&queue, module, "scale_fp32", &numbers), doubled);
    let halves: Vec<half::f16> = numbers.iter().map(|&x| half::f16::from_f32(x)).collect();
    let results = scaled(&queue, module, "scale_fp16", &halves);
    assert_eq!(results.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), doubled);
    let halves: Vec<half::bf16> = numbers.iter().map(|&x| half::bf16::from_f32(x)).collect();
    let results = scaled(&queue, module, "scale_bf16", &halves);
    assert_eq!(results.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), doubled);
}

fn every_member_reaches_the_device() {
    let (queue, module) = (queue(), module(&file(fixture("members.hpp"))));
    let input = queue.upload(&[13.0_f32, 7.0, 9.0]).unwrap();
    let output = queue.upload(&[0.0_f32; 19]).unwrap();
    // SAFETY: the fixture's C type, with room for as many numbers as it says.
    unsafe {
        let function = module.function("members", None).unwrap();
        function.call_void(&queue, (input.view(), output.view())).unwrap();
    }
    let expected = [
        -1.0, 1.0, -3.0, 60000.0, 5.5, 6.0, 2.0, 8.25, 9.0, 10.0, 11.0, 1.0, 13.0, 14.0, 15.0, 321.0, 97.0,
        1234.0, 19.0,
    ];
    assert_eq!(output.to_vec().unwrap(), expected);
    assert_eq!(number(&queue, module, "only_struct"), 87.0);
}

fn local_memory_works() {
    let (queue, module) = (queue(), module(&file(fixture("local.hpp"))));
    let numbers: Vec<f32> = (0..32).map(|i| i as f32).collect();
    let data = queue.upload(&numbers).unwrap();
    // SAFETY: the fixture's C type, with two groups of 16 numbers.
    unsafe {
        let function = module.function("reverse", None).unwrap();
        function.call_void(&queue, (data.view(), 0.5_f32, 2_i64)).unwrap();
    }
    let expected: Vec<f32> = (0..32)
        .map(|i| (i / 16 * 16 + 15 - i % 16) as f32 + 0.5)
        .collect();
    assert_eq!(data.to_vec().unwrap(), expected);
}

/// The optimiser turns a sum over a loop into a formula, for which 32 or 64 bits do not do.
fn integers_of_any_width_are_right() {
    const ENDS: [i64; 9] = [
        0,
        1,
        2,
        3,
        1000,
        (1 << 16) + 1,
        1 << 17,
        (1 << 20) - 1,
        (1 << 22) + 3,
    ];
    let (queue, module) = (queue(), module(&file(fixture("loops.hpp"))));
    let ends = queue.upload(&ENDS).unwrap();
    for (symbol, power, bits) in [
        ("sum_u32", 1, 32),
        ("sum_u64", 1, 64),
        ("squares_u32", 2, 32),
        ("cubes_u64", 3, 64),
    ] {
        let sums = queue.alloc::<i64>(ENDS.len()).unwrap();
        let arguments = (ends.view(), sums.view(), ENDS.len() as i64);
        // SAFETY: the fixture's C type, with two buffers of `numel` elements.
        unsafe {
            module
                .function(symbol, None)
                .unwrap()
                .call_void(&queue, arguments)
        }
        .unwrap();
        let expected = ENDS.map(|end| {
            let sum = (0..end as u64).fold(0u64, |sum, k| sum.wrapping_add(k.wrapping_pow(power)));
            (sum & u64::MAX >> (64 - bits)) as i64
        });
        assert_eq!(sums.to_vec().unwrap(), expected, "{symbol}");
    }
}

fn one_kernel_name_in_two_modules() {
    let queue = queue();
    let two = module(&file(fixture("scale.hpp")));
    let three = module(&with_define(file(fixture("scale.hpp")), "SCALE_BY", "3"));
    let run = |module, symbol| scaled(&queue, module, symbol, &[1.0_f32])[0];
    for _ in 0..2 {
        assert_eq!(run(two, "scale_fp32"), 2.0);
        assert_eq!(run(three, "scale_fp32"), 3.0);
    }
    let run = |module, symbol| scaled(&queue, module, symbol, &[half::bf16::ONE])[0].to_f32();
    for _ in 0..2 {
        assert_eq!(run(three, "scale_bf16"), 3.0);
        assert_eq!(run(two, "scale_bf16"), 2.0);
    }
}

fn a_sub_group_size_concerns_its_own_kernels() {
    let unit = file(fixture("sub_groups.hpp"));
    // So that a device that lacks one of the sizes still gets the other kernels.
    assert_eq!(driver().spirv(&unit).unwrap().len(), 3);
    let (queue, module) = (queue(), module(&unit));
    assert_eq!(number(&queue, module, "size_16"), 16.0);
    assert_eq!(number(&queue, module, "size_32"), 32.0);
    assert_eq!(number(&queue, module, "any_size"), 1.0);
    let text = refusal(&with_define(unit, "WITH_24", "")).to_string();
    assert!(
        text.contains("fixture::SizeKernel<24>") && text.contains("sub-group size"),
        "{text}"
    );
}

fn only_promised_symbols_are_exported() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.so");
    driver().compile(&file(fixture("scale.hpp")), &out).unwrap();
    assert_eq!(exports(&out), ["scale_bf16", "scale_fp16", "scale_fp32"]);
    let mut left = list(folder.path());
    left.sort();
    assert_eq!(left, ["compiler.log", "out.so"]);
}

/// The global symbols that the library `path` defines, sorted.
fn exports(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let library = object::File::parse(bytes.as_slice()).unwrap();
    let names: BTreeSet<String> = library
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .map(|symbol| symbol.name().unwrap().to_owned())
        .collect();
    names.into_iter().collect()
}

fn the_same_unit_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let compile = |name| {
        let out = folder.path().join(name);
        driver()
            .compile(&header(&fs::read_to_string(fixture("scale.hpp")).unwrap()), &out)
            .unwrap();
        fs::read(out).unwrap()
    };
    assert!(compile("a.so") == compile("b.so"));
}

fn spirv_is_valid_and_free_of_doubles() {
    let modules = driver().spirv(&file(fixture("scale.hpp"))).unwrap();
    let modules: Vec<_> = modules
        .iter()
        .map(|words| rspirv::dr::load_bytes(words).unwrap())
        .collect();
    assert_eq!(
        modules
            .iter()
            .map(|module| module.entry_points.len())
            .sum::<usize>(),
        3
    );
    for module in modules {
        let has = |wanted| {
            let wanted = rspirv::dr::Operand::Capability(wanted);
            module
                .capabilities
                .iter()
                .any(|capability| capability.operands.contains(&wanted))
        };
        assert!(has(Capability::Kernel) && !has(Capability::Float64));
        for instruction in module.types_global_values {
            let double = instruction.class.opcode == Op::TypeFloat
                && instruction
                    .operands
                    .contains(&rspirv::dr::Operand::LiteralBit32(64));
            assert!(!double, "{instruction:?}");
        }
    }
}

fn what_cannot_be_passed_is_refused_by_name() {
    for (name, kernel, reason) in [
        ("bit_field.hpp", "fixture::BitFieldKernel", "bit-field"),
        ("stream.hpp", "fixture::StreamKernel", "stream"),
        ("unnamed.hpp", "HiddenKernel", "namespace"),
    ] {
        let error = refusal(&file(fixture(name)));
        let text = error.to_string();
        assert!(matches!(error, CompileError::Refused { .. }), "{name}: {text}");
        assert!(text.contains(kernel) && text.contains(reason), "{name}: {text}");
    }
    // The compiler itself names lambdas.
    let lambda = header(
        "#include <sycl/sycl.hpp>\n\
         extern \"C\" void f(sycl::queue *q, float *p) { q->single_task([=] { p[0] = 1; }); }\n",
    );
    let text = refusal(&lambda).to_string();
    assert!(
        text.contains("unnamed type") && text.contains("unit.hpp:2"),
        "{text}"
    );
}

fn a_header_without_exports_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.hpp");
    fs::write(
        &path,
        "#pragma once\n#include <sycl/sycl.hpp>\ninline int f() { return 1; }\n",
    )
    .unwrap();
    let text = refusal(&file(&path)).to_string();
    assert!(
        text.contains("empty.hpp") && text.contains("extern \"C\""),
        "{text}"
    );
}

fn the_compiler_s_own_words_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.hpp");
    fs::write(
        &path,
        "#include <sycl/sycl.hpp>\nextern \"C\" void f(sycl::queue *) { int x = undeclared; }\n",
    )
    .unwrap();
    let error = refusal(&file(&path));
    let Failure {
        cause: Cause::Exit(1),
        command,
        output,
        ..
    } = error.failure().unwrap_or_else(|| panic!("{error}"))
    else {
        panic!("{error}");
    };
    assert!(
        output.contains("broken.hpp:2:") && output.contains("undeclared"),
        "{output}"
    );
    assert!(
        command.contains("device_pass") && command.contains("-fsycl"),
        "{command}"
    );
    assert!(error.to_string().contains(command.as_str()));

    fs::write(&path, "#include \"missing.hpp\"\n").unwrap();
    let text = refusal(&file(&path)).to_string();
    assert!(text.contains("missing.hpp"), "{text}");
    let text = refusal(&file(folder.path().join("absent.hpp"))).to_string();
    assert!(text.contains("absent.hpp"), "{text}");
}

fn included_files_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (near, far) = (
        folder.path().join("near.hpp"),
        folder.path().join("include/far.hpp"),
    );
    fs::create_dir(folder.path().join("include")).unwrap();
    let scale = fs::read_to_string(fixture("scale.hpp")).unwrap();
    let top = folder.path().join("top.hpp");
    fs::write(
        &top,
        format!("#include \"near.hpp\"\n#include <far.hpp>\n#define SCALE_BY (NEAR * FAR)\n{scale}"),
    )
    .unwrap();
    fs::write(&near, "#define NEAR 2\n").unwrap();
    fs::write(&far, "#define FAR 5\n").unwrap();
    let mut unit = file(&top);
    unit.include_dirs.push(folder.path().join("include"));

    assert_eq!(driver().dependencies(&unit).unwrap(), [near.clone(), far.clone()]);
    assert_eq!(
        driver().dependencies(&header(&scale)).unwrap(),
        [] as [PathBuf; 0]
    );

    let queue = queue();
    let cache = tempfile::tempdir().unwrap();
    let run = || {
        let driver = Embedded::new(Toolchain::ensure().unwrap()).unwrap();
        let runtime = Runtime::new(Box::new(driver), Cache::open(&cache.path().join("modules")));
        scaled(&queue, runtime.module(&unit).unwrap(), "scale_fp32", &[1.0_f32])[0]
    };
    assert_eq!(run(), 10.0);
    fs::write(&near, "#define NEAR 3\n").unwrap();
    assert_eq!(run(), 15.0);
    fs::write(&far, "#define FAR 7\n").unwrap();
    assert_eq!(run(), 21.0);
}

fn paths_may_hold_anything() {
    let parent = tempfile::tempdir().unwrap();
    for name in [
        OsStr::new("a 'b' \"c\" $d é"),
        OsStr::from_bytes(b"not \xff UTF-8"),
        OsStr::new(&"long".repeat(50)),
    ] {
        let folder = parent.path().join(name);
        fs::create_dir(&folder).unwrap();
        let source = folder.join("sca le.hpp");
        fs::copy(fixture("scale.hpp"), &source).unwrap();
        let mut unit = file(source);
        unit.include_dirs.push(folder.clone());
        let out = folder.join("o'u t.so");
        driver().compile(&unit, &out).unwrap();
        assert_eq!(exports(&out).len(), 3);
    }
}

fn macros_reach_the_sycl_headers() {
    // Without it, that name is the header's own; the precompiled headers have that one.
    let text = "#include <sycl/sycl.hpp>\n\
        #if SYCL_LANGUAGE_VERSION != 202012L && !defined(__SYCL_DEVICE_ONLY__)\n#error not seen\n#endif\n\
        namespace fixture { struct K { float *p; void operator()() const { p[0] = VALUE; } }; }\n\
        extern \"C\" void f(sycl::queue *q, float *p) { q->single_task(fixture::K{p}); }\n";
    let unit = with_define(with_define(header(text), "VALUE", "4"), "NDEBUG", "");
    assert_eq!(number(&queue(), module(&unit), "f"), 4.0);
    let text = refusal(&with_define(header(text), "VALUE-1", "4")).to_string();
    assert!(text.contains("VALUE-1"), "{text}");
}

fn host_units_compile() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("host.so");
    let unit = Unit {
        source: Source::Host {
            name: "host.cpp".to_owned(),
            text: "#include <sycl/sycl.hpp>\nextern \"C\" int devices() { return sycl::device::get_devices().size(); }\n"
                .to_owned(),
        },
        ..file("")
    };
    driver().compile(&unit, &out).unwrap();
    assert_eq!(exports(&out), ["devices"]);
}

/// Compiles the header that the environment names.
fn compile_role() {
    let unit = file(std::env::var_os("HEADER").unwrap());
    let result = Toolchain::ensure()
        .map_err(CompileError::from)
        .and_then(Embedded::new)
        .and_then(|driver| driver.compile(&unit, Path::new(&std::env::var_os("OUT").unwrap())));
    match result {
        Ok(_) => println!("compiled"),
        Err(error) => println!("{error}"),
    }
}

/// A folder with a `g++` that is this shell script.
fn fake_gxx(script: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g++");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// What the role `compile` says with `path` first on PATH.
fn compile_with(path: &Path, change: impl FnOnce(&mut Command)) -> String {
    driver();
    let folder = tempfile::tempdir().unwrap();
    let mut command = process("compile");
    command
        .env("HEADER", fixture("scale.hpp"))
        .env("OUT", folder.path().join("out.so"))
        .env("PATH", path);
    change(&mut command);
    let (out, _) = texts(&command.output().unwrap());
    assert!(list(folder.path()).iter().all(|name| name == "compiler.log"));
    out
}

fn unusable_compilers_are_named() {
    let nothing = tempfile::tempdir().unwrap();
    let text = compile_with(nothing.path(), |_| ());
    assert!(
        text.contains("g++ not found") && text.contains("PATH") && text.contains("install g++"),
        "{text}"
    );

    let old = fake_gxx(
        "[ \"$1\" != -dumpversion ] || { echo 11; exit; }; echo 'g++ 11.4.0, Free Software Foundation'",
    );
    let text = compile_with(old.path(), |_| ());
    assert!(text.contains("g++ 12 or later"), "{text}");

    let clang = fake_gxx("[ \"$1\" != -dumpversion ] || { echo 17; exit; }; echo 'Apple clang version 17'");
    let text = compile_with(clang.path(), |_| ());
    assert!(
        text.contains("Apple clang version 17") && text.contains("g++ 12 or later"),
        "{text}"
    );
}

fn a_hanging_compiler_is_ended() {
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("g++"))
        .find(|path| path.exists())
        .unwrap();
    let marker = tempfile::tempdir().unwrap();
    let pid = marker.path().join("pid");
    // It answers questions, and hangs with a child when it is to compile.
    let hanging = fake_gxx(&format!(
        "for a; do [ \"$a\" != -c ] || {{ /bin/sleep 1000 & echo $! > '{}'; wait; }}; done; exec '{}' \"$@\"",
        pid.display(),
        real.display()
    ));
    let start = Instant::now();
    let text = compile_with(hanging.path(), |command| {
        let path = std::env::join_paths([hanging.path(), real.parent().unwrap(), Path::new("/bin")]).unwrap();
        command.env("PATH", path).env("OXYSYCL_COMPILE_TIMEOUT", "20");
    });
    assert!(
        text.contains("did not finish within 20 s") && text.contains("g++"),
        "{text}"
    );
    assert!(start.elapsed() < Duration::from_secs(200));
    let pid = fs::read_to_string(pid).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(
        stat.is_err() || stat.unwrap().contains(") Z "),
        "its child still runs"
    );

    let text = compile_with(hanging.path(), |command| {
        command.env("OXYSYCL_COMPILE_TIMEOUT", "soon");
    });
    assert!(
        text.contains("OXYSYCL_COMPILE_TIMEOUT") && text.contains("soon"),
        "{text}"
    );
}

/// U-KEY3, bugs 54: headers that only the device pass reads, and those that g++ counts as the system's.
fn headers_of_either_pass() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("system.hpp"), "#pragma GCC system_header\n#define A 1\n").unwrap();
    fs::write(path("device.hpp"), "#define B 1\n").unwrap();
    fs::write(path("clang.hpp"), "#define C 1\n").unwrap();
    let text = "#pragma once\n#include <sycl/sycl.hpp>\n#include <system.hpp>\n\
        #ifdef __SYCL_DEVICE_ONLY__\n#include \"device.hpp\"\n#endif\n\
        extern \"C\" int answer(void*) { return A; }\n";
    fs::write(path("top.hpp"), text).unwrap();
    let mut unit = file(path("top.hpp"));
    unit.include_dirs.push(folder.path().to_owned());
    let runtime = Runtime::new(
        Box::new(Embedded::new(Toolchain::ensure().unwrap()).unwrap()),
        Cache::open(&path("modules")),
    );
    let mut keys = BTreeSet::from([runtime.key(&unit).unwrap()]);
    for name in ["system.hpp", "device.hpp"] {
        fs::write(path(name), "#define A 2\n#define B 2\n").unwrap();
        assert!(
            keys.insert(runtime.key(&unit).unwrap()),
            "{name} is not in the key"
        );
    }
    // What nobody could foresee that the device pass reads is seen then, and looked at before the library is used again.
    let hidden = text
        .replace("#ifdef __SYCL_DEVICE_ONLY__", "#ifdef __clang__")
        .replace("device.hpp", "clang.hpp");
    fs::write(path("top.hpp"), hidden).unwrap();
    let origin = || runtime.library(&unit).unwrap().origin();
    assert_eq!([origin(), origin()], [Origin::Compiled, Origin::Cached]);
    fs::write(path("clang.hpp"), "#define C 2\n").unwrap();
    assert_eq!([origin(), origin()], [Origin::Compiled, Origin::Cached]);
    fs::remove_file(path("clang.hpp")).unwrap();
    assert!(runtime.library(&unit).is_err());
}

/// The role of a process that compiles the header to the library that the environment names.
fn compile_to_role() {
    let path = |name: &str| PathBuf::from(std::env::var_os(name).unwrap());
    driver().compile(&file(path("HEADER")), &path("OUT")).unwrap();
}

/// U-KEY2, bugs 55: what compilers, loaders and SYCL read of the environment, and what was never heard of.
fn variables_change_nothing() {
    driver();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("sycl")).unwrap();
    fs::write(path("sycl/sycl.hpp"), "#error foreign\n").unwrap();
    fs::write(path("cstdint"), "#error foreign\n").unwrap();
    for program in ["as", "ld", "cc1plus", "collect2"] {
        fs::write(path(program), "#!/bin/sh\necho foreign >&2; exit 1\n").unwrap();
        fs::set_permissions(path(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let compile = |name: &str, variables: &[(&str, &str)]| {
        let out = path(name);
        fs::create_dir(&out).unwrap();
        let output = process("compile_to")
            .env("HEADER", fixture("scale.hpp"))
            .env("OUT", out.join("out.so"))
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(output.status.success(), "{:?}", texts(&output));
        fs::read(out.join("out.so")).unwrap()
    };
    let foreign = folder.path().to_str().unwrap();
    let prefix = format!("{foreign}/");
    let own_path = std::env::var("PATH").unwrap();
    let foreign_first = format!("{foreign}:{own_path}");
    let variables = [
        ("CPATH", foreign),
        ("C_INCLUDE_PATH", foreign),
        ("CPLUS_INCLUDE_PATH", foreign),
        ("OBJC_INCLUDE_PATH", foreign),
        ("GCC_EXEC_PREFIX", &prefix),
        ("COMPILER_PATH", foreign),
        ("LIBRARY_PATH", foreign),
        ("LD_RUN_PATH", foreign),
        ("PATH", &foreign_first),
        ("DEPENDENCIES_OUTPUT", "/nonexistent/file"),
        ("SUNPRO_DEPENDENCIES", "/nonexistent/file"),
        ("SOURCE_DATE_EPOCH", "nonsense"),
        ("CCC_OVERRIDE_OPTIONS", "+-DSCALE_BY=7"),
        ("CCC_ADD_ARGS", "-DSCALE_BY=7"),
        ("GCC_COLORS", "error=01;31"),
        ("LANG", "de_DE.UTF-8"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("SYCL_PROGRAM_COMPILE_OPTIONS", "-cl-fast-relaxed-math"),
        ("SYCL_CACHE_PERSISTENT", "1"),
        ("SYCL_UR_TRACE", "2"),
        ("IGC_ShaderDumpEnable", "1"),
        ("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu"),
        ("OCL_ICD_FILENAMES", "/nonexistent/library.so"),
        ("CL_CONFIG_DEVICES", "none"),
        ("POSIXLY_CORRECT", "1"),
        ("TMPDIR", "/nonexistent"),
    ];
    assert!(compile("with", &variables) == compile("without", &[]));
}

/// U-KEY6: a filled cache works at another place, also where a path holds what loaders read otherwise.
fn libraries_name_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.so");
    driver().compile(&file(fixture("scale.hpp")), &out).unwrap();
    let bytes = fs::read(&out).unwrap();
    let needle = Toolchain::ensure()
        .unwrap()
        .root()
        .as_os_str()
        .as_bytes()
        .to_vec();
    assert!(!bytes.windows(needle.len()).any(|window| window == needle));
}

fn unknown_targets_are_refused() {
    for name in ["no such; thing", ""] {
        let unit = Unit {
            target: Target::Named(name.to_owned()),
            ..file(fixture("scale.hpp"))
        };
        let text = refusal(&unit).to_string();
        assert!(text.contains(&format!("{name:?}")), "{text}");
    }
    assert!(target_compiles("intel_gpu_bmg_g21"));
}

fn target_compiles(name: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let unit = Unit {
        target: Target::Named(name.to_owned()),
        ..file(fixture("scale.hpp"))
    };
    driver().compile(&unit, &folder.path().join("out.so")).is_ok()
}

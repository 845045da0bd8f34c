//! What a user waits for: `cargo bench --bench latency -- --verbose` prints medians, among others.
//!
//! * `emission`: from a kernel's tokens to its header, checks and schedule included.
//! * `build`: one instance, from its header to a library, with the SYCL headers precompiled and nothing cached.
//! * `warm build`: `oxysycl build` of a kernel whose library is in the cache, from its start to its end.
//! * `load`: in a new process, the libraries being in the cache: the first one, which brings the SYCL run time with it, and
//!   another one after that.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};
use oxysycl::Kernel;
use oxysycl::codegen::Instance;
use oxysycl::codegen::ir::DType;
use oxysycl::runtime::cache::Cache;
use oxysycl::runtime::driver::{self, Driver, Embedded};
use oxysycl::runtime::toolchain::Toolchain;
use oxysycl::runtime::{Runtime, Source, Target, Unit};

/// The first argument of a process that loads two libraries; the second is the folder of the cache.
const LOAD: &str = "--load";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, cache] = &arguments[..]
        && flag == LOAD
    {
        let [first, second] = load(Path::new(cache));
        println!("{} {}", first.as_nanos(), second.as_nanos());
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    emission(&mut criterion);
    build(&mut criterion);
    warm_build(&mut criterion);
    loading(&mut criterion);
    criterion.final_summary();
}

fn emission(criterion: &mut Criterion) {
    for name in ["scale", "rmsnorm"] {
        let kernel = kernel(name);
        criterion.bench_function(&format!("emission/{name}"), |bencher| {
            // A thread lowers a kernel once.
            let emit = || oxysycl::codegen::header(&kernel.ir().unwrap());
            bencher.iter(|| thread::spawn(emit).join().unwrap());
        });
    }
}

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .measurement_time(Duration::from_secs(30));
    let driver = Embedded::new(Toolchain::ensure().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["scale", "rmsnorm"] {
        let unit = unit(name);
        let out = folder.path().join(name).with_extension("so");
        group.bench_function(name, |bencher| {
            bencher.iter(|| driver.compile(&unit, &out).unwrap());
        });
    }
    group.finish();
}

fn warm_build(criterion: &mut Criterion) {
    let cache = tempfile::tempdir().unwrap();
    let build = || {
        let output = Command::new(env!("CARGO_BIN_EXE_oxysycl"))
            .args(["build", "scale", "--dtype", "fp16"])
            .env("OXYSYCL_CACHE", cache.path())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    build();
    criterion.bench_function("warm build/scale", |bencher| bencher.iter(build));
}

fn loading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    // A process for each, most of whose time does not count.
    group
        .sample_size(20)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_millis(20));
    let cache = tempfile::tempdir().unwrap();
    load(cache.path());
    for (number, name) in ["first", "another"].into_iter().enumerate() {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| (0..times).map(|_| load_in_process(cache.path())[number]).sum());
        });
    }
    group.finish();
}

/// How long [`load`] takes in a process of its own.
fn load_in_process(cache: &Path) -> [Duration; 2] {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).arg(LOAD).arg(cache).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut times = text
        .split_whitespace()
        .map(|nanos| Duration::from_nanos(nanos.parse().unwrap()));
    [times.next().unwrap(), times.next().unwrap()]
}

/// Loads two libraries through the folder `cache`, and says how long each took.
fn load(cache: &Path) -> [Duration; 2] {
    let runtime = Runtime::new(driver::discover().unwrap(), Cache::open(cache));
    ["scale", "rmsnorm"].map(|name| {
        let unit = unit(name);
        let start = Instant::now();
        runtime.module(&unit).unwrap();
        start.elapsed()
    })
}

fn kernel(name: &str) -> &'static Kernel {
    let kernels = oxysycl::kernels().unwrap();
    let found = kernels
        .into_iter()
        .find(|kernel| kernel.ir().unwrap().name == name);
    found.expect("an operator of this project")
}

/// One instance of a kernel.
fn unit(name: &str) -> Unit {
    let ir = kernel(name).ir().unwrap();
    let consts: Vec<i64> = ir.consts.iter().map(|param| param.instances[0]).collect();
    let instance = Instance::new(&ir, &[DType::F16], &consts).unwrap();
    Unit {
        source: Source::Header {
            name: format!("{name}.hpp"),
            text: oxysycl::codegen::header(&ir),
        },
        defines: instance.defines().to_vec(),
        include_dirs: Vec::new(),
        target: Target::Spir64,
    }
}

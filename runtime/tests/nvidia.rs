//! NVIDIA's GPUs without one: units compiled for them, and the adapter over a stand-in for their driver that runs nothing.
//!
//! The NVIDIA part of the toolchain is installed into a folder of the tests' own, beside the toolchain that is there.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use oxysycl_runtime::bundle::{Bundle, Contents};
use oxysycl_runtime::toolchain::{Nvidia, Toolchain};
use oxysycl_runtime::{Device, Queue, Runtime, Selector, Source, Target, Unit};

use common::{process, texts};

const GPU: &str = "nvptx64-nvidia-cuda";
const BOTH: &str = "spir64,nvptx64-nvidia-cuda";

fn main() -> ExitCode {
    common::run(
        &[
            ("a_gpu_is_a_device", a_gpu_is_a_device),
            (
                "without_a_driver_there_is_no_gpu",
                without_a_driver_there_is_no_gpu,
            ),
            ("memory_is_filled_and_copied", memory_is_filled_and_copied),
            ("launches_reach_the_driver", launches_reach_the_driver),
            (
                "work_groups_are_whole_sub_groups",
                work_groups_are_whole_sub_groups,
            ),
            ("the_selected_gpu_is_used", the_selected_gpu_is_used),
            ("one_library_is_for_both_targets", one_library_is_for_both_targets),
            ("failures_name_the_kernel", failures_name_the_kernel),
            ("a_gpu_that_is_gone_is_named", a_gpu_that_is_gone_is_named),
            ("a_kernel_that_hangs_is_named", a_kernel_that_hangs_is_named),
            ("gpus_that_are_too_old_are_named", gpus_that_are_too_old_are_named),
            ("another_target_is_named", another_target_is_named),
            (
                "what_cannot_be_compiled_is_named",
                what_cannot_be_compiled_is_named,
            ),
            ("a_missing_part_is_named", a_missing_part_is_named),
            ("half_a_part_is_named", half_a_part_is_named),
            ("a_bundle_needs_no_compiler", a_bundle_needs_no_compiler),
            ("bundles_that_do_not_fit_say_so", bundles_that_do_not_fit_say_so),
        ],
        &[
            ("install", install_role),
            ("devices", devices_role),
            ("memory", memory_role),
            ("launch", launch_role),
            ("operator", operator_role),
            ("compile", compile_role),
            ("bundle", bundle_role),
        ],
    )
}

/// What the tests share: a home with the NVIDIA part, a stand-in driver, and a cache.
struct Site {
    folder: PathBuf,
}

impl Site {
    fn get() -> &'static Self {
        static SITE: OnceLock<Site> = OnceLock::new();
        SITE.get_or_init(|| {
            let site = Self {
                folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvidia"),
            };
            site.build();
            site
        })
    }

    fn build(&self) {
        let toolchain = Toolchain::ensure().unwrap();
        let link = self.home().join("toolchain").join(toolchain.version());
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&link);
        symlink(toolchain.root(), &link).unwrap();
        let output = self.role("install").output().unwrap();
        assert!(output.status.success(), "{}", texts(&output).1);
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cuda");
        fs::create_dir_all(self.driver()).unwrap();
        let built = Command::new("g++")
            .args(["-std=c++20", "-O1", "-fPIC", "-shared", "-Wall", "-Werror", "-I"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("adapter"))
            .arg(fixtures.join("libcuda.cpp"))
            .arg("-o")
            .arg(self.driver().join("libcuda.so.1"))
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", texts(&built).1);
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn driver(&self) -> PathBuf {
        self.folder.join("driver")
    }

    /// This binary in `role`, without the stand-in driver.
    fn role(&self, role: &str) -> Command {
        let mut command = process(role);
        command
            .env("OXYSYCL_HOME", self.home())
            .env("OXYSYCL_DRIVER", "embedded")
            .env_remove("OXYSYCL_BUNDLE")
            .env_remove("OXYSYCL_CACHE")
            .env_remove("OXYSYCL_DEVICE");
        command
    }

    /// This binary in `role`, with the stand-in driver; what it printed.
    fn run(&self, role: &str, variables: &[(&str, &str)]) -> String {
        let mut command = self.role(role);
        command.env("LD_LIBRARY_PATH", self.driver());
        command.envs(variables.iter().copied());
        let (out, err) = texts(&command.output().unwrap());
        format!("{out}{err}")
    }

    /// What the role `launch` printed; the launches that came to the driver as well.
    fn launches(&self, variables: &[(&str, &str)]) -> (String, Vec<String>) {
        self.launches_of("launch", variables)
    }

    /// Like [`run`](Self::run); the launches that came to the driver as well.
    fn launches_of(&self, role: &str, variables: &[(&str, &str)]) -> (String, Vec<String>) {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut variables = variables.to_vec();
        variables.push(("FAKE_CUDA_LOG", log.path().to_str().unwrap()));
        let output = self.run(role, &variables);
        let lines = fs::read_to_string(log.path()).unwrap();
        (output, lines.lines().map(str::to_owned).collect())
    }
}

fn install_role() {
    Nvidia::ensure().unwrap();
}

fn devices_role() {
    for device in Device::all().unwrap() {
        println!(
            "{device}; driver {}, {} work-items, sub-groups {:?}, {} bytes local, {} bytes, fp16 {}, for {}",
            device.driver,
            device.max_work_group,
            device.sub_group_sizes,
            device.local_memory,
            device.global_memory,
            device.fp16,
            device.target.name()
        );
    }
}

fn memory_role() {
    let queue = Queue::new(&Selector::Named("cuda".to_owned())).unwrap();
    let numbers: Vec<u64> = (0..1000u64)
        .map(|i| i.wrapping_mul(0x0102_0304_0506_0708))
        .collect();
    let buffer = queue.upload(&numbers).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), numbers);
    buffer.fill(0x0807_0605_0403_0201).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [0x0807_0605_0403_0201; 1000]);
    let small = queue.upload(&[1u16; 33]).unwrap();
    small.fill(0x0102).unwrap();
    assert_eq!(small.to_vec().unwrap(), [0x0102; 33]);
    println!("{}", queue.alloc::<u8>(1 << 40).unwrap_err());
    println!("done");
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The unit that the environment names: TARGET, by default that of the GPU, and FIXTURE, by default `doubled.hpp`, as text.
fn unit() -> Unit {
    let name = variable("FIXTURE").unwrap_or_else(|| "doubled.hpp".to_owned());
    Unit {
        source: Source::Header {
            text: fs::read_to_string(fixture(&name)).unwrap(),
            name,
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: Target::Named(variable("TARGET").unwrap_or_else(|| GPU.to_owned())),
    }
}

fn compile_role() {
    match Runtime::global().and_then(|runtime| runtime.library(&unit())) {
        Ok(_) => println!("compiled"),
        Err(error) => println!("error: {error}"),
    }
}

/// Doubles 100 numbers on the device that the environment asks for, and says what came of it.
fn launch_role() {
    let launch = || -> Result<Vec<f32>, Box<dyn std::error::Error>> {
        let queue = Queue::new(&Selector::Auto)?;
        println!("on {}", queue.device());
        let module = Runtime::global()?.module_with(&unit(), &["doubled"])?;
        let function = module.function("doubled", Some("doubled_last_error"))?;
        let numbers: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let (input, output) = (queue.upload(&numbers)?, queue.alloc::<f32>(100)?);
        // SAFETY: the fixture's C type, with two buffers of as many elements.
        unsafe { function.call(&queue, (input.view(), output.view(), 100i64)) }?;
        let waited = queue.wait();
        if waited.is_err() {
            // Its memory cannot be freed either.
            println!("then {}", queue.wait().unwrap_err());
            std::mem::forget((input, output));
            waited?;
            return Ok(Vec::new());
        }
        Ok(output.to_vec()?)
    };
    match launch() {
        Ok(numbers) => println!("got {numbers:?}"),
        Err(error) => println!("error: {error}"),
    }
}

/// Launches an operator of this project on so few elements that a work-group is one sub-group.
fn operator_role() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/elementwise/scale.snap.hpp");
    let queue = Queue::new(&Selector::Auto).unwrap();
    let unit = Unit {
        source: Source::Header {
            name: "scale.hpp".to_owned(),
            text: fs::read_to_string(header).unwrap(),
        },
        defines: vec![("SGL_SCALE_DTYPE_fp32".to_owned(), String::new())],
        include_dirs: Vec::new(),
        target: queue.device().target.clone(),
    };
    let module = Runtime::global().unwrap().module(&unit).unwrap();
    let scale = module
        .function("scale_forward_fp32", Some("scale_last_error"))
        .unwrap();
    let (input, output) = (
        queue.upload(&[1.5f32; 36]).unwrap(),
        queue.alloc::<f32>(36).unwrap(),
    );
    // SAFETY: the header's C type, with two buffers of as many elements.
    unsafe { scale.call(&queue, (input.view(), output.view(), 2.0f32, 36i64)) }.unwrap();
    println!("got {:?}", output.to_vec().unwrap());
}

fn bundle_role() {
    let contents = Contents {
        units: vec![unit()],
        target: unit().target,
    };
    let folder = variable("FOLDER").unwrap();
    match Bundle::create(Path::new(&folder), Runtime::global().unwrap(), &contents) {
        Ok(bundle) => println!("holds {:?}", bundle.contents().collect::<Vec<_>>()),
        Err(error) => println!("error: {error}"),
    }
}

fn a_gpu_is_a_device() {
    let site = Site::get();
    let devices = site.run("devices", &[("FAKE_CUDA_DEVICES", "2")]);
    for number in 0..2 {
        let expected = format!(
            "Fake NVIDIA GPU {number} (gpu, ext_oneapi_cuda); driver CUDA 12.8, 1024 work-items, sub-groups [32], \
             232448 bytes local, 8589934592 bytes, fp16 true, for {GPU}"
        );
        assert!(devices.contains(&expected), "{devices}");
    }
    assert!(devices.contains("(cpu, opencl)"), "{devices}");
}

fn without_a_driver_there_is_no_gpu() {
    let site = Site::get();
    let none = texts(&site.role("devices").output().unwrap());
    assert!(
        none.0.contains("(cpu, opencl)") && !none.0.contains("cuda"),
        "{none:?}"
    );
    for broken in ["cuInit=100", "cuInit=803", "cuDeviceGetCount=999"] {
        let devices = site.run("devices", &[("FAKE_CUDA_FAIL", broken)]);
        assert!(
            devices.contains("(cpu, opencl)") && !devices.contains("cuda"),
            "{broken}: {devices}"
        );
    }
}

fn memory_is_filled_and_copied() {
    let output = Site::get().run("memory", &[]);
    assert!(output.ends_with("done\n"), "{output}");
    assert!(output.contains(&(1u64 << 40).to_string()), "{output}");
}

fn launches_reach_the_driver() {
    let (output, launches) = Site::get().launches(&[("OXYSYCL_DEVICE", "gpu")]);
    assert!(output.contains("on Fake NVIDIA GPU 0"), "{output}");
    assert!(output.contains("got ["), "{output}");
    let [launch] = &launches[..] else {
        panic!("{launches:?}\n{output}");
    };
    assert!(launch.contains("12DoubleKernel"), "{launch}");
    assert!(launch.contains(" groups 2 1 1 items 64 1 1 local 0 "), "{launch}");
    assert!(
        launch.ends_with(" 6400000000000000"),
        "the number of elements comes last: {launch}"
    );
}

fn work_groups_are_whole_sub_groups() {
    let (output, launches) = Site::get().launches_of("operator", &[("OXYSYCL_DEVICE", "gpu")]);
    let [launch] = &launches[..] else {
        panic!("{launches:?}\n{output}");
    };
    assert!(
        launch.contains(" groups 1 1 1 items 32 1 1 "),
        "{launch}\n{output}"
    );
    let output = Site::get().run("operator", &[("OXYSYCL_DEVICE", "cpu")]);
    assert!(output.contains("got [3.0, 3.0"), "{output}");
}

fn the_selected_gpu_is_used() {
    let two = ("FAKE_CUDA_DEVICES", "2");
    for (selector, number) in [("cuda", 0), ("GPU 1", 1)] {
        let (output, launches) = Site::get().launches(&[two, ("OXYSYCL_DEVICE", selector)]);
        assert!(
            launches[0].contains(&format!(" device {number} ")),
            "{launches:?}\n{output}"
        );
    }
    let output = Site::get().run("launch", &[two, ("OXYSYCL_DEVICE", "GPU 2")]);
    assert!(
        output.contains("Fake NVIDIA GPU 1"),
        "what there is is said: {output}"
    );
}

fn one_library_is_for_both_targets() {
    let both = ("TARGET", BOTH);
    let (output, launches) = Site::get().launches(&[both, ("OXYSYCL_DEVICE", "cpu")]);
    assert!(
        output.contains("got [0.0, 2.0, 4.0,") && launches.is_empty(),
        "{output}"
    );
    let (output, launches) = Site::get().launches(&[both, ("OXYSYCL_DEVICE", "gpu")]);
    assert_eq!(launches.len(), 1, "{output}");
}

fn failures_name_the_kernel() {
    const KERNEL: &str = "kernel fixture::DoubleKernel over 128 work-items in work-groups of 64";
    for (failing, word) in [
        ("cuStreamSynchronize=700", "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("cuStreamSynchronize=719", "CUDA_ERROR_LAUNCH_FAILED"),
        ("cuLaunchKernel=701", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    ] {
        let variables = [("OXYSYCL_DEVICE", "gpu"), ("FAKE_CUDA_FAIL", failing)];
        let output = Site::get().run("launch", &variables);
        assert!(
            output.contains(word) && output.contains(KERNEL),
            "{failing}: {output}"
        );
    }
    let busy = [
        ("OXYSYCL_DEVICE", "gpu"),
        ("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain=46"),
    ];
    let output = Site::get().run("launch", &busy);
    assert!(output.contains("CUDA_ERROR_DEVICE_UNAVAILABLE"), "{output}");
}

/// As the driver says it of a GPU that has fallen off the bus, or whose memory is broken: before a launch, and after it.
fn a_gpu_that_is_gone_is_named() {
    for (failing, word) in [
        ("cuCtxSetCurrent=999", "CUDA_ERROR_UNKNOWN"),
        ("cuMemcpyAsync=999", "CUDA_ERROR_UNKNOWN"),
        ("cuModuleLoadDataEx=999", "CUDA_ERROR_UNKNOWN"),
        ("cuLaunchKernel=999", "CUDA_ERROR_UNKNOWN"),
        ("cuStreamSynchronize=999", "CUDA_ERROR_UNKNOWN"),
        ("cuStreamSynchronize=214", "CUDA_ERROR_ECC_UNCORRECTABLE"),
    ] {
        let variables = [("OXYSYCL_DEVICE", "gpu"), ("FAKE_CUDA_FAIL", failing)];
        let output = Site::get().run("launch", &variables);
        assert!(
            output.contains(word) && output.contains("error: ") && !output.contains("got ["),
            "{failing}: {output}"
        );
    }
}

fn a_kernel_that_hangs_is_named() {
    let variables = [
        ("OXYSYCL_DEVICE", "gpu"),
        ("FAKE_CUDA_FAIL", "cuStreamQuery=600,cuEventQuery=600"),
        ("OXYSYCL_LAUNCH_TIMEOUT", "0.2"),
    ];
    let output = Site::get().run("launch", &variables);
    assert!(output.contains("OXYSYCL_LAUNCH_TIMEOUT"), "{output}");
}

fn gpus_that_are_too_old_are_named() {
    let variables = [("OXYSYCL_DEVICE", "gpu"), ("FAKE_CUDA_CAPABILITY", "70")];
    let output = Site::get().run("launch", &variables);
    assert!(
        output.contains("capability 7.0") && output.contains("7.5 and later"),
        "{output}"
    );
}

fn another_target_is_named() {
    let output = Site::get().run("launch", &[("OXYSYCL_DEVICE", "gpu"), ("TARGET", "spir64")]);
    assert!(output.contains("spir64") && !output.contains("got"), "{output}");
}

fn what_cannot_be_compiled_is_named() {
    let site = Site::get();
    let output = site.run("compile", &[("FIXTURE", "sub_group_of_8.hpp")]);
    assert!(
        output.contains("EightKernel") && output.contains("sub-groups of 8"),
        "{output}"
    );
    let output = site.run("compile", &[("FIXTURE", "local.hpp")]);
    assert!(output.contains(&format!("target {GPU}: ")), "{output}");
    let output = site.run("compile", &[("TARGET", "amdgcn-amd-amdhsa")]);
    assert!(
        output.contains("amdgcn-amd-amdhsa") && output.contains(GPU),
        "{output}"
    );
}

/// A home with the toolchain and no NVIDIA part.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let toolchain = Toolchain::ensure().unwrap();
    let folder = home.path().join("toolchain");
    fs::create_dir(&folder).unwrap();
    symlink(toolchain.root(), folder.join(toolchain.version())).unwrap();
    home
}

/// Without the NVIDIA part, what compiles for a GPU or runs on one says how to get it.
fn advises_to_install(home: &Path) {
    let home = ("OXYSYCL_HOME", home.to_str().unwrap());
    for (role, device) in [("compile", "cpu"), ("launch", "gpu")] {
        let output = Site::get().run(role, &[home, ("OXYSYCL_DEVICE", device)]);
        assert!(
            output.contains("oxysycl toolchain install nvidia"),
            "{role}: {output}"
        );
    }
}

fn a_missing_part_is_named() {
    advises_to_install(home().path());
}

/// A part without a file, with half of one, or without its manifest counts as none.
fn half_a_part_is_named() {
    const PART: [&str; 4] = [
        "bin/ptxas",
        "nvvm/libdevice/libdevice.10.bc",
        "licenses/nvidia-cuda-nvcc.txt",
        "manifest.txt",
    ];
    let whole = Site::get().home().join("toolchain").join(Nvidia::version());
    let damages: [fn(&Path); 3] = [
        |part| fs::remove_file(part.join("bin/ptxas")).unwrap(),
        |part| fs::write(part.join("nvvm/libdevice/libdevice.10.bc"), "half of it").unwrap(),
        |part| fs::remove_file(part.join("manifest.txt")).unwrap(),
    ];
    for damage in damages {
        let home = home();
        let part = home.path().join("toolchain").join(Nvidia::version());
        for file in PART {
            fs::create_dir_all(part.join(file).parent().unwrap()).unwrap();
            fs::copy(whole.join(file), part.join(file)).unwrap();
        }
        damage(&part);
        advises_to_install(home.path());
    }
}

/// A bundle for `target` in a folder of its own.
fn bundle(target: &str) -> (tempfile::TempDir, String) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("bundle").to_str().unwrap().to_owned();
    let output = Site::get().run("bundle", &[("TARGET", target), ("FOLDER", &folder)]);
    assert!(output.contains("holds [\"doubled.hpp for "), "{output}");
    (parent, folder)
}

fn a_bundle_needs_no_compiler() {
    let (_parent, folder) = bundle(BOTH);
    let (output, launches) = Site::get().launches(&[
        ("OXYSYCL_BUNDLE", &folder),
        ("OXYSYCL_HOME", "/nonexistent"),
        ("PATH", "/nonexistent"),
        ("OXYSYCL_DEVICE", "gpu"),
    ]);
    assert!(launches.len() == 1 && output.contains("got ["), "{output}");
}

fn bundles_that_do_not_fit_say_so() {
    let (_parent, folder) = bundle(GPU);
    let here = [("OXYSYCL_BUNDLE", folder.as_str()), ("OXYSYCL_DEVICE", "gpu")];
    let run = |variables: &[(&str, &str)]| Site::get().run("launch", &[&here[..], variables].concat());
    let output = run(&[("FIXTURE", "local.hpp")]);
    assert!(output.contains("does not hold"), "{output}");
    let output = run(&[("TARGET", "spir64")]);
    assert!(output.contains("was made for nvptx64-nvidia-cuda"), "{output}");
    let manifest = fs::read_to_string(Path::new(&folder).join("bundle.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    for name in manifest["files"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .chain(["bundle.json"])
    {
        let path = Path::new(&folder).join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let output = run(&[]);
        assert!(
            output.contains(name) && output.contains("copy it again"),
            "{output}"
        );
        fs::write(&path, bytes).unwrap();
    }
    assert!(run(&[]).contains("got ["), "whole it works");
    fs::remove_file(Path::new(&folder).join("bundle.json")).unwrap();
    let output = run(&[]);
    assert!(output.contains("bundle.json"), "{output}");
}

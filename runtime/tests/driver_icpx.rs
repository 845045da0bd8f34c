//! The icpx driver, over stand-ins: one that records its arguments, ones that fail in every way, and one that takes icpx's
//! command line and really compiles.

mod common;
#[path = "common/icpx.rs"]
mod icpx;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use oxysycl_runtime::cache::Cache;
use oxysycl_runtime::driver::{self, Driver, Embedded, Icpx};
use oxysycl_runtime::toolchain::Toolchain;
use oxysycl_runtime::{Queue, Runtime, Selector, Source, Target, Unit};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use common::{process, texts};

fn main() -> ExitCode {
    common::run(
        &[
            ("arguments_are_these", arguments_are_these),
            (
                "targets_come_from_the_unit_or_the_environment",
                targets_come_from_the_unit_or_the_environment,
            ),
            ("places_are_tried_in_order", places_are_tried_in_order),
            ("other_compilers_are_refused", other_compilers_are_refused),
            ("a_slow_answer_is_waited_for", a_slow_answer_is_waited_for),
            ("bugs_66_failures_say_what_happened", failures_say_what_happened),
            ("bugs_66_failures_keep_their_log", failures_keep_their_log),
            ("a_hanging_compiler_is_ended", a_hanging_compiler_is_ended),
            (
                "killed_owners_leave_no_compiler_behind",
                killed_owners_leave_no_compiler_behind,
            ),
            ("a_silent_failure_is_tried_again", a_silent_failure_is_tried_again),
            ("every_place_is_shown", every_place_is_shown),
            (
                "the_environment_chooses_the_driver",
                the_environment_chooses_the_driver,
            ),
            ("a_stand_in_compiles_and_runs", a_stand_in_compiles_and_runs),
        ],
        &[
            ("compile", compile_role),
            ("build", build_role),
            ("run", run_role),
            ("discover", discover_role),
            ("probe", probe_role),
            ("icpx", || {
                if icpx::run() != ExitCode::SUCCESS {
                    std::process::exit(1);
                }
            }),
        ],
    )
}

const VERSION: &str = "echo 'Intel(R) oneAPI DPC++/C++ Compiler 2026.2.0 (2026.2.0.20260801)'";

fn scale() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/scale.hpp")
}

/// The file that the environment names, for the target that it names.
fn unit() -> Unit {
    Unit {
        source: Source::File(std::env::var_os("HEADER").unwrap().into()),
        defines: vec![
            ("SCALE_BY".to_owned(), "5".to_owned()),
            ("BARE".to_owned(), String::new()),
        ],
        include_dirs: vec!["/an include folder".into()],
        target: std::env::var("TARGET").map_or(Target::Spir64, Target::Named),
    }
}

/// Compiles with icpx, and says how that went.
fn compile_role() {
    let out = std::env::var_os("OUT").unwrap();
    match Icpx::find().and_then(|driver| driver.compile(&unit(), Path::new(&out))) {
        Ok(_) => println!("compiled"),
        Err(error) => println!("{error}"),
    }
}

/// Says which driver is found.
fn discover_role() {
    match driver::discover() {
        Ok(driver) => println!("{}", driver.identity().driver()),
        Err(error) => println!("{error}"),
    }
}

/// A stand-in `icpx`: a shell script that answers `--version` by `version`, what the driver asks of dependencies by none, and
/// does `compile` otherwise, with the output's path in $out.
struct StandIn {
    folder: TempDir,
}

impl StandIn {
    fn new(version: &str, compile: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "#!/bin/sh\n\
             case \"$1\" in --version) {version}; exit;; esac\n\
             out= rule= last=\n\
             for a; do case \"$last\" in -o) out=$a;; -MF) rule=$a;; esac; last=$a; done\n\
             if [ -n \"$rule\" ]; then echo 'unit:' > \"$rule\"; exit; fi\n\
             {compile}\n"
        );
        let path = folder.path().join("icpx");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("icpx")
    }

    /// A file beside the script.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the role `compile` says with this icpx and these variables, and what it writes to standard error. What is left in
    /// the output's folder has to be `left`.
    fn compile(&self, left: &[&str], variables: &[(&str, &str)]) -> (String, String) {
        let folder = tempfile::tempdir().unwrap();
        let mut command = process("compile");
        command
            .env("OXYSYCL_ICPX", self.path())
            .env("HEADER", scale())
            .env("OUT", folder.path().join("out.so"))
            .env_remove("SGLANG_SYCL_AOT_TARGETS")
            .envs(variables.iter().copied());
        let said = texts(&command.output().unwrap());
        let names: Vec<OsString> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name != "compiler.log")
            .collect();
        assert_eq!(names, left, "{said:?}");
        said
    }

    fn error(&self) -> String {
        self.compile(&[], &[]).0
    }
}

/// Copies a real shared library to $out.
fn succeed() -> String {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps.lines().find(|line| line.contains("/libc.so")).unwrap();
    format!("cp '{}' \"$out\"", &line[line.find('/').unwrap()..])
}

fn recording() -> StandIn {
    StandIn::new(
        VERSION,
        &format!(
            "for a; do printf '%s\\n' \"$a\"; done > \"$(dirname \"$0\")/arguments\"; {}",
            succeed()
        ),
    )
}

/// The arguments of the one compilation by `stand_in`.
fn arguments(stand_in: &StandIn) -> Vec<String> {
    let text = fs::read_to_string(stand_in.file("arguments")).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn arguments_are_these() {
    let stand_in = recording();
    assert_eq!(stand_in.compile(&["out.so"], &[]).0, "compiled\n");
    let arguments = arguments(&stand_in);
    let fixed = "-ffp-model=precise -fsycl -sycl-std=2020 -std=c++20 -O3 -fPIC -shared -ftemplate-backtrace-limit=0 \
        -fno-sycl-unnamed-lambda -fhonor-nans -fhonor-infinities -fno-associative-math -fno-approx-func -no-ftz \
        -fno-sycl-instrument-device-code -ffp-contract=off -foffload-fp32-prec-div -foffload-fp32-prec-sqrt \
        -fsycl-targets=spir64 -DSCALE_BY=5 -DBARE";
    let fixed: Vec<&str> = fixed.split_whitespace().collect();
    let (start, rest) = arguments.split_at(fixed.len());
    assert_eq!(start, fixed);
    let (module, rest) = rest.split_first().unwrap();
    let name = module.strip_prefix("-DOXYSYCL_MODULE=m_").unwrap();
    assert!(
        name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{module}"
    );
    let header = scale();
    let expected = [
        "-I/an include folder",
        "-x",
        "c++",
        header.to_str().unwrap(),
        "-x",
        "none",
        "-Wl,--version-script=oxysycl/exports.map",
        "-o",
    ];
    assert_eq!(rest[..expected.len()], expected);
    assert_eq!(rest.len(), expected.len() + 1, "{rest:?}");
}

fn targets_come_from_the_unit_or_the_environment() {
    let target = |variables: &[(&str, &str)]| {
        let stand_in = recording();
        stand_in.compile(&["out.so"], variables);
        let target = |argument: String| argument.strip_prefix("-fsycl-targets=").map(str::to_owned);
        arguments(&stand_in).into_iter().find_map(target).unwrap()
    };
    assert_eq!(target(&[]), "spir64");
    let unit = ("TARGET", "intel_gpu_bmg_g21");
    assert_eq!(target(&[unit]), "intel_gpu_bmg_g21");
    let environment = ("SGLANG_SYCL_AOT_TARGETS", "intel_gpu_pvc,intel_gpu_dg2");
    assert_eq!(target(&[unit, environment]), "intel_gpu_pvc,intel_gpu_dg2");
    assert_eq!(target(&[("SGLANG_SYCL_AOT_TARGETS", "")]), "spir64");
}

fn places_are_tried_in_order() {
    let stand_ins = [recording(), recording(), recording()];
    let [named, on_path, in_root] = &stand_ins;
    let root = tempfile::tempdir().unwrap();
    let bin = root.path().join("compiler/latest/bin");
    fs::create_dir_all(&bin).unwrap();
    fs::rename(in_root.path(), bin.join("icpx")).unwrap();
    let path = std::env::var("PATH").unwrap();

    let named_variable = ("OXYSYCL_ICPX", named.path().to_str().unwrap().to_owned());
    let path_variable = ("PATH", format!("{}:{path}", on_path.folder.path().display()));
    let root_variable = ("ONEAPI_ROOT", root.path().to_str().unwrap().to_owned());
    let unnamed = ("OXYSYCL_ICPX", String::new());
    // Which of the three was used.
    let used = |variables: &[&(&str, String)]| {
        let variables: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        named.compile(&["out.so"], &variables);
        let records = [
            named.file("arguments"),
            on_path.file("arguments"),
            bin.join("arguments"),
        ];
        let used: Vec<bool> = records
            .iter()
            .map(|record| fs::remove_file(record).is_ok())
            .collect();
        used.iter().position(|&used| used)
    };
    assert_eq!(used(&[&named_variable, &path_variable, &root_variable]), Some(0));
    assert_eq!(used(&[&unnamed, &path_variable, &root_variable]), Some(1));
    assert_eq!(used(&[&unnamed, &root_variable]), Some(2));

    let (error, _) = named.compile(&[], &[("OXYSYCL_ICPX", ""), ("ONEAPI_ROOT", "/nonexistent")]);
    assert!(
        error.contains("icpx not found") && error.contains("install"),
        "{error}"
    );
    assert!(error.contains("PATH, ONEAPI_ROOT=/nonexistent"), "{error}");
    // A place that was named is not passed over.
    let (error, _) = named.compile(&[], &[("OXYSYCL_ICPX", "/nonexistent/icpx")]);
    assert!(error.contains("/nonexistent/icpx"), "{error}");
}

fn other_compilers_are_refused() {
    let error = StandIn::new("echo 'g++ (GCC) 14.2.0'", &succeed()).error();
    assert!(
        error.contains("is not icpx") && error.contains("g++ (GCC) 14.2.0") && error.contains("install"),
        "{error}"
    );
    let error = StandIn::new("exit 3", &succeed()).error();
    assert!(
        error.contains("exit status 3") && error.contains("--version"),
        "{error}"
    );
    let error = StandIn::new("true", &succeed()).error();
    assert!(error.contains("is not icpx"), "{error}");
}

fn a_slow_answer_is_waited_for() {
    let slow = StandIn::new(&format!("sleep 8; {VERSION}"), &succeed());
    assert_eq!(slow.compile(&["out.so"], &[]).0, "compiled\n");
}

fn failures_say_what_happened() {
    let error = StandIn::new(
        VERSION,
        "for i in one two three; do echo \"line $i\" >&2; done; exit 1",
    )
    .error();
    assert!(error.contains("exit status 1"), "{error}");
    assert!(
        error.contains("-fsycl") && error.contains("scale.hpp"),
        "the command is missing: {error}"
    );
    assert!(error.contains("line one\nline two\nline three"), "{error}");

    let error = StandIn::new(VERSION, "kill -KILL $$").error();
    assert!(
        error.contains("SIGKILL") && error.contains("out of memory"),
        "{error}"
    );
    let error = StandIn::new(VERSION, "kill -SEGV $$").error();
    assert!(
        error.contains("SIGSEGV") && !error.contains("out of memory"),
        "{error}"
    );

    let error = StandIn::new(VERSION, "true").error();
    assert!(error.contains("no output file"), "{error}");
    let error = StandIn::new(VERSION, "echo hello > \"$out\"; echo said").error();
    assert!(
        error.contains("not a shared library") && error.contains("said"),
        "{error}"
    );
    let error = StandIn::new(VERSION, ": > \"$out\"").error();
    assert!(error.contains("is empty"), "{error}");

    let noise = "echo first >&2; head -c 20000000 /dev/zero | tr '\\0' '\\377' >&2; echo last >&2; exit 1";
    let error = StandIn::new(VERSION, noise).error();
    assert!(error.contains("first") && error.contains("last") && error.contains("bytes left out"));
    assert!(error.len() < 1 << 20, "{} bytes", error.len());
}

/// Compiles with icpx through the cache of the environment, and says how that went.
fn build_role() {
    let runtime = Runtime::new(Box::new(Icpx::find().unwrap()), Cache::from_environment());
    match runtime.library(&unit()) {
        Ok(library) => println!("{:?}", library.origin()),
        Err(error) => println!("{error}"),
    }
}

/// Cause, command, first lines, the place of all of it, what to do; the log outlives the process.
fn failures_keep_their_log() {
    let noise = "i=0; while [ $i -lt 300 ]; do echo warning $i; i=$((i+1)); done; echo 'k.hpp:1: error: no';\
        i=0; while [ $i -lt 300 ]; do echo note $i; i=$((i+1)); done; exit 4";
    let stand_in = StandIn::new(VERSION, noise);
    let cache = tempfile::tempdir().unwrap();
    let build = |cache: &Path| {
        let mut command = process("build");
        command
            .env("OXYSYCL_ICPX", stand_in.path())
            .env("HEADER", scale())
            .env("OXYSYCL_CACHE", cache);
        texts(&command.output().unwrap()).0
    };
    let said = build(cache.path());
    for text in [
        "exit status 4\ncommand: ",
        "k.hpp:1: error: no",
        "what to do: ",
        "lines left out",
    ] {
        assert!(said.contains(text), "{text:?} is not in: {said}");
    }
    assert!(
        !said.contains("warning 1\n") && !said.contains("note 200"),
        "{said}"
    );
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("all that was written: "));
    let log = fs::read_to_string(line.expect("the log is named")).unwrap();
    for text in [
        "warning 1\n",
        "error: no",
        "note 299",
        "scale.hpp",
        "exit status 4",
    ] {
        assert!(log.contains(text), "{text:?} is not in the log");
    }
    // Where no log can be kept, nothing is left out.
    let said = build(Path::new("/dev/null/nowhere"));
    assert!(
        said.contains("warning 1\n") && said.contains("note 299"),
        "{said}"
    );
    assert!(!said.contains("all that was written"), "{said}");
}

fn a_hanging_compiler_is_ended() {
    let hanging = StandIn::new(
        VERSION,
        "sleep 1000 & echo $! > \"$(dirname \"$0\")/child\"; wait",
    );
    let start = Instant::now();
    let (error, _) = hanging.compile(&[], &[("OXYSYCL_COMPILE_TIMEOUT", "2")]);
    assert!(
        error.contains("did not finish within 2 s") && error.contains("OXYSYCL_COMPILE_TIMEOUT"),
        "{error}"
    );
    let child = fs::read_to_string(hanging.file("child")).unwrap();
    while fs::read_to_string(format!("/proc/{}/stat", child.trim())).is_ok_and(|stat| !stat.contains(") Z "))
    {
        assert!(start.elapsed() < Duration::from_secs(100), "its child still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Neither the compiler nor its children, whether a signal can be caught or not.
fn killed_owners_leave_no_compiler_behind() {
    for signal in [Signal::KILL, Signal::INT, Signal::TERM] {
        let hanging = StandIn::new(
            VERSION,
            "sleep 1000 & echo $! > \"$(dirname \"$0\")/child\"; wait",
        );
        let folder = tempfile::tempdir().unwrap();
        let mut owner = process("compile")
            .env("OXYSYCL_ICPX", hanging.path())
            .env("HEADER", scale())
            .env("OUT", folder.path().join("out.so"))
            .spawn()
            .unwrap();
        let start = Instant::now();
        let child = loop {
            match fs::read_to_string(hanging.file("child")) {
                Ok(child) if child.ends_with('\n') => break child,
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
            assert!(start.elapsed() < Duration::from_secs(100), "it does not start");
        };
        rustix::process::kill_process(Pid::from_child(&owner), signal).unwrap();
        owner.wait().unwrap();
        while fs::read_to_string(format!("/proc/{}/stat", child.trim()))
            .is_ok_and(|stat| !stat.contains(") Z "))
        {
            assert!(
                start.elapsed() < Duration::from_secs(100),
                "its child still runs after {signal:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn a_silent_failure_is_tried_again() {
    let count = "echo run >> \"$(dirname \"$0\")/runs\"";
    let runs = |stand_in: &StandIn| fs::read_to_string(stand_in.file("runs")).unwrap().lines().count();
    let once = StandIn::new(
        VERSION,
        &format!(
            "{count}; [ $(wc -l < \"$(dirname \"$0\")/runs\") -gt 1 ] || exit 1; {}",
            succeed()
        ),
    );
    let (said, log) = once.compile(&["out.so"], &[]);
    assert_eq!((said.as_str(), runs(&once)), ("compiled\n", 2));
    assert!(log.contains("trying once more"), "{log}");

    let always = StandIn::new(VERSION, &format!("{count}; exit 1"));
    assert!(always.error().contains("exit status 1"));
    assert_eq!(runs(&always), 2);
    let with_words = StandIn::new(VERSION, &format!("{count}; echo no >&2; exit 1"));
    assert!(with_words.error().contains("no"));
    assert_eq!(runs(&with_words), 1);
}

fn the_environment_chooses_the_driver() {
    Embedded::new(Toolchain::ensure().unwrap()).unwrap();
    let stand_in = recording();
    let path = format!(
        "{}:{}",
        stand_in.folder.path().display(),
        std::env::var("PATH").unwrap()
    );
    let found = |variables: &[(&str, &str)]| {
        let mut command = process("discover");
        for variable in ["OXYSYCL_DRIVER", "OXYSYCL_ICPX", "ONEAPI_ROOT"] {
            command.env_remove(variable);
        }
        texts(&command.envs(variables.iter().copied()).output().unwrap()).0
    };
    let with_icpx = ("PATH", path.as_str());
    assert_eq!(found(&[with_icpx]), "icpx\n");
    assert_eq!(found(&[with_icpx, ("OXYSYCL_DRIVER", "embedded")]), "embedded\n");
    assert_eq!(found(&[]), "embedded\n");
    assert_eq!(found(&[("OXYSYCL_DRIVER", "")]), "embedded\n");
    assert!(found(&[("OXYSYCL_DRIVER", "icpx")]).contains("icpx not found"));
    let error = found(&[("OXYSYCL_DRIVER", "dpcpp")]);
    assert!(
        error.contains("dpcpp") && error.contains("`icpx` or `embedded`"),
        "{error}"
    );
    // One that is there but is not icpx is not passed over in silence.
    let gcc = StandIn::new("echo gcc", "exit 1");
    assert!(found(&[("OXYSYCL_ICPX", gcc.path().to_str().unwrap())]).contains("is not icpx"));
}

/// Shows every place that is looked at.
fn probe_role() {
    for probe in driver::probe() {
        println!("{} | {} | {:?}", probe.part, probe.place, probe.found);
    }
}

fn every_place_is_shown() {
    let show = |variables: &[(&str, &str)]| {
        let mut command = process("probe");
        command.env("OXYSYCL_ICPX", "").env("ONEAPI_ROOT", "/nonexistent");
        texts(&command.envs(variables.iter().copied()).output().unwrap()).0
    };
    let here = show(&[]);
    for start in [
        "icpx | PATH | Err(",
        "icpx | ONEAPI_ROOT=/nonexistent | Err(",
        "g++ | PATH | Ok(",
        "pip | python3 on PATH | Ok(",
    ] {
        assert!(
            here.lines().any(|line| line.starts_with(start)),
            "{start:?} is not in\n{here}"
        );
    }
    let bare = show(&[("PATH", "/nonexistent"), ("OXYSYCL_HOME", "/nonexistent/place")]);
    for text in [
        "embedded toolchain | /nonexistent/place/toolchain/",
        "oxysycl toolchain install",
        "install g++",
        "python3-pip",
    ] {
        assert!(bare.contains(text), "{text:?} is not in\n{bare}");
    }
    let stand_in = recording();
    let named = show(&[("OXYSYCL_ICPX", stand_in.path().to_str().unwrap())]);
    assert!(
        named.contains("| Ok(") && named.contains("DPC++/C++ Compiler 2026.2.0"),
        "{named}"
    );
}

/// Compiles with icpx, runs the result, and prints it.
fn run_role() {
    let driver = Icpx::find().unwrap();
    let runtime = Runtime::new(
        Box::new(driver),
        Cache::open(Path::new(&std::env::var_os("OUT").unwrap())),
    );
    let mut unit = unit();
    unit.include_dirs.clear();
    let module = runtime.module(&unit).unwrap();
    let queue = Queue::new(&Selector::Cpu).unwrap();
    let input = queue.upload(&[1.0_f32, 2.0, 3.0]).unwrap();
    let output = queue.alloc::<f32>(3).unwrap();
    // SAFETY: the fixture's C type, with two buffers of three elements.
    unsafe {
        let function = module.function("scale_fp32", None).unwrap();
        function
            .call_void(&queue, (input.view(), output.view(), 3_i64))
            .unwrap();
    }
    println!("{:?}", output.to_vec().unwrap());
}

fn a_stand_in_compiles_and_runs() {
    // Where oneAPI has them, icpx's libraries are those of the embedded toolchain.
    let oneapi = tempfile::tempdir().unwrap();
    let icpx = oneapi.path().join("bin/icpx");
    fs::create_dir(oneapi.path().join("bin")).unwrap();
    symlink(Toolchain::ensure().unwrap().lib(), oneapi.path().join("lib")).unwrap();
    let itself = std::env::current_exe().unwrap();
    let mut script = "#!/bin/sh\n".to_owned();
    // It is not told where the toolchain is, as no compiler is told anything.
    if let Some(home) = std::env::var_os("OXYSYCL_HOME") {
        script += &format!("export OXYSYCL_HOME='{}'\n", home.display());
    }
    script += &format!("exec '{}' --role icpx \"$@\"\n", itself.display());
    fs::write(&icpx, script).unwrap();
    fs::set_permissions(&icpx, fs::Permissions::from_mode(0o755)).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let mut command = process("run");
    command
        .env("HEADER", scale())
        .env("OUT", cache.path().join("modules"));
    // The queue's own library is compiled by way of it, too.
    command.env("OXYSYCL_ICPX", icpx).env("OXYSYCL_DRIVER", "icpx");
    let environment = Toolchain::ensure().unwrap().environment();
    command
        .envs(environment)
        .env("OXYSYCL_CACHE", cache.path().join("shim"));
    let (out, log) = texts(&command.output().unwrap());
    assert_eq!(out, "[5.0, 10.0, 15.0]\n", "{log}");
}

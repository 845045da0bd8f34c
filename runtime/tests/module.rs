//! Loading modules, with plain C++ libraries in place of SYCL ones.

mod common;
#[path = "common/fake.rs"]
mod fake;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use oxysycl_runtime::cache::Cache;
use oxysycl_runtime::driver::{CompileError, Driver, Identity};
use oxysycl_runtime::{Error, LoadError, Runtime, Unit};

use common::{process, texts};
use fake::{Fake, gcc, unit};

const GOOD: &str = r#"extern "C" int answer(void *) { return 42; }"#;

fn main() -> ExitCode {
    common::run(
        &[
            ("a_module_is_loaded_once", a_module_is_loaded_once),
            ("eight_threads_load_one_module", eight_threads_load_one_module),
            ("a_warm_load_is_quick", a_warm_load_is_quick),
            (
                "the_modules_asked_for_last_are_at_hand",
                the_modules_asked_for_last_are_at_hand,
            ),
            ("forgotten_modules_stay_loaded", forgotten_modules_stay_loaded),
            (
                "a_slow_compilation_holds_up_nothing_else",
                a_slow_compilation_holds_up_nothing_else,
            ),
            (
                "what_cannot_be_loaded_is_compiled_once_more",
                what_cannot_be_loaded_is_compiled_once_more,
            ),
            (
                "what_moved_since_is_compiled_anew",
                what_moved_since_is_compiled_anew,
            ),
            ("a_module_outlives_its_entry", a_module_outlives_its_entry),
            ("missing_functions_are_named", missing_functions_are_named),
            (
                "the_driver_sets_the_environment_and_the_user_keeps_it",
                the_driver_sets_the_environment_and_the_user_keeps_it,
            ),
            (
                "two_versions_of_sycl_are_refused",
                two_versions_of_sycl_are_refused,
            ),
            (
                "nothing_is_loaded_beside_two_of_sycl",
                nothing_is_loaded_beside_two_of_sycl,
            ),
        ],
        &[
            ("load_two_versions", load_two_versions),
            ("load_beside_two", load_beside_two),
            ("show_environment", show_environment),
        ],
    )
}

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn runtime(&self) -> Runtime {
        self.slow_runtime(Duration::ZERO)
    }

    fn slow_runtime(&self, delay: Duration) -> Runtime {
        let starts = self.root.path().join("starts");
        Runtime::new(
            Box::new(Fake::new(&starts, delay)),
            Cache::open(&self.root.path().join("cache")),
        )
    }

    fn compilations(&self) -> usize {
        Fake::count(&self.root.path().join("starts"))
    }
}

fn a_module_is_loaded_once() {
    let place = Place::new();
    let runtime = place.runtime();
    let first = runtime.module(&unit(GOOD)).unwrap();
    assert!(std::ptr::eq(first, runtime.module(&unit(GOOD)).unwrap()));
    assert_eq!(first.function("answer", None).unwrap().symbol(), "answer");
    let another = runtime.module(&unit(&format!("{GOOD} // another"))).unwrap();
    assert!(!std::ptr::eq(first, another));
    assert_eq!(place.compilations(), 2);
}

fn eight_threads_load_one_module() {
    let place = Place::new();
    let runtime = place.runtime();
    let addresses: Vec<usize> = thread::scope(|scope| {
        let load = || std::ptr::from_ref(runtime.module(&unit(GOOD)).unwrap()).addr();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(load)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(addresses.iter().all(|&address| address == addresses[0]));
    assert_eq!(place.compilations(), 1);
}

fn a_warm_load_is_quick() {
    let place = Place::new();
    place.runtime().module(&unit(GOOD)).unwrap();
    let start = Instant::now();
    place.runtime().module(&unit(GOOD)).unwrap();
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_millis(100), "{elapsed:?}");
    assert_eq!(place.compilations(), 1);
}

/// Files of units whose library is there already, so that many of them are quickly made.
struct Copies {
    identity: Identity,
    library: PathBuf,
}

impl Driver for Copies {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        Vec::new()
    }

    fn dependencies(&self, _: &Unit) -> Result<Vec<PathBuf>, CompileError> {
        Ok(Vec::new())
    }

    fn compile(&self, _: &Unit, out: &Path) -> Result<Vec<PathBuf>, CompileError> {
        fs::copy(&self.library, out).unwrap();
        Ok(Vec::new())
    }
}

fn the_modules_asked_for_last_are_at_hand() {
    let place = Place::new();
    let library = place.root.path().join("answer.so");
    gcc(GOOD, &[], &library).unwrap();
    let copies = Copies {
        identity: Identity::new(vec![("driver", "copies".to_owned())]),
        library,
    };
    let runtime = Runtime::new(Box::new(copies), Cache::open(&place.root.path().join("cache")));
    let module = |number: usize| runtime.module(&unit(&format!("{number:04}"))).unwrap();
    let (kept, dropped) = (module(0), module(1));
    for number in 2..300 {
        module(number);
        // Equal texts are one unit, whoever owns them.
        assert!(std::ptr::eq(kept, module(0)), "after {number}");
    }
    let again = module(1);
    assert!(!std::ptr::eq(dropped, again));
    assert_eq!(dropped.path(), again.path());
    dropped.function("answer", None).unwrap();
}

fn forgotten_modules_stay_loaded() {
    let place = Place::new();
    let runtime = place.runtime();
    let first = runtime.module(&unit(GOOD)).unwrap();
    runtime.clear_module_cache();
    first.function("answer", None).unwrap();
    let second = runtime.module(&unit(GOOD)).unwrap();
    assert!(!std::ptr::eq(first, second));
    assert_eq!(place.compilations(), 1);
    second.function("answer", None).unwrap();
}

fn a_slow_compilation_holds_up_nothing_else() {
    let place = Place::new();
    let runtime = place.slow_runtime(Duration::from_secs(2));
    runtime.module(&unit(GOOD)).unwrap();
    thread::scope(|scope| {
        let slow = scope.spawn(|| runtime.library(&unit("slow, and no library")));
        while place.compilations() < 2 {
            thread::sleep(Duration::from_millis(5));
        }
        let start = Instant::now();
        runtime.module(&unit(GOOD)).unwrap();
        assert!(
            start.elapsed() < Duration::from_millis(100),
            "{:?}",
            start.elapsed()
        );
        assert!(!slow.is_finished());
        slow.join().unwrap().unwrap();
    });
}

fn what_cannot_be_loaded_is_compiled_once_more() {
    let place = Place::new();
    let load = || place.runtime().module(&unit("no library at all")).unwrap_err();
    for compilations in 1..=3 {
        let error = load();
        assert!(matches!(error, Error::Load(LoadError::Open { .. })), "{error}");
        assert!(error.to_string().contains("module.so"), "{error}");
        assert_eq!(place.compilations(), compilations);
    }
}

fn what_moved_since_is_compiled_anew() {
    let place = Place::new();
    let runtime = place.runtime();
    let path = runtime.library(&unit(GOOD)).unwrap().path().to_owned();
    // A whole entry, with a digest that is right, whose library needs another one that is gone.
    let gone = place.root.path().join("libgone.so");
    gcc("int gone() { return 1; }", &[], &gone).unwrap();
    gcc(
        "int gone(); int here() { return gone(); }",
        &[gone.to_str().unwrap()],
        &path,
    )
    .unwrap();
    fs::remove_file(gone).unwrap();
    rewrite_manifest(&path);
    let module = runtime.module(&unit(GOOD)).unwrap();
    module.function("answer", None).unwrap();
    assert_eq!(place.compilations(), 2);
    place.runtime().module(&unit(GOOD)).unwrap();
    assert_eq!(place.compilations(), 2);
}

/// Makes the manifest beside `library` agree with it.
fn rewrite_manifest(library: &Path) {
    use sha2::{Digest, Sha256};
    let path = library.with_file_name("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let bytes = fs::read(library).unwrap();
    manifest["bytes"] = bytes.len().into();
    manifest["sha256"] = hex::encode(Sha256::digest(&bytes)).into();
    fs::write(path, manifest.to_string()).unwrap();
}

fn a_module_outlives_its_entry() {
    let place = Place::new();
    let runtime = place.runtime();
    let module = runtime.module(&unit(GOOD)).unwrap();
    assert_eq!(runtime.cache().clear().unwrap().entries, 1);
    module.function("answer", None).unwrap();
    runtime.module(&unit(GOOD)).unwrap();
    assert_eq!(place.compilations(), 1);
}

fn missing_functions_are_named() {
    let place = Place::new();
    let module = place.runtime().module(&unit(GOOD)).unwrap();
    for (symbol, last_error, missing) in [
        ("nothing", None, "nothing"),
        ("answer", Some("answer_last_error"), "answer_last_error"),
        ("with\0zero", None, "with\0zero"),
    ] {
        let error = module.function(symbol, last_error).unwrap_err().to_string();
        assert!(error.contains(missing) && error.contains("module.so"), "{error}");
    }
}

/// The role of a process that loads a module and shows what that did to its environment.
fn show_environment() {
    let place = Place::new();
    place.runtime().module(&unit(GOOD)).unwrap();
    println!("{}", std::env::var("OXYSYCL_TEST_VARIABLE").unwrap());
}

fn the_driver_sets_the_environment_and_the_user_keeps_it() {
    let unset = process("show_environment").output().unwrap();
    assert_eq!(texts(&unset), ("from the driver\n".to_owned(), String::new()));
    let set = process("show_environment")
        .env("OXYSYCL_TEST_VARIABLE", "from the user")
        .output()
        .unwrap();
    assert_eq!(texts(&set), ("from the user\n".to_owned(), String::new()));
}

/// The role of a process that loads a library that needs libsycl.so.9, another one, and then one that needs
/// libsycl.so.8.
fn load_two_versions() {
    let root = std::env::var_os("TEST_ROOT").unwrap();
    let root = Path::new(&root);
    let runtime = Runtime::new(
        Box::new(Fake::new(&root.join("starts"), Duration::ZERO)),
        Cache::open(&root.join("cache")),
    );
    let load = |version: u32, text: &str| {
        let text = format!("{GOOD} // {version} {text}");
        let path = runtime.library(&unit(&text)).unwrap().path().to_owned();
        let sycl = root.join(format!("libsycl.so.{version}"));
        gcc(
            "int one(); int two() { return one(); }",
            &[sycl.to_str().unwrap()],
            &path,
        )
        .unwrap();
        rewrite_manifest(&path);
        runtime.module(&unit(&text))
    };
    load(9, "first").unwrap();
    load(9, "second").unwrap();
    // An entry that needs another one counts as none, and says why.
    load(8, "third").unwrap();
}

fn two_versions_of_sycl_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for version in [8, 9] {
        let name = format!("libsycl.so.{version}");
        gcc(
            "int one() { return 1; }",
            &[&format!("-Wl,-soname,{name}")],
            &root.path().join(name),
        )
        .unwrap();
    }
    let output = process("load_two_versions")
        .env("TEST_ROOT", root.path())
        .env("LD_LIBRARY_PATH", root.path())
        .output()
        .unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success(), "{stderr}");
    let loaded = root.path().join("libsycl.so.9");
    assert!(
        stderr.contains("needs libsycl.so.8")
            && stderr.contains(&format!("{}, which is libsycl.so.9", loaded.display())),
        "{stdout} {stderr}"
    );
    assert!(
        stderr.contains("module.so") && stderr.contains("compiling it anew"),
        "{stderr}"
    );
}

/// The role of a process that has two SYCL run times of one name, and loads a library that needs one.
fn load_beside_two() {
    let root = std::env::var_os("TEST_ROOT").unwrap();
    let root = Path::new(&root);
    for place in ["one", "two"] {
        let file = std::ffi::CString::new(root.join(place).join("libsycl.so.8").to_str().unwrap()).unwrap();
        // SAFETY: nothing runs as these libraries are loaded.
        assert!(!unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW) }.is_null());
    }
    let runtime = Runtime::new(
        Box::new(Fake::new(&root.join("starts"), Duration::ZERO)),
        Cache::open(&root.join("cache")),
    );
    let path = runtime.library(&unit(GOOD)).unwrap().path().to_owned();
    let text = r#"#include <cstdio>
        struct Loaded { Loaded() { std::puts("loaded"); } } loaded;
        int one(); int two() { return one(); }"#;
    gcc(text, &[root.join("one/libsycl.so.8").to_str().unwrap()], &path).unwrap();
    rewrite_manifest(&path);
    let error = runtime.module(&unit(GOOD)).unwrap_err();
    assert!(matches!(error, Error::Load(LoadError::TwoSycl { .. })), "{error}");
    println!("{error}");
}

fn nothing_is_loaded_beside_two_of_sycl() {
    let root = tempfile::tempdir().unwrap();
    for place in ["one", "two"] {
        fs::create_dir(root.path().join(place)).unwrap();
        gcc(
            &format!("int one() {{ return sizeof \"{place}\"; }}"),
            &["-Wl,-soname,libsycl.so.8"],
            &root.path().join(place).join("libsycl.so.8"),
        )
        .unwrap();
    }
    let output = process("load_beside_two")
        .env("TEST_ROOT", root.path())
        .output()
        .unwrap();
    let (stdout, stderr) = texts(&output);
    assert!(output.status.success(), "{stdout} {stderr}");
    for place in ["one", "two"] {
        let file = root.path().join(place).join("libsycl.so.8");
        let named = format!("{}, which is libsycl.so.8", file.display());
        assert!(stdout.contains(&named), "{stdout}");
    }
    assert!(!stdout.contains("loaded\n"), "{stdout}");
}

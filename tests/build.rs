//! `oxysycl build` as a user calls it: what is in the library that it makes, of kernels and of headers that know nothing of this
//! project; and what it says, and leaves, where it makes none.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use tempfile::TempDir;

/// A folder to work in, with a cache of its own.
struct Place(TempDir);

/// How the command ended.
#[derive(Debug)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Where the command works.
    fn work(&self) -> PathBuf {
        let folder = self.0.path().join("work");
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// The command, to be given arguments.
    fn oxysycl(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oxysycl"));
        command
            .current_dir(self.work())
            .env("OXYSYCL_CACHE", self.0.path().join("modules"))
            .env("OXYSYCL_DRIVER", "embedded");
        command
    }

    fn build(&self, arguments: &[&str]) -> Outcome {
        run(self.oxysycl().arg("build").args(arguments))
    }

    /// Asserts that the command refuses with `status`, says `words`, and leaves nothing.
    #[track_caller]
    fn refused(&self, arguments: &[&str], status: i32, words: &[&str]) {
        let before = self.files();
        self.judge(self.build(arguments), status, words);
        assert_eq!(self.files(), before, "something was left behind");
    }

    #[track_caller]
    fn judge(&self, outcome: Outcome, status: i32, words: &[&str]) {
        assert_eq!(outcome.status, Some(status), "{outcome:#?}");
        assert_eq!(outcome.stdout, "", "{outcome:#?}");
        for word in words {
            assert!(outcome.stderr.contains(word), "no {word} in {}", outcome.stderr);
        }
        assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(self.work()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Writes a file to work on.
    fn write(&self, name: &str, text: &str) {
        fs::write(self.work().join(name), text).unwrap();
    }

    /// Asserts that the command makes a library with these symbols of what `arguments` say.
    #[track_caller]
    fn makes(&self, arguments: &[&str], symbols: &[&str]) {
        let outcome = self.build(&[arguments, &["-o", "k.so"]].concat());
        assert_eq!(outcome.status, Some(0), "{outcome:#?}");
        assert_eq!(outcome.stdout, "k.so\n");
        assert_eq!(defined(&self.work().join("k.so")), symbols);
    }
}

fn run(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The dynamic symbols that a library defines, sorted.
fn defined(library: &Path) -> Vec<String> {
    let bytes = fs::read(library).unwrap();
    let file = object::File::parse(bytes.as_slice()).unwrap();
    let symbols = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let mut names: Vec<String> = symbols.map(|symbol| symbol.name().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// A hand-written header that knows nothing of this project.
fn fixture(name: &str) -> String {
    format!("{}/runtime/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_kernel_exports_what_was_promised_and_nothing_else() {
    let place = Place::new();
    let symbols = [
        "rmsnorm_forward_fp16_4096",
        "rmsnorm_last_error",
        "rmsnorm_shape_for_gpu",
    ];
    place.makes(
        &["rmsnorm", "--dtype", "fp16", "-D", "HIDDEN_SIZE=4096"],
        &symbols,
    );
    // The macros that other projects choose with say the same, so that it is in the cache.
    let macros = [
        "rmsnorm",
        "-D",
        "SGL_RMSNORM_DTYPE_fp16",
        "-D",
        "SGL_RMSNORM_HIDDEN_SIZE=4096",
    ];
    let outcome = run(place.oxysycl().args(["--json", "build"]).args(macros));
    let built: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(built["origin"], "cached", "{outcome:#?}");
    assert_eq!(built["driver"], "embedded");
    assert_eq!(built["symbols"], serde_json::json!(["rmsnorm_forward_fp16_4096"]));
    assert_eq!(defined(Path::new(built["library"].as_str().unwrap())), symbols);
}

#[test]
fn a_kernel_by_itself_exports_all_its_instances() {
    let symbols = [
        "scale_forward_bf16",
        "scale_forward_fp16",
        "scale_forward_fp32",
        "scale_last_error",
        "scale_shape_for_gpu",
    ];
    Place::new().makes(&["scale"], &symbols);
}

#[test]
fn hand_written_headers_are_built_as_they_are() {
    let place = Place::new();
    place.makes(
        &["--header", &fixture("scale.hpp"), "-D", "SCALE_BY=3"],
        &["scale_bf16", "scale_fp16", "scale_fp32"],
    );
    place.makes(
        &["--header", &fixture("members.hpp")],
        &["members", "only_struct"],
    );
    place.makes(&["--header", &fixture("local.hpp")], &["reverse"]);
    place.makes(
        &["--header", &fixture("sub_groups.hpp")],
        &["any_size", "size_16", "size_32"],
    );
}

#[test]
fn what_a_header_includes_is_found() {
    let place = Place::new();
    place.write("near.hpp", "#include <far.hpp>\n");
    place.write(
        "top.hpp",
        &format!("#include \"near.hpp\"\n#include \"{}\"\n", fixture("scale.hpp")),
    );
    fs::create_dir(place.work().join("include")).unwrap();
    place.write("include/far.hpp", "#define SCALE_BY 5\n");
    place.makes(
        &["--header", "top.hpp", "-I", "include"],
        &["scale_bf16", "scale_fp16", "scale_fp32"],
    );
}

#[test]
fn headers_that_cannot_be_built_are_refused_and_the_next_one_is_built() {
    let place = Place::new();
    for (name, words) in [
        ("bit_field.hpp", ["fixture::BitFieldKernel", "bit-field"]),
        ("stream.hpp", ["fixture::StreamKernel", "stream"]),
        ("unnamed.hpp", ["HiddenKernel", "namespace"]),
    ] {
        place.refused(&["--header", &fixture(name), "-o", "k.so"], 1, &words);
    }
    place.write(
        "silent.hpp",
        "#include <sycl/sycl.hpp>\ninline int f() { return 1; }\n",
    );
    place.refused(
        &["--header", "silent.hpp", "-o", "k.so"],
        1,
        &["silent.hpp", "exports nothing", "extern \"C\""],
    );
    place.write(
        "wrong.hpp",
        "#include <sycl/sycl.hpp>\nextern \"C\" void f(sycl::queue*) { return 1 }\n",
    );
    place.refused(
        &["--header", "wrong.hpp", "-o", "k.so"],
        1,
        // The compiler's own words, and how it was called.
        &["wrong.hpp:2:", "expected ';'", "command: ", "-std=c++20"],
    );
    place.refused(
        &["--header", "absent.hpp", "-o", "k.so"],
        2,
        &["absent.hpp", "No such file"],
    );
    place.refused(&["--header", ".", "-o", "k.so"], 2, &["."]);

    place.makes(&["--header", &fixture("local.hpp")], &["reverse"]);
}

#[test]
fn kernels_that_there_are_not_are_refused_by_what_there_is() {
    let place = Place::new();
    place.refused(&["rmsnrm"], 2, &["rmsnrm", "rmsnorm", "scale"]);
    place.refused(
        &["rmsnorm", "--dtype", "fp64"],
        2,
        &["fp64", "fp32", "fp16", "bf16"],
    );
    place.refused(
        &["scale", "--dtype", "fp16", "--dtype", "fp16"],
        2,
        &["scale", "fp16"],
    );
    place.refused(
        &["rmsnorm", "-D", "HIDDEN_SIZE=large"],
        2,
        &["HIDDEN_SIZE", "large", "i64"],
    );
    place.refused(
        &["rmsnorm", "-D", "HIDDEN_SIZE=-8"],
        2,
        &["HIDDEN_SIZE = -8", "from 0 to"],
    );
    place.refused(
        &["rmsnorm", "-D", "HIDDEN=8"],
        2,
        &["HIDDEN", "SGL_RMSNORM_HIDDEN_SIZE"],
    );
    place.refused(&["scale", "-D", "1=2"], 2, &["1", "NAME=VALUE"]);
    place.refused(&[], 2, &["<KERNEL>"]);
    place.refused(&["scale", "--header", "x.hpp"], 2, &["--header"]);
    place.refused(&["scale", "-I", "x"], 2, &["-I"]);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let place = Place::new();
    place.write("file", "");
    fs::create_dir(place.work().join("folder")).unwrap();
    place.refused(
        &["scale", "--dtype", "fp32", "-o", "file/k.so"],
        2,
        &["cannot write", "file/k.so"],
    );
    place.refused(
        &["scale", "--dtype", "fp32", "-o", "folder"],
        2,
        &["cannot write", "folder"],
    );
    assert_eq!(fs::read_dir(place.work().join("folder")).unwrap().count(), 0);
    place.makes(
        &["scale", "--dtype", "fp32"],
        &["scale_forward_fp32", "scale_last_error", "scale_shape_for_gpu"],
    );
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let place = Place::new();
    let home = tempfile::tempdir().unwrap();
    let offline = run(place
        .oxysycl()
        .env("OXYSYCL_HOME", home.path())
        .env("OXYSYCL_OFFLINE", "1")
        .args(["build", "scale", "-o", "k.so"]));
    let words = [
        "OXYSYCL_OFFLINE",
        "toolchain install",
        home.path().to_str().unwrap(),
    ];
    place.judge(offline, 2, &words);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);

    // Where icpx could be, it is not.
    let nowhere = tempfile::tempdir().unwrap();
    let without = run(place
        .oxysycl()
        .env("OXYSYCL_DRIVER", "icpx")
        .env("PATH", nowhere.path())
        .env_remove("OXYSYCL_ICPX")
        .env_remove("ONEAPI_ROOT")
        .args(["build", "scale", "-o", "k.so"]));
    place.judge(without, 2, &["icpx not found", "PATH", "OXYSYCL_DRIVER=embedded"]);
    let unknown = run(place
        .oxysycl()
        .env("OXYSYCL_DRIVER", "clang")
        .args(["build", "scale"]));
    place.judge(unknown, 2, &["OXYSYCL_DRIVER", "clang", "embedded"]);
    assert!(place.files().is_empty());
}

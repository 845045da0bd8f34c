//! The command, as a program.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use oxysycl::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// What shares its header and its symbol.
#[sycl_kernel(symbol = "clash_{N}", header = "clash.hpp", shapes(x = [N]))]
#[expect(dead_code, reason = "it is there to be refused")]
fn clash_first<const N: i64>(x: &mut [f32]) {
    for i in elements(N) {
        x.store(i, 1.0);
    }
}

/// What shares its header and its symbol.
#[sycl_kernel(symbol = "clash_{M}", header = "clash.hpp", shapes(x = [M]))]
#[expect(dead_code, reason = "it is there to be refused")]
fn clash_second<const M: i64>(x: &mut [f32]) {
    for i in elements(M) {
        x.store(i, 2.0);
    }
}

/// What has the symbol of another's drop-in.
#[sycl_kernel(symbol = "clash_too", header = "clash_too.hpp", shapes(x = [n]))]
#[expect(dead_code, reason = "it is there to be refused")]
fn clash_third(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 1.0);
    }
}

/// What has a drop-in with the symbol of another.
#[sycl_kernel(
    symbol = "clash_not",
    header = "clash_too.hpp",
    shapes(x = [n]),
    drop_in(symbol = "clash_too", args(n, x)),
)]
#[expect(dead_code, reason = "it is there to be refused")]
fn clash_fourth(x: &mut [f32], n: i64) {
    for i in elements(n) {
        x.store(i, 2.0);
    }
}

/// Runs the command in this process, which has the kernels above.
fn here(arguments: &[&str]) -> i32 {
    oxysycl::cli::run(["oxysycl"].iter().chain(arguments).map(Into::into))
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxysycl"));
    command.args(arguments);
    command
}

fn oxysycl(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

fn json(arguments: &[&str]) -> Value {
    let output = oxysycl(&[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is text")
}

/// The one line of an error, from a question that could not be asked.
fn error(arguments: &[&str]) -> String {
    let output = oxysycl(arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr)
        .expect("errors are text")
        .trim_end()
        .to_owned()
}

#[test]
fn kernels_are_listed() {
    let listed = json(&["list"]);
    let names: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|kernel| kernel["kernel"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"rmsnorm") && names.contains(&"scale"),
        "{names:?}"
    );
    let text = stdout(&oxysycl(&["list", "rmsnorm"]));
    assert!(
        text.contains("rmsnorm_forward_{T}_{HIDDEN_SIZE}") && text.contains("elementwise/rmsnorm.hpp"),
        "{text}"
    );
}

#[test]
fn a_listed_kernel_has_all_that_a_caller_needs() {
    let rmsnorm = &json(&["list", "rmsnorm"])[0];
    assert_eq!(rmsnorm["symbol"], "rmsnorm_forward_{T}_{HIDDEN_SIZE}");
    let exports = rmsnorm["exports"].as_array().unwrap();
    assert!(
        exports.contains(&Value::from("rmsnorm_forward_fp16_4096")),
        "{exports:?}"
    );
    assert_eq!(rmsnorm["types"][0]["macro"], "SGL_RMSNORM_DTYPE_{T}");
    assert_eq!(
        rmsnorm["types"][0]["dtypes"],
        serde_json::json!(["fp32", "fp16", "bf16"])
    );
    assert_eq!(rmsnorm["consts"][0]["macro"], "SGL_RMSNORM_HIDDEN_SIZE");
    assert_eq!(
        rmsnorm["parameters"][2],
        serde_json::json!({ "name": "output", "type": "&mut [T]" })
    );
    assert_eq!(rmsnorm["parameters"].as_array().unwrap().len(), 7);
}

#[test]
fn lines_are_those_of_the_function() {
    let source = include_str!("../src/ops/rmsnorm.rs");
    let function = &source[source.find("pub fn rmsnorm").unwrap()..];
    let end = function.find("\n}\n").unwrap() + "\n}\n".len();
    let lines = function[..end].lines().count();
    assert_eq!(lines, 22);
    assert_eq!(json(&["list", "rmsnorm"])[0]["lines"], lines);
    assert_eq!(json(&["list", "scale"])[0]["lines"], 5);
    let text = stdout(&oxysycl(&["list", "rmsnorm"]));
    assert!(text.contains("lines") && text.contains(" 22 "), "{text}");
}

#[test]
fn headers_are_emitted_to_standard_output_and_to_folders() {
    let text = stdout(&oxysycl(&["emit", "scale", "-o", "-"]));
    assert!(
        text.contains("scale_forward_") && !text.contains("rmsnorm"),
        "{text}"
    );
    let folder = TempDir::new().unwrap();
    let output = oxysycl(&["emit", "-o", folder.path().to_str().unwrap()]);
    let path = folder.path().join("elementwise/scale.hpp");
    assert!(stdout(&output).lines().any(|line| Path::new(line) == path));
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = error(&["emit", "scale", "-o", file.to_str().unwrap()]);
    assert!(
        error.starts_with(&format!(
            "error: cannot write {}/elementwise/scale.hpp",
            file.display()
        )),
        "{error}"
    );
}

#[test]
fn a_header_that_would_export_a_symbol_twice_is_not_written() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    for kernel in ["clash_first", "clash_third"] {
        assert_eq!(here(&["emit", kernel, "-o", out]), 2, "{kernel}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(here(&["list", "clash_first"]), 0);
}

#[test]
fn what_is_not_known_is_answered_with_what_is() {
    let unknown = error(&["emit", "sqale"]);
    assert!(unknown.starts_with("error: there is no kernel `sqale`; there are act_and_mul, add, "));
    assert!(unknown.contains(", scale, "), "{unknown}");
    assert!(
        unknown.contains("`use my_library as _;` in its main file"),
        "{unknown}"
    );
    assert_eq!(
        error(&["build", "scale", "--dtype", "fp8"]),
        "error: there is no element type `fp8`; scale has fp32, fp16, bf16"
    );
    let unknown_macro = error(&["build", "rmsnorm", "-D", "HIDEN_SIZE=4096"]);
    assert!(
        unknown_macro
            .starts_with("error: rmsnorm has no const parameter or macro `HIDEN_SIZE`; it has HIDDEN_SIZE")
    );
    assert_eq!(
        error(&["build", "rmsnorm", "-D", "HIDDEN_SIZE=many"]),
        "error: rmsnorm: HIDDEN_SIZE = `many` is no i64"
    );
    assert!(error(&["build", "rmsnorm", "-D", "HIDDEN_SIZE=-4"]).contains("HIDDEN_SIZE = -4"));
    assert_eq!(
        error(&["check", "scale", "--case", "999999"]),
        "error: there is no such case"
    );
}

#[test]
fn usage_errors_have_the_status_of_questions_that_make_no_sense() {
    assert!(error(&["chekc"]).contains("unrecognized subcommand"));
    assert!(error(&["build"]).contains("<KERNEL>"));
    assert!(error(&["build", "scale", "-D", "A B=1"]).contains("no macro name"));
    assert_eq!(oxysycl(&["--help"]).status.code(), Some(0));
}

#[test]
fn a_reader_that_stops_is_no_error() {
    let mut child = command(&["list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_kernel_is_built_where_it_was_asked_for() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("k.so");
    let file = path.to_str().unwrap();
    let built = json(&[
        "build",
        "rmsnorm",
        "--dtype",
        "fp16",
        "-D",
        "HIDDEN_SIZE=64",
        "-o",
        file,
    ]);
    assert_eq!(built["library"], file);
    assert_eq!(built["symbols"], serde_json::json!(["rmsnorm_forward_fp16_64"]));
    assert!(fs::read(&path).unwrap().starts_with(b"\x7fELF"));
    // The same by the macros that callers of the header use, from the cache.
    let defines = ["-D", "SGL_RMSNORM_DTYPE_fp16", "-D", "SGL_RMSNORM_HIDDEN_SIZE=64"];
    let again = json(&[&["build", "rmsnorm"], &defines[..]].concat());
    assert_eq!(
        (&again["defines"], &again["origin"]),
        (&built["defines"], &Value::from("cached"))
    );
    // Only the one to take away knows by itself where its SYCL run time is.
    assert_eq!(again["symbols"], built["symbols"]);
    let cached = fs::read(again["library"].as_str().unwrap()).unwrap();
    assert!(cached.starts_with(b"\x7fELF") && cached != fs::read(&path).unwrap());
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing else is left there"
    );
}

#[test]
fn headers_of_others_are_built_and_their_errors_shown() {
    let folder = TempDir::new().unwrap();
    let header = folder.path().join("other.hpp");
    let text = "#pragma once\n#include <sycl/sycl.hpp>\nextern \"C\" int answer(void*) { return ANSWER; }\n";
    fs::write(&header, text).unwrap();
    let file = header.to_str().unwrap();
    let built = json(&["build", "--header", file, "-D", "ANSWER=42"]);
    assert!(Path::new(built["library"].as_str().unwrap()).is_file(), "{built}");
    let output = oxysycl(&["build", "--header", file]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "the compiler's answer is no");
    assert!(error.contains("ANSWER") && error.contains("other.hpp"), "{error}");
    let missing = self::error(&["build", "--header", "nowhere.hpp"]);
    assert!(missing.starts_with("error: cannot read nowhere.hpp"), "{missing}");
}

#[test]
fn one_case_is_checked() {
    let output = oxysycl(&["check", "scale", "--dtype", "bf16", "--case", "30"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = stdout(&output);
    assert!(
        text.contains("scale") && text.contains("bits") && text.contains("ok"),
        "{text}"
    );
    let report = json(&["check", "scale", "--dtype", "bf16", "--case", "30"]);
    assert_eq!(
        (&report["passed"], &report["results"][0]["cases"]),
        (&Value::from(true), &Value::from(1))
    );
}

#[test]
fn the_doctor_looks_at_everything() {
    let diagnosis = json(&["doctor"]);
    assert_eq!(diagnosis["usable"], true, "{diagnosis:#}");
    let subjects: Vec<&str> = diagnosis["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["subject"].as_str().unwrap())
        .collect();
    for subject in [
        "icpx",
        "embedded toolchain",
        "g++",
        "pip",
        "NVIDIA part",
        "driver",
        "SYCL run time",
        "kernel",
        "cache",
    ] {
        assert!(subjects.contains(&subject), "{subject} is not among {subjects:?}");
    }
    // Nothing is compiled now, and the precompiled headers are good.
    assert!(
        !subjects.contains(&"locks") && !subjects.contains(&"slow"),
        "{diagnosis:#}"
    );
    assert!(!diagnosis["devices"].as_array().unwrap().is_empty());
    assert_eq!(oxysycl(&["doctor"]).status.code(), Some(0));
}

#[test]
fn a_variable_that_hides_every_device_is_named() {
    for (name, value) in [
        ("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu"),
        ("OCL_ICD_FILENAMES", "/nonexistent/library.so"),
    ] {
        let hides = format!("{name}={value} may hide");
        for arguments in [
            &["doctor"][..],
            &["check", "add", "--dtype", "fp32", "--case", "0"],
        ] {
            let output = command(arguments).env(name, value).output().unwrap();
            let text = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
            assert!(!output.status.success(), "{text}");
            assert!(text.contains(&hides), "{text}");
        }
    }
}

#[test]
fn where_nothing_is_installed_the_doctor_installs_nothing() {
    let home = TempDir::new().unwrap();
    let bare = |arguments: &[&str]| {
        let mut command = command(arguments);
        command
            .env("OXYSYCL_HOME", home.path())
            .env_remove("OXYSYCL_CACHE")
            .env("OXYSYCL_DRIVER", "embedded");
        command.output().unwrap()
    };
    let output = bare(&["doctor"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        stdout(&output).contains("oxysycl toolchain install"),
        "{output:?}"
    );
    let output = bare(&["toolchain", "path"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).starts_with(home.path().to_str().unwrap()));
    assert_eq!(
        fs::read_dir(home.path()).unwrap().count(),
        0,
        "looking leaves nothing"
    );
}

#[test]
fn the_environment_of_the_toolchain_is_for_a_shell() {
    let output = oxysycl(&["toolchain", "install"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let lines = stdout(&oxysycl(&["toolchain", "env"]));
    assert!(
        lines
            .lines()
            .all(|line| line.starts_with("export ") && line.ends_with('\'')),
        "{lines}"
    );
    assert!(lines.contains("OCL_ICD_FILENAMES="), "{lines}");
}

#[test]
fn the_cache_is_listed_verified_and_cleared() {
    let folder = TempDir::new().unwrap();
    let cache = |arguments: &[&str]| {
        let output = command(arguments)
            .env("OXYSYCL_CACHE", folder.path())
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code().unwrap(), answer)
    };
    assert_eq!(cache(&["cache", "verify", "--json"]).0, 0);
    let damaged = folder.path().join("0".repeat(64));
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("module.so"), "no library").unwrap();
    let (status, listed) = cache(&["cache", "ls", "--json"]);
    assert_eq!((status, &listed["entries"][0]["about"]), (0, &Value::Null));
    let (status, verified) = cache(&["cache", "verify", "--json"]);
    assert_eq!(status, 1, "a damaged entry is a no");
    assert!(verified["entries"][0]["damage"].is_string(), "{verified}");
    let (status, collected) = cache(&["cache", "gc", "--json"]);
    assert_eq!((status, &collected["entries"]), (0, &Value::from(0)));
    let (status, cleared) = cache(&["cache", "clear", "--json"]);
    assert_eq!((status, &cleared["entries"]), (0, &Value::from(1)));
    assert!(!damaged.exists());
    assert_eq!(cache(&["cache", "verify", "--json"]).0, 0);
}

/// U-KEY: what identifies a library, what differs from the nearest one, and what the run time says it does.
#[test]
fn a_miss_is_explained_and_told() {
    let folder = TempDir::new().unwrap();
    let build = |by: &str, more: &[&str]| {
        let define = format!("SCALE_BY={by}");
        let header = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime/tests/fixtures/scale.hpp");
        let mut command = command(&["build", "--header", header, "-D", &define]);
        command
            .args(more)
            .env("OXYSYCL_CACHE", folder.path())
            .env("OXYSYCL_DRIVER", "embedded")
            .env("OXYSYCL_LOG", "info");
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        (stdout(&output), String::from_utf8(output.stderr).unwrap())
    };
    let (said, told) = build("2", &["--explain", "--summary"]);
    assert!(
        said.contains("target") && said.contains("nor is anything else"),
        "{said}"
    );
    for event in ["miss", "it is not there", "compile", "command=", "seconds="] {
        assert!(told.contains(event), "{event} is not in: {told}");
    }
    assert!(told.contains("0 hits, 1 misses"), "{told}");
    let (said, told) = build("2", &["--explain", "--json", "--summary"]);
    let answer: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(answer["explanation"]["cached"], true);
    assert!(
        told.contains("hit") && told.contains("1 hits, 0 misses, 0 waits"),
        "{told}"
    );
    let (said, _) = build("3", &["--explain", "--json"]);
    let answer: Value = serde_json::from_str(&said).unwrap();
    let nearest = &answer["explanation"]["nearest"];
    let field = |value: &str| serde_json::json!([{ "name": "its value", "value": value }]);
    assert_eq!((&nearest["wanted"], &nearest["has"]), (&field("3"), &field("2")));

    let output = command(&["cache", "ls"])
        .env("OXYSYCL_LOG", "loud")
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("loud") && message.contains("info"), "{message}");
}

#[test]
fn the_toolchain_is_verified() {
    let home = TempDir::new().unwrap();
    let output = command(&["toolchain", "verify"])
        .env("OXYSYCL_HOME", home.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("toolchain install")
    );
}

/// A small call of `scale` on the CPU device, and what else the command is given.
fn bench(arguments: &[&str]) -> Vec<String> {
    let small = [
        "bench",
        "scale",
        "--shape",
        "numel=1000",
        "--time",
        "0.01",
        "--device",
        "cpu",
    ];
    small
        .iter()
        .chain(arguments)
        .map(|argument| (*argument).to_owned())
        .collect()
}

/// A header by hand with the export of `scale`, which returns nothing and includes a file beside it.
fn foreign(folder: &Path) -> String {
    fs::write(
        folder.join("types.hpp"),
        "#pragma once\nusing Half = ::sycl::half;\n",
    )
    .unwrap();
    let path = folder.join("scale_by_hand.hpp");
    let text = r#"
#include <cstdint>
#include <sycl/sycl.hpp>
#include "types.hpp"

struct ScaleByHand {
  const Half* input;
  Half* output;
  float factor;

  void operator()(::sycl::id<1> i) const { output[i] = static_cast<Half>(static_cast<float>(input[i]) * factor); }
};

extern "C" void scale_forward_fp16(void* queue, const void* input, void* output, float factor, int64_t numel) {
  static_cast<::sycl::queue*>(queue)->parallel_for(
      ::sycl::range<1>(numel), ScaleByHand{static_cast<const Half*>(input), static_cast<Half*>(output), factor});
}
"#;
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn bench_measures_headers_beside_one_another() {
    let folder = TempDir::new().unwrap();
    let path = foreign(folder.path());
    let html = folder.path().join("made").join("bench.html");
    let arguments = bench(&[
        "--against",
        "self",
        "--against",
        &path,
        "--html",
        html.to_str().unwrap(),
    ]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = json(&arguments);
    let limits = &report["limits"];
    assert!(limits["cache_bytes"].as_u64().unwrap() > 0, "{limits}");
    assert!(["sysfs", "device", "assumed"].contains(&limits["cache_from"].as_str().unwrap()));
    assert_eq!(limits["copies"].as_array().unwrap().len(), 4);
    for field in ["device", "driver", "timing"] {
        assert!(report[field].is_string(), "{field}: {report}");
    }
    let results = report["results"].as_array().unwrap();
    let [result] = &results[..] else {
        panic!("{report}")
    };
    assert_eq!(result["kernel"], "scale");
    assert_eq!(result["dtypes"], serde_json::json!(["fp16"]));
    assert_eq!(result["sizes"], serde_json::json!({"numel": 1000}));
    assert_eq!(result["bytes"], 4000);
    let headers = result["headers"].as_array().unwrap();
    let names: Vec<&Value> = headers.iter().map(|header| &header["header"]).collect();
    assert_eq!(names, ["generated", "self", &path]);
    for header in headers {
        let us = |part: &str| header["us"][part].as_f64().unwrap();
        assert!(
            0.0 < us("low") && us("low") <= us("median") && us("median") <= us("high"),
            "{header}"
        );
        assert!(header["gbps"].as_f64().unwrap() > 0.0 && header["cached"].is_boolean());
        assert_eq!(header["speedup"].is_null(), header["header"] == "generated");
    }
    let means = report["means"].as_array().unwrap();
    assert_eq!(means.len(), 2);
    assert_eq!(means[1]["header"], path);
    assert_eq!(means[1]["results"], 1);
    assert_eq!(means[1]["least_at"], "scale fp16");
    let page = fs::read_to_string(html).unwrap();
    assert_eq!(
        page.matches("<svg").count(),
        2,
        "one for speed, one for speed-ups"
    );
    assert!(page.contains("<h2>scale fp16</h2>") && page.contains(&path));
    assert!(!page.contains("<script") && !page.contains("href="));
}

#[test]
fn bench_says_what_it_cannot_measure() {
    let cases: [(&[&str], &str); 6] = [
        (&["bench", "scales"], "there is no kernel `scales`"),
        (
            &["bench", "scale", "--dtype", "fp8"],
            "there is no element type `fp8`",
        ),
        (
            &["bench", "scale", "--shape", "rows=1"],
            "there is no parameter `rows`",
        ),
        (
            &["bench", "scale", "--shape", "numel=-1"],
            "is -1; sizes and strides are 0 or more",
        ),
        (
            &["bench", "fused_rope", "--shape", "ROPE_DIM=7"],
            "`ROPE_DIM % 2 == 0` does not hold",
        ),
        (
            &["bench", "scale", "--against", "nowhere.hpp"],
            "cannot read nowhere.hpp",
        ),
    ];
    for (arguments, expected) in cases {
        let message = error(arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn bench_refuses_a_header_without_the_export() {
    let folder = TempDir::new().unwrap();
    let path = foreign(folder.path());
    let arguments = [
        "bench",
        "scale",
        "--dtype",
        "bf16",
        "--device",
        "cpu",
        "--against",
        &path,
    ];
    let output = oxysycl(&arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let message = String::from_utf8_lossy(&output.stderr);
    let expected =
        format!("error: {path} cannot be called as `scale_forward_bf16(void* queue, const void* input");
    assert!(message.contains(&expected), "{message}");
    assert!(
        message.contains("undeclared identifier 'scale_forward_bf16'"),
        "{message}"
    );
}

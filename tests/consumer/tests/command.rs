//! A program that links oxysycl has its command, over its own kernels.

use std::process::{Command, Output};

use serde_json::Value;

fn consumer(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_consumer"))
        .args(arguments)
        .output()
        .expect("the program runs")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("one JSON document on standard output")
}

#[test]
fn its_own_kernel_is_listed() {
    let output = consumer(&["list", "swiglu", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let listed = json(&output);
    assert_eq!(listed[0]["kernel"], "swiglu");
    assert_eq!(listed[0]["module"], "consumer");
    assert_eq!(
        listed[0]["exports"],
        serde_json::json!([
            "swiglu_fp32",
            "silu_and_mul_fp32",
            "swiglu_fp16",
            "silu_and_mul_fp16"
        ])
    );
}

#[test]
fn its_drop_in_is_listed() {
    let listed = json(&consumer(&["list", "swiglu", "--json"]));
    assert_eq!(
        listed[0]["drop_in"],
        serde_json::json!({
            "symbol": "silu_and_mul_{T}",
            "parameters": [
                { "name": "output", "type": "&mut [T]" },
                { "name": "input", "type": "&[T]" },
                { "name": "width", "type": "i64" },
                { "name": "tokens", "type": "i32" },
            ],
        })
    );
    assert_eq!(listed[0]["lines"], 10);
    let output = consumer(&["list"]);
    let text = String::from_utf8(output.stdout).expect("tables are text");
    assert!(
        text.contains("swiglu_{T}") && text.contains("silu_and_mul_{T}"),
        "{text}"
    );
}

#[test]
fn its_header_is_emitted_with_the_function_that_it_calls() {
    let output = consumer(&["emit", "swiglu"]);
    assert_eq!(output.status.code(), Some(0));
    let header = String::from_utf8(output.stdout).expect("headers are text");
    assert!(header.starts_with("#pragma once") || header.starts_with("//"));
    assert!(header.contains("swiglu_launch") && header.contains("silu"));
}

#[test]
fn its_kernel_is_checked_on_the_device() {
    // The first case with 33 rows of 65: see the widths and rows that cases are drawn from.
    let output = consumer(&["check", "swiglu", "--dtype", "fp16", "--case", "128", "--json"]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let checked = &report["results"][0];
    assert_eq!(checked["compared"], "bounds");
    assert_eq!(checked["cases"], 1);
    assert!(
        checked["elements"].as_u64().expect("a number") > 1000,
        "{report:#}"
    );
}

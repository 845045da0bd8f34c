//! What the README shows is what the project has.

const README: &str = include_str!("../README.md");

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a block ends"))
        .collect()
}

#[test]
fn the_kernel_is_the_operator() {
    let source = include_str!("../src/ops/rmsnorm.rs");
    let shown = blocks("rust")[0];
    let function = shown.split_once("\n\n").expect("imports, then the kernel").1;
    assert!(
        source.contains(function.trim_end()),
        "README.md shows another rmsnorm than src/ops/rmsnorm.rs"
    );
}

#[test]
fn the_header_is_what_is_emitted() {
    let ir = oxysycl::ops::rmsnorm::rmsnorm::kernel()
        .ir()
        .expect("rmsnorm is accepted");
    let header = oxysycl::codegen::header(&ir);
    assert!(
        header.contains(blocks("cpp")[0]),
        "README.md shows another body than `oxysycl emit rmsnorm`"
    );
}

#[test]
fn the_test_command_is_what_ci_runs() {
    assert!(include_str!("../.ci/run").contains("cargo test --workspace"));
    assert!(README.contains("cargo test --workspace"));
}

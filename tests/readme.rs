//! What the README shows is what the project has.

use std::path::Path;
use std::{env, fs};

use oxysycl::Kernel;
use oxysycl::codegen::ir;

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

#[test]
fn the_operators_are_those_that_there_are() {
    const MARKS: [&str; 2] = ["<!-- operators -->\n", "<!-- /operators -->\n"];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(MARKS[0]).expect("the table begins");
    let (shown, after) = rest.split_once(MARKS[1]).expect("the table ends");
    let table = operators();
    if env::var_os("UPDATE").is_some_and(|update| update == "1") {
        let [begin, end] = MARKS;
        return fs::write(&path, format!("{before}{begin}{table}{end}{after}")).unwrap();
    }
    assert_eq!(
        shown, table,
        "README.md shows other operators than there are: `UPDATE=1 cargo test --test readme` writes the table"
    );
}

/// The table of operators.
fn operators() -> String {
    let mut table =
        "| kernel | computes | header | element types | lines of Rust |\n|---|---|---|---|---|\n".to_owned();
    for kernel in oxysycl::kernels().expect("the operators are accepted") {
        let ir = kernel.ir().expect("the operators are accepted");
        let cells = [
            format!("[`{}`]({})", ir.name, source(kernel)),
            first_sentence(&ir.docs),
            format!("`{}`", ir.attributes.header),
            element_types(&ir),
            kernel.lines().to_string(),
        ];
        table += &format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    table
}

/// The file that an operator is in.
fn source(kernel: &Kernel) -> String {
    let module = kernel
        .module()
        .strip_prefix("oxysycl::")
        .expect("an operator of ours");
    let path = format!("src/{}", module.replace("::", "/"));
    let candidates = [format!("{path}.rs"), format!("{path}/mod.rs")];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = candidates.into_iter().filter(|path| root.join(path).is_file());
    found.next().expect("an operator is in a file of its own")
}

/// The first sentence of a doc comment, without its full stop.
fn first_sentence(docs: &[String]) -> String {
    let paragraph: Vec<&str> = docs
        .iter()
        .map(String::as_str)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    let sentence = paragraph
        .split_once(". ")
        .map_or(paragraph.as_str(), |(first, _)| first);
    sentence.trim_end_matches('.').to_owned()
}

/// The element types of each type parameter, those of several where they go together, or of the buffers where there are
/// none.
fn element_types(ir: &ir::Kernel) -> String {
    let names = |dtypes: &[ir::DType], joint: &str| {
        let tags: Vec<&str> = dtypes.iter().map(|dtype| dtype.tag()).collect();
        tags.join(joint)
    };
    if !ir.types.is_empty() {
        let groups = ir.type_groups.iter().map(|group| {
            let rows = group.rows.iter().map(|row| names(row, " with "));
            rows.collect::<Vec<_>>().join(", ")
        });
        return groups.collect::<Vec<_>>().join("; ");
    }
    let mut fixed = Vec::new();
    for (_, buffer) in ir.buffers() {
        if let ir::Element::DType(dtype) = buffer.element
            && !fixed.contains(&dtype)
        {
            fixed.push(dtype);
        }
    }
    names(&fixed, ", ")
}

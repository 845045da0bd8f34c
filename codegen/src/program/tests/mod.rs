//! Small kernels and the programs that they become.

mod barriers;
mod lanes;
mod reductions;
mod scopes;

use super::Program;
use crate::source::{FunctionSource, KernelSource};

/// The program of a kernel with one group for each of `rows`: `p` is its row of `width` elements in `x`, `q` that in `y`, and
/// `z` is a row of 8.
fn program(body: &str) -> Program {
    let text = format!(
        "fn kernel(x: &[f32], y: &mut [f32], z: &mut [f32], rows: i64, width: i64) {{
            for row in groups(rows) {{
                let p = x.row(row * width);
                let mut q = y.row_mut(row * width);
                let mut z = z.row_mut(row * 8);
                {body}
            }}
        }}"
    );
    let source = KernelSource {
        attribute: "symbol = \"kernel\", shapes(x = [rows, width], y = [rows, width], z = [rows, 8])",
        item: FunctionSource {
            text: text.leak(),
            calls: &[],
            constants: &[],
        },
        lines: 1,
    };
    let kernel = crate::kernel(&source).unwrap_or_else(|e| panic!("{body}: {e}"));
    let program = Program::of(&kernel);
    scopes::check(&program);
    program
}

/// What a work-item does for each group, line by line, behind the rows that it does it in.
fn body(of: &str) -> Vec<String> {
    let text = program(of).to_string();
    let (_, work_item) = text
        .split_once("\nwork-item\n")
        .expect("a program ends in what work-items do");
    let (_, groups) = work_item
        .split_once("by row_range\n")
        .expect("the kernel has groups");
    let lines = groups
        .lines()
        .map(|line| line.strip_prefix("    ").expect("a level inside the groups"));
    let rows = ["row p = ", "row q = ", "row z = "];
    let is_row = |line: &&str| rows.iter().any(|row| line.starts_with(row));
    lines.skip_while(is_row).map(str::to_owned).collect()
}

#[test]
fn grids_are_refused_where_their_groups_cannot_be_counted() {
    let text = "fn kernel(y: &mut [f32], n: i64, m: i64) { for (a, b) in groups((n - 2, m)) { y.store(a * m + b, 1.0); } }";
    let source = KernelSource {
        attribute: "symbol = \"kernel\", shapes(y = [n, m])",
        item: FunctionSource {
            text,
            calls: &[],
            constants: &[],
        },
        lines: 1,
    };
    let text = Program::of(&crate::kernel(&source).expect("the kernel is accepted")).to_string();
    let expected = "  return if n - 2 <= 0 or m == 0\n  refuse a grid where (n - 2) * (m) overflows\n";
    assert!(text.contains(expected), "{text}");
}

//! Kernels that are judged one rule at a time.

mod accumulator;
mod choice;
mod choices;
mod footprint;
mod group;
mod optional;
mod order;
mod overlap;
mod poly;
mod rows;
mod scan;
mod stride;
mod value;

use syn::ItemFn;

use crate::check::Barriers;
use crate::diagnostics::Errors;
use crate::front::{self, Externals};
use crate::ir::{Kernel, walk};

/// A checked kernel: it, and where its work-items wait; or what is wrong with it.
fn checked(source: &str) -> Result<(Kernel, Barriers), Vec<String>> {
    let (kernel, mut errors) = read(source);
    let barriers = super::check(&kernel, &mut errors);
    let all = |errors: syn::Error| errors.into_iter().map(|e| e.to_string()).collect();
    errors.finish((kernel, barriers)).map_err(all)
}

/// A kernel that is yet to be checked.
#[track_caller]
fn lowered(source: &str) -> Kernel {
    let (kernel, errors) = read(source);
    errors.finish(kernel).expect("the front end takes it")
}

fn read(source: &str) -> (Kernel, Errors) {
    let mut item: ItemFn = syn::parse_str(source).expect("the source is a function");
    let attribute = item.attrs.pop().expect("the source has an attribute");
    let arguments = attribute
        .meta
        .require_list()
        .expect("with arguments")
        .tokens
        .clone();
    let mut errors = Errors::default();
    let (kernel, _) = front::kernel(arguments, &item, Externals::Unknown, &mut errors);
    (kernel, errors)
}

/// A kernel over `rows` rows of `x`, `y` and `z`, each `n` wide, with `body` for one row.
fn row_kernel(body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(a = [rows, n], b = [rows, n], c = [rows, n]))]
        fn kernel(a: &[f32], b: &mut [f32], c: &mut [f32], rows: i64, n: i64) {{
            for row in groups(rows) {{
                let x = a.row(row * n);
                let mut y = b.row_mut(row * n);
                let mut z = c.row_mut(row * n);
                {body}
            }}
        }}"
    )
}

#[track_caller]
fn accepted(source: &str) {
    if let Err(problems) = checked(source) {
        panic!("refused: {problems:?}\n{source}");
    }
}

#[track_caller]
fn refused(source: &str, because: &str) {
    match checked(source) {
        Ok(_) => panic!("accepted:\n{source}"),
        Err(problems) => assert!(
            problems.iter().any(|problem| problem.contains(because)),
            "refused for another reason: {problems:?}\n{source}"
        ),
    }
}

/// The lines of `body` that have a barrier before them, counted from 0.
#[track_caller]
fn barriers(body: &str) -> Vec<usize> {
    let source = row_kernel(body);
    let first = source
        .lines()
        .position(|line| line.contains("row_mut(row * n);") && line.contains('z'));
    let first = first.expect("the template binds `z` last") + 1;
    let (kernel, barriers) =
        checked(&source).unwrap_or_else(|problems| panic!("refused: {problems:?}\n{source}"));
    let mut lines = Vec::new();
    walk(&kernel.body, &mut |stmt| {
        if barriers.contains(&stmt.id) {
            lines.push(stmt.span.start().line - 1 - first);
        }
    });
    lines
}

//! Functors and device functions.

use std::collections::BTreeSet;

use super::Emission;
use super::body::Body;
use super::helper::{Helper, Helpers};
use super::launcher;
use super::literal;
use super::names::Names;
use super::printer::{Printer, Spelling};
use super::scope::{self, Origin, Scope};
use super::writer::Writer;
use crate::program::{Expr, ExprKind, Function, walk};

/// Clang fuses `a * b + c` where it may, which rounds once instead of twice.
const NO_CONTRACTION: &str = "#pragma clang fp contract(off)";

/// The functor of the kernel.
pub(super) fn functor(emission: &Emission<'_>) -> String {
    let mut out = Writer::at(0);
    docs(&mut out, &emission.program.docs);
    let params = emission.variant_params();
    if !params.is_empty() {
        out.line(format!("template <{}>", params.join(", ")));
    }
    out.block(format!("struct {}", emission.head.class), |out| {
        for (ty, name) in emission.members() {
            out.line(format!("{ty} {name};"));
        }
        if let Some(chunk) = emission.program.launch.grid.chunk {
            out.line(format!("int64_t {};", emission.spelling.locals[chunk]));
        }
        out.line("");
        if let Some(most) = emission.program.launch.grid.short_row {
            out.line("/// Whether rows are so short that each is a sub-group's.");
            out.line(format!(
                "static constexpr bool {} = {} <= {most};",
                emission.inner.short_rows,
                launcher::shared(emission)
            ));
            out.line("");
        }
        if let Some(size) = emission.program.choices.sub_group {
            let properties = "::sycl::ext::oneapi::experimental";
            out.block(format!("auto get({properties}::properties_tag) const"), |out| {
                out.line(format!(
                    "return {properties}::properties{{{properties}::sub_group_size<{size}>}};"
                ));
            });
            out.line("");
        }
        let item = &emission.spelling.item;
        out.block(
            format!(
                "void operator()(::sycl::nd_item<{}> {item}) const",
                emission.spelling.dimensions()
            ),
            |out| {
                out.clang(NO_CONTRACTION);
                if emission.program.launch.grid.short_row.is_some() {
                    emission.helpers.uses(Helper::ShortRows);
                    out.line(format!(
                        "const auto {} = detail::row_group<{}>({item});",
                        emission.spelling.row_group, emission.inner.short_rows
                    ));
                }
                emission.body().block(out, &emission.program.body);
            },
        );
    });
    out.finish() + ";"
}

pub(super) fn docs(out: &mut Writer, docs: &[String]) {
    for line in docs {
        out.whole(format!("/// {}", literal::comment(line)).trim_end());
    }
}

/// An inline function for a `#[sycl_fn]`, called `name`. `functions` are those that it may call.
pub(super) fn function(
    function: &Function,
    name: &str,
    functions: &[(String, String)],
    helpers: &Helpers,
) -> String {
    let mut names = Names::new();
    names.take(name);
    let functions = called(function, functions);
    functions.iter().for_each(|(_, name)| names.take(name));
    let scope = |origin| Scope {
        locals: &function.locals,
        rows: &[],
        registers: &[],
        origin,
    };
    let mut spelling = Spelling {
        locals: vec![String::new(); function.locals.len()],
        functions,
        ..Spelling::default()
    };
    let author = scope(Origin::Author);
    for (id, _) in &function.params {
        author.local(*id, &mut names, &mut spelling);
    }
    author.block(&function.body, &mut names, &mut spelling);
    scope::reserve(&spelling, &mut names);
    scope(Origin::Schedule).block(&function.body, &mut names, &mut spelling);
    let params: Vec<String> = function
        .params
        .iter()
        .map(|(id, read)| {
            let ty = function.locals[*id].ty.cpp();
            match read {
                true => format!("{ty} {}", spelling.locals[*id]),
                false => ty.to_owned(),
            }
        })
        .collect();
    let body = Body {
        printer: Printer {
            spelling: &spelling,
            helpers,
        },
        locals: &function.locals,
        rows: &[],
        registers: &[],
        kernel: "",
    };
    let mut out = Writer::at(0);
    docs(&mut out, &function.docs);
    out.block(
        format!("inline {} {name}({})", function.returns.cpp(), params.join(", ")),
        |out| {
            out.clang(NO_CONTRACTION);
            body.block(out, &function.body);
            out.line(format!("return {};", body.printer.value(&function.value)));
        },
    );
    out.finish()
}

/// Those of `functions` that a function calls. Only they keep their names from its variables, so that it is the same text
/// beside whatever others.
fn called(function: &Function, functions: &[(String, String)]) -> Vec<(String, String)> {
    let mut paths = BTreeSet::new();
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Call(path, _) = &e.kind {
                paths.insert(path.clone());
            }
        });
    };
    walk(&function.body, &mut |stmt| stmt.exprs(&mut look));
    look(&function.value);
    let of = functions.iter().filter(|(path, _)| paths.contains(path));
    of.cloned().collect()
}

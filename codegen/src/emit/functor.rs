//! Functors and device functions.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::Emission;
use super::body::Body;
use super::helper::Helpers;
use super::names::{Names, Scoped};
use super::printer::{Cpp, Loaded, Printer, Spelling, Surroundings, scalar};
use super::prune;
use super::writer::Writer;
use crate::front::integer_range;
use crate::ir::{Expr, ExprKind, For, Function, Grid, LocalId, Place, Stmt, StmtKind, Unary, walk_exprs};
use crate::schedule::is_constant;

/// Clang fuses `a * b + c` where it may, which rounds once instead of twice.
const NO_CONTRACTION: [&str; 3] = ["#ifdef __clang__", "#pragma clang fp contract(off)", "#endif"];

/// The functor of the kernel.
pub(super) fn functor(emission: &Emission<'_>) -> String {
    let mut out = Writer::at(0);
    docs(&mut out, &emission.kernel.docs);
    let params = emission.variant_params();
    if !params.is_empty() {
        out.line(format!("template <{}>", params.join(", ")));
    }
    out.block(format!("struct {}", emission.head.class), |out| {
        for (ty, name) in emission.members() {
            out.line(format!("{ty} {name};"));
        }
        out.line("");
        if wants_sub_group(emission) {
            let properties = "::sycl::ext::oneapi::experimental";
            out.block(format!("auto get({properties}::properties_tag) const"), |out| {
                let size = emission.schedule.sub_group;
                out.line(format!(
                    "return {properties}::properties{{{properties}::sub_group_size<{size}>}};"
                ));
            });
            out.line("");
        }
        out.block(
            format!(
                "void operator()(::sycl::nd_item<1> {}) const",
                emission.inner.item
            ),
            |out| {
                no_contraction(out);
                let body = Body {
                    kernel: emission.kernel,
                    schedule: emission.schedule,
                    spelling: &emission.spelling,
                    helpers: &emission.helpers,
                    data: &emission.data,
                    inner: &emission.inner,
                    names: RefCell::new(emission.names.clone()),
                    reductions: RefCell::default(),
                };
                body.write(out);
            },
        );
    });
    out.finish() + ";"
}

/// Kernels with rows fix the sub-group size; elementwise ones run with any, unless the author fixes it.
pub(super) fn wants_sub_group(emission: &Emission<'_>) -> bool {
    let fixed = emission.kernel.attributes.sub_group.is_some();
    fixed || matches!(emission.kernel.grid, Grid::Groups { .. })
}

fn no_contraction(out: &mut Writer) {
    for line in NO_CONTRACTION {
        out.directive(line);
    }
}

pub(super) fn docs(out: &mut Writer, docs: &[String]) {
    for line in docs {
        out.whole(format!("/// {line}").trim_end());
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
    let mut scoped = Scoped::new(&function.locals, &[]);
    function
        .params
        .iter()
        .for_each(|id| scoped.local(*id, &mut names));
    scoped.block(&function.body.stmts, &mut names);
    let spelling = Spelling {
        locals: scoped.local_names,
        more: scoped.more_names,
        functions,
        ..Spelling::default()
    };
    let data = (0..function.locals.len()).collect();
    let printer = Printer {
        spelling: &spelling,
        helpers,
        kernel: None,
        surroundings: &Nothing,
        data: &data,
        indexing: false,
    };
    let params: Vec<String> = function
        .params
        .iter()
        .map(|id| {
            let ty = scalar(function.locals[*id].ty).cpp();
            match prune::reads_param(function, *id) {
                true => format!("{ty} {}", spelling.locals[*id]),
                false => ty.to_owned(),
            }
        })
        .collect();
    let mut out = Writer::at(0);
    docs(&mut out, &function.docs);
    out.block(
        format!("inline {} {name}({})", function.returns.cpp(), params.join(", ")),
        |out| {
            no_contraction(out);
            block(out, &function.body.stmts, function, &printer);
            out.line(format!("return {};", printer.value(&function.body.value)));
        },
    );
    out.finish()
}

/// Those of `functions` that a function calls. Only they keep their names from its variables, so that it is the same text
/// beside whatever others.
fn called(function: &Function, functions: &[(String, String)]) -> Vec<(String, String)> {
    let mut paths = BTreeSet::new();
    let mut look = |e: &Expr| {
        if let ExprKind::Call(path, _) = &e.kind {
            paths.insert(path.clone());
        }
    };
    walk_exprs(&function.body.stmts, &mut look);
    function.body.value.walk(&mut look);
    let of = functions.iter().filter(|(path, _)| paths.contains(path));
    of.cloned().collect()
}

fn block(out: &mut Writer, stmts: &[Stmt], function: &Function, printer: &Printer<'_>) {
    for stmt in stmts {
        scalar_stmt(out, stmt, &function.locals, printer, &mut |out, inner| {
            block(out, inner, function, printer)
        });
    }
}

/// A statement that touches no memory.
pub(super) fn scalar_stmt(
    out: &mut Writer,
    stmt: &Stmt,
    locals: &[crate::ir::Local],
    printer: &Printer<'_>,
    block: &mut dyn FnMut(&mut Writer, &[Stmt]),
) {
    let name = |id: LocalId| &printer.spelling.locals[id];
    match &stmt.kind {
        StmtKind::Let(id, init) => {
            let ty = scalar(locals[*id].ty).cpp();
            match init {
                None => out.line(format!("{ty} {};", name(*id))),
                Some(init) => {
                    let constness = if locals[*id].mutable { "" } else { "const " };
                    let head = format!("{constness}{ty} {} = ", name(*id));
                    out.choices(&head, &printer.choices(init), ";");
                }
            }
        }
        StmtKind::Assign(id, value) => out.line(format!("{} = {};", name(*id), printer.value(value))),
        StmtKind::Update(id, update, value) => {
            let whole = update.applied(*id, locals[*id].ty, value);
            let plain = scalar(locals[*id].ty) == crate::ir::Scalar::F32;
            match update {
                crate::ir::Update::Operator(op) if plain && *op != crate::ir::Binary::Rem => {
                    out.line(format!("{} {}= {};", name(*id), op.token(), printer.value(value)));
                }
                _ => out.line(format!("{} = {};", name(*id), printer.value(&whole))),
            }
        }
        StmtKind::If(cond, then, otherwise) => {
            out.block(branch(cond, printer), |out| block(out, then));
            let mut rest = otherwise;
            while let [stmt] = &rest[..]
                && let StmtKind::If(cond, then, otherwise) = &stmt.kind
                && printer.surroundings.stands_alone(stmt)
            {
                out.else_block(&format!("{} ", branch(cond, printer)), |out| block(out, then));
                rest = otherwise;
            }
            if !rest.is_empty() {
                out.else_block("", |out| block(out, rest));
            }
        }
        StmtKind::For(f) => {
            let ty = scalar(locals[f.index].ty).cpp();
            let head = range(f, ty, name(f.index), &printer.spelling.more[f.index], printer);
            out.block(head, |out| block(out, &f.body));
        }
        StmtKind::Assert(..) | StmtKind::Row(_) | StmtKind::Store(..) | StmtKind::Lanes(_) => {
            unreachable!("the front end lets only kernels touch memory")
        }
    }
}

/// `for (..)`. A closed range may end at the last number of its type, of which there is no next.
fn range(f: &For, ty: &str, i: &str, more: &str, printer: &Printer<'_>) -> String {
    let (start, end) = (
        printer.value(&f.start),
        printer.operand(&f.end, super::printer::Level::Add),
    );
    match f.closed {
        false => format!("for ({ty} {i} = {start}; {i} < {end}; ++{i})"),
        true if has_next(&f.end) => format!("for ({ty} {i} = {start}; {i} <= {end}; ++{i})"),
        true => {
            format!(
                "for ({ty} {i} = {start}, {more} = {i} <= {end}; {more}; {more} = {i} < {end}, {i} += {more})"
            )
        }
    }
}

/// Whether a number is sure not to be the last one of its type.
fn has_next(e: &Expr) -> bool {
    let last = |e: &Expr| integer_range(scalar(e.ty)).map(|(_, last)| last);
    match &e.kind {
        ExprKind::Int(value) => Some(*value) < last(e),
        ExprKind::Unary(Unary::Neg, a) => matches!(a.kind, ExprKind::Int(_)),
        ExprKind::Cast(a) => last(a) < last(e) && last(a).is_some(),
        _ => false,
    }
}

/// `if (..)`, decided as the kernel is compiled where it can be.
fn branch(cond: &Expr, printer: &Printer<'_>) -> String {
    let keyword = if printer.surroundings.is_constant(cond) {
        "if constexpr"
    } else {
        "if"
    };
    format!("{keyword} ({})", printer.value(cond))
}

/// Code that reads no memory and is in no loop over lanes.
pub(super) struct Nothing;

impl Surroundings for Nothing {
    fn index(&self, _: LocalId) -> Option<Cpp> {
        None
    }

    fn load(&self, _: &Printer<'_>, _: Place, _: &Expr) -> Loaded {
        unreachable!("the front end lets only kernels load")
    }

    fn reduction(&self, _: &Expr) -> String {
        unreachable!("the front end lets only kernels reduce")
    }

    fn is_constant(&self, e: &Expr) -> bool {
        is_constant(e)
    }

    fn stands_alone(&self, _: &Stmt) -> bool {
        true
    }
}

//! Functors and device functions.

use std::cell::RefCell;

use super::Emission;
use super::body::Body;
use super::names::{Names, Scoped};
use super::printer::{Cpp, Loaded, Printer, Spelling, Surroundings, scalar};
use super::prune;
use super::writer::Writer;
use crate::ir::{Expr, For, Function, Grid, LocalId, Place, Stmt, StmtKind};

/// Clang fuses `a * b + c` where it may, which rounds once instead of twice.
const NO_CONTRACTION: [&str; 3] = ["#ifdef __clang__", "#pragma clang fp contract(off)", "#endif"];

/// The functor of the kernel.
pub(super) fn functor(emission: &Emission<'_>) -> String {
    let mut out = Writer::at(0);
    docs(&mut out, &emission.kernel.docs);
    let params = emission.template_params(true);
    if !params.is_empty() {
        out.line(format!("template <{}>", params.join(", ")));
    }
    out.block(format!("struct {}", emission.class), |out| {
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

/// An inline function for a `#[sycl_fn]`.
pub(super) fn function(function: &Function, emission: &Emission<'_>) -> String {
    let (_, name) = emission
        .spelling
        .functions
        .iter()
        .find(|(path, _)| *path == function.path)
        .expect("named at the start");
    let mut names = Names::new();
    let functions = emission.spelling.functions.clone();
    functions.iter().for_each(|(_, name)| {
        names.give(name);
    });
    let mut scoped = Scoped::new(&function.locals, &[]);
    function
        .params
        .iter()
        .for_each(|id| scoped.local(*id, &mut names));
    scoped.block(&function.body.stmts, &mut names);
    let spelling = Spelling {
        locals: scoped.local_names,
        functions,
        ..Spelling::default()
    };
    let data = (0..function.locals.len()).collect();
    let printer = Printer {
        spelling: &spelling,
        helpers: &emission.helpers,
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
                    out.line(format!(
                        "{constness}{ty} {} = {};",
                        name(*id),
                        printer.value(init)
                    ));
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
            let keyword = if crate::schedule::is_constant(cond) {
                "if constexpr"
            } else {
                "if"
            };
            out.block(format!("{keyword} ({})", printer.value(cond)), |out| {
                block(out, then)
            });
            if !otherwise.is_empty() {
                out.else_block(|out| block(out, otherwise));
            }
        }
        StmtKind::For(For {
            index,
            start,
            end,
            body,
        }) => {
            let (i, ty) = (name(*index), scalar(locals[*index].ty).cpp());
            let (start, end) = (
                printer.value(start),
                printer.operand(end, super::printer::Level::Add),
            );
            out.block(format!("for ({ty} {i} = {start}; {i} < {end}; ++{i})"), |out| {
                block(out, body)
            });
        }
        StmtKind::Assert(..) | StmtKind::Row(_) | StmtKind::Store(..) | StmtKind::Lanes(_) => {
            unreachable!("the front end lets only kernels touch memory")
        }
    }
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
}

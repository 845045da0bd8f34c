//! Statements in C++: the body of a kernel's call operator.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::functor::scalar_stmt;
use super::helper::{Helper, Helpers};
use super::names::Names;
use super::printer::{Cpp, Level, Loaded, Printer, Spelling, Surroundings};
use super::writer::Writer;
use crate::ir::{
    Expr, ExprKind, Grid, Kernel, Lanes, LocalId, ParamId, Place, Reduce, Start, Stmt, StmtId, StmtKind,
};
use crate::schedule::{GRID, LoopVectors, Plan, Schedule, Vector, is_constant, is_decided};

/// Names that the emitted body makes up.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    pub(super) item: String,
    /// This work-item among those that share the lanes.
    pub(super) lane: String,
    /// How many share them.
    pub(super) lanes: String,
    /// The flattened index of a grid with two dimensions.
    pub(super) group: String,
    /// Position inside a vector.
    pub(super) element: String,
    /// Elements per vector.
    pub(super) width: String,
    /// The queue, and the pointer to it that callers pass.
    pub(super) queue: String,
    pub(super) queue_pointer: String,
    /// Work-items of a work-group, and work-groups.
    pub(super) local: String,
    pub(super) groups: String,
    /// What submits, given what was decided.
    pub(super) submit: String,
    /// A refusal's code.
    pub(super) code: String,
    /// Buffers' regions, by parameter.
    pub(super) regions: Vec<String>,
}

/// Writes the body of one kernel.
pub(super) struct Body<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) schedule: &'a Schedule,
    pub(super) spelling: &'a Spelling,
    pub(super) helpers: &'a Helpers,
    pub(super) data: &'a BTreeSet<LocalId>,
    pub(super) inner: &'a Inner,
    pub(super) names: RefCell<Names>,
    /// Reductions of the current statement that are already computed: what is reduced, and the result's name.
    pub(super) reductions: RefCell<Vec<(LocalId, String)>>,
}

/// The loop around a statement.
#[derive(Clone, Copy)]
enum Mode<'a> {
    /// None: all work-items of the row do it together.
    Group,
    /// A loop over lanes one by one.
    Scalar,
    /// A loop over whole vectors.
    Vector(&'a Registers<'a>),
}

/// The vector registers of a loop.
struct Registers<'a> {
    vectors: &'a LoopVectors,
    index: LocalId,
    element: &'a str,
    /// By position in the schedule's list: the register, and the name that its current element is bound to.
    names: Vec<(String, Option<String>)>,
}

/// An element of a register.
struct Held<'a> {
    element: String,
    /// The name that its loaded value is bound to.
    value: Option<&'a str>,
}

struct Around<'a> {
    body: &'a Body<'a>,
    mode: Mode<'a>,
}

impl Surroundings for Around<'_> {
    fn index(&self, id: LocalId) -> Option<Cpp> {
        match self.mode {
            Mode::Vector(registers) if registers.index == id => {
                let text = format!("{} + {}", self.body.spelling.locals[id], registers.element);
                Some(Cpp {
                    text,
                    level: Level::Add,
                })
            }
            _ => None,
        }
    }

    fn load(&self, printer: &Printer<'_>, place: Place, index: &Expr) -> Loaded {
        if let Some(held) = self.held(place, index) {
            return match held.value {
                Some(value) => Loaded::Value(value.to_owned()),
                None => Loaded::Element(held.element),
            };
        }
        Loaded::Element(format!(
            "{}[{}]",
            self.body.place(place),
            printer.index(index, Level::Ternary)
        ))
    }

    fn reduction(&self, e: &Expr) -> String {
        let (_, part) = reduced(e);
        let known = self
            .body
            .reductions
            .borrow()
            .iter()
            .find(|(id, _)| *id == part)
            .map(|(_, name)| name.clone());
        known.unwrap_or_else(|| self.body.reduce(e))
    }

    fn is_constant(&self, e: &Expr) -> bool {
        is_decided(e, self.body.kernel)
    }

    fn stands_alone(&self, stmt: &Stmt) -> bool {
        let mut reduces = false;
        stmt.exprs(&mut |e| reduces |= e.any(&mut |e| matches!(e.kind, ExprKind::Reduce(..))));
        !reduces && !self.body.schedule.barriers.contains(&stmt.id)
    }
}

impl<'a> Around<'a> {
    fn held(&self, place: Place, index: &Expr) -> Option<Held<'a>> {
        let Mode::Vector(registers) = self.mode else {
            return None;
        };
        let (at, which) = registers.vectors.find(registers.index, place, index)?;
        let (register, value) = &registers.names[at];
        let lane = registers.element;
        let element = match (registers.vectors.registers[at].step, which) {
            (1, _) => lane.to_owned(),
            (step, 0) => format!("{step} * {lane}"),
            (step, which) => format!("{step} * {lane} + {which}"),
        };
        Some(Held {
            element: format!("{register}[{element}]"),
            value: value.as_deref(),
        })
    }

    fn printer(&'a self) -> Printer<'a> {
        Printer {
            spelling: self.body.spelling,
            helpers: self.body.helpers,
            kernel: Some(self.body.kernel),
            surroundings: self,
            data: self.body.data,
            indexing: false,
        }
    }
}

impl Body<'_> {
    /// The whole body: the grid's loop and what is in it.
    pub(super) fn write(&self, out: &mut Writer) {
        let Inner {
            item,
            lane,
            lanes,
            group,
            ..
        } = self.inner;
        match &self.kernel.grid {
            Grid::Elements { index, extent } => {
                out.line(format!("const int64_t {lane} = {item}.get_global_id(0);"));
                out.line(format!("const int64_t {lanes} = {item}.get_global_range(0);"));
                self.lanes(out, GRID, *index, extent, &self.kernel.body);
            }
            Grid::Groups { indices, extents } => {
                if self.kernel.body.is_empty() {
                    return;
                }
                out.line(format!("const int64_t {lane} = {item}.get_local_id(0);"));
                if self.has_lanes() {
                    out.line(format!("const int64_t {lanes} = {item}.get_local_range(0);"));
                }
                let around = Around {
                    body: self,
                    mode: Mode::Group,
                };
                let printer = around.printer();
                let single = indices.len() == 1;
                let running = if single {
                    &self.spelling.locals[indices[0]]
                } else {
                    group
                };
                let total: Vec<String> = extents.iter().map(|e| printer.operand(e, Level::Mul)).collect();
                let head = format!(
                    "for (int64_t {running} = {item}.get_group(0); {running} < {}; {running} += {item}.get_group_range(0))",
                    if single {
                        printer.operand(&extents[0], Level::Add)
                    } else {
                        total.join(" * ")
                    }
                );
                out.block(head, |out| {
                    if let [outer, inner] = indices[..] {
                        let inner_extent = printer.operand(&extents[1], Level::Unary);
                        out.line(format!(
                            "const int64_t {} = {group} / {inner_extent};",
                            self.spelling.locals[outer]
                        ));
                        out.line(format!(
                            "const int64_t {} = {group} % {inner_extent};",
                            self.spelling.locals[inner]
                        ));
                    }
                    self.block(out, &self.kernel.body, Mode::Group);
                });
            }
        }
    }

    fn has_lanes(&self) -> bool {
        let mut has = false;
        crate::ir::walk(&self.kernel.body, &mut |stmt| {
            has |= matches!(stmt.kind, StmtKind::Lanes(_))
        });
        has
    }

    fn block(&self, out: &mut Writer, block: &[Stmt], mode: Mode<'_>) {
        for stmt in block {
            self.stmt(out, stmt, mode);
        }
    }

    fn stmt(&self, out: &mut Writer, stmt: &Stmt, mode: Mode<'_>) {
        if self.schedule.barriers.contains(&stmt.id) {
            out.line(format!("::sycl::group_barrier({}.get_group());", self.inner.item));
        }
        let around = Around { body: self, mode };
        let printer = around.printer();
        self.hoist_reductions(out, stmt);
        match &stmt.kind {
            StmtKind::Row(id) => {
                let buffer = self.kernel.buffer_like(Place::Row(*id));
                let constness = if buffer.mutable { "" } else { "const " };
                let (element, _) = printer.element(&buffer.element);
                let name = &self.spelling.rows[*id];
                self.row(
                    out,
                    &format!("{constness}{element}* {name} = "),
                    &self.kernel.rows[*id].start,
                    &printer,
                );
            }
            StmtKind::Store(place, index, value) => self.store(out, *place, index, value, &around),
            StmtKind::Lanes(Lanes { index, extent, body }) => self.lanes(out, stmt.id, *index, extent, body),
            _ => scalar_stmt(out, stmt, &self.kernel.locals, &printer, &mut |out, block| {
                self.block(out, block, mode)
            }),
        }
    }

    /// The pointer to a row, with one line per choice.
    fn row(&self, out: &mut Writer, head: &str, start: &Start, printer: &Printer<'_>) {
        let at = |buffer: ParamId, offset: &Expr| {
            let base = &self.spelling.params[buffer];
            match offset.kind {
                ExprKind::Int(0) => base.clone(),
                _ => format!("{base} + {}", printer.index(offset, Level::Add)),
            }
        };
        let mut start = start;
        let mut lead = head.to_owned();
        while let Start::Either(cond, then, otherwise) = start {
            out.line(format!("{lead}{}", printer.operand(cond, Level::Or)));
            let choice = self.choice(then, &at, printer);
            out.indented(|out| out.indented(|out| out.line(format!("? {choice}"))));
            lead = "    : ".to_owned();
            start = otherwise;
        }
        let Start::At(buffer, offset) = start else {
            unreachable!("the loop ends at a place")
        };
        out.line(format!("{lead}{};", at(*buffer, offset)));
    }

    /// A choice inside the first branch of another, on one line.
    fn choice(&self, start: &Start, at: &dyn Fn(ParamId, &Expr) -> String, printer: &Printer<'_>) -> String {
        match start {
            Start::At(buffer, offset) => at(*buffer, offset),
            Start::Either(cond, a, b) => format!(
                "({} ? {} : {})",
                printer.operand(cond, Level::Or),
                self.choice(a, at, printer),
                self.choice(b, at, printer)
            ),
        }
    }

    fn store(&self, out: &mut Writer, place: Place, index: &Expr, value: &Expr, around: &Around<'_>) {
        let printer = around.printer();
        let element = &self.kernel.buffer_like(place).element;
        if let Some(Held { element: target, .. }) = around.held(place, index) {
            return out.line(format!("{target} = {};", printer.narrowed(element, value)));
        }
        if !matches!(around.mode, Mode::Group) {
            let target = format!("{}[{}]", self.place(place), printer.index(index, Level::Ternary));
            return out.line(format!("{target} = {};", printer.narrowed(element, value)));
        }
        out.block(format!("if ({} == 0)", self.inner.lane), |out| {
            let target = format!("{}[{}]", self.place(place), printer.index(index, Level::Ternary));
            out.line(format!("{target} = {};", printer.narrowed(element, value)));
        });
    }

    /// Reductions come first and get a name: all work-items take part in them, whatever the statement does then.
    fn hoist_reductions(&self, out: &mut Writer, stmt: &Stmt) {
        if let StmtKind::Let(
            _,
            Some(Expr {
                kind: ExprKind::Reduce(..),
                ..
            }),
        ) = stmt.kind
        {
            return;
        }
        let mut hoist = |e: &Expr| {
            if let ExprKind::Reduce(reduce, _) = &e.kind {
                let (_, part) = reduced(e);
                let name = self
                    .names
                    .borrow_mut()
                    .give(reduce.word().trim_start_matches("group_"));
                out.line(format!("const float {name} = {};", self.reduce(e)));
                self.reductions.borrow_mut().push((part, name));
            }
        };
        stmt.exprs(&mut |e| e.walk(&mut hoist));
        if let StmtKind::Row(id) = stmt.kind {
            self.kernel.rows[id].start.exprs(&mut |e| e.walk(&mut hoist));
        }
    }

    fn reduce(&self, e: &Expr) -> String {
        let (reduce, part) = reduced(e);
        let operation = match reduce {
            Reduce::Sum => "plus",
            Reduce::Max => "maximum",
            Reduce::Min => "minimum",
        };
        let (item, part) = (&self.inner.item, &self.spelling.locals[part]);
        format!("::sycl::reduce_over_group({item}.get_group(), {part}, ::sycl::{operation}<float>())")
    }

    /// A loop over lanes: in whole vectors, then, where the extent is not known to be a multiple of them, one by one.
    fn lanes(&self, out: &mut Writer, id: StmtId, index: LocalId, extent: &Expr, body: &[Stmt]) {
        let Inner {
            lane, lanes, width, ..
        } = self.inner;
        let i = &self.spelling.locals[index];
        let around = Around {
            body: self,
            mode: Mode::Group,
        };
        let bound = around.printer().operand(extent, Level::Add);
        if self.schedule.width.is_none() {
            return out.block(
                format!("for (int64_t {i} = {lane}; {i} < {bound}; {i} += {lanes})"),
                |out| {
                    self.block(out, body, Mode::Scalar);
                },
            );
        }
        let plan = &self.schedule.vectors.loops[&id];
        if is_constant(extent) {
            return self.vector_loops(out, plan, index, &bound);
        }
        let whole = self.names.borrow_mut().give("whole");
        let bound = around.printer().operand(extent, Level::Mul);
        out.line(format!("const int64_t {whole} = {bound} / {width} * {width};"));
        self.vector_loops(out, plan, index, &whole);
        let bound = around.printer().operand(extent, Level::Add);
        out.block(
            format!("for (int64_t {i} = {whole} + {lane}; {i} < {bound}; {i} += {lanes})"),
            |out| {
                self.block(out, body, Mode::Scalar);
            },
        );
    }

    /// One loop for each way in which const parameters let a loop be done.
    fn vector_loops(&self, out: &mut Writer, plan: &Plan, index: LocalId, bound: &str) {
        match plan {
            Plan::Loop(vectors) => self.vector_loop(out, vectors, index, bound),
            Plan::Choice(id, yes, no) => {
                let head = format!("if constexpr ({})", self.spelling.consts[*id]);
                out.block(head, |out| self.vector_loops(out, yes, index, bound));
                out.else_block("", |out| self.vector_loops(out, no, index, bound));
            }
        }
    }

    fn vector_loop(&self, out: &mut Writer, vectors: &LoopVectors, index: LocalId, bound: &str) {
        let Inner {
            lane,
            lanes,
            width,
            element,
            ..
        } = self.inner;
        let i = self.spelling.locals[index].clone();
        let mut names = self.names.borrow().clone();
        let registers = Registers {
            vectors,
            index,
            element,
            names: vectors
                .registers
                .iter()
                .map(|v| {
                    let place = self.place(v.place);
                    let register = names.give(&format!("{place}_vec"));
                    let value =
                        (v.step == 1 && v.loaded && !v.stored).then(|| names.give(&format!("{place}_{i}")));
                    (register, value)
                })
                .collect(),
        };
        let around = Around {
            body: self,
            mode: Mode::Group,
        };
        let printer = around.printer();
        let address = |v: &Vector| {
            let start = match v.step {
                1 => format!("{} + {i}", self.place(v.place)),
                step => format!("{} + {step} * {i}", self.place(v.place)),
            };
            match v.offset(self.kernel) {
                None => start,
                Some(offset) => format!("{start} + {}", printer.operand(&offset, Level::Mul)),
            }
        };
        // More than a vector is moved in vectors: nothing else needs to be aligned.
        let size = |v: &Vector| match v.step {
            1 => width.clone(),
            step => format!("{step} * {width}"),
        };
        let moved = |v: &Vector| {
            if v.step == 1 {
                return width.clone();
            }
            self.helpers.uses(Helper::Strided);
            format!("{}, {width}", size(v))
        };
        out.block(
            format!("for (int64_t {i} = {lane} * {width}; {i} < {bound}; {i} += {lanes} * {width})"),
            |out| {
                for (v, (register, _)) in vectors.registers.iter().zip(&registers.names) {
                    self.helpers.uses(Helper::Vector);
                    let constness = if v.stored { "" } else { "const " };
                    if v.loaded {
                        out.line(format!(
                            "{constness}auto {register} = detail::load<{}>({});",
                            moved(v),
                            address(v)
                        ));
                    } else {
                        let (ty, _) = printer.element(&self.kernel.buffer_like(v.place).element);
                        out.line(format!("detail::Vec<{ty}, {}> {register};", size(v)));
                    }
                }
                out.block(
                    format!("for (int {element} = 0; {element} < {width}; ++{element})"),
                    |out| {
                        for (v, (register, value)) in vectors.registers.iter().zip(&registers.names) {
                            if let Some(value) = value {
                                let buffer = self.kernel.buffer_like(v.place);
                                let (spelled, scalar) = printer.element(&buffer.element);
                                let ty = scalar.cpp();
                                let element = format!("{register}[{element}]");
                                let converted = if spelled == ty {
                                    element
                                } else {
                                    format!("static_cast<{ty}>({element})")
                                };
                                out.line(format!("const {ty} {value} = {converted};"));
                            }
                        }
                        self.block(out, &vectors.body, Mode::Vector(&registers));
                    },
                );
                for (v, (register, _)) in vectors.registers.iter().zip(&registers.names) {
                    if v.stored {
                        let moved = match v.step {
                            1 => String::new(),
                            _ => format!("<{}>", moved(v)),
                        };
                        out.line(format!("detail::store{moved}({}, {register});", address(v)));
                    }
                }
            },
        );
    }

    fn place(&self, place: Place) -> &str {
        match place {
            Place::Buffer(id) => &self.spelling.params[id],
            Place::Row(id) => &self.spelling.rows[id],
        }
    }
}

/// A reduction and the variable whose parts it combines; the checks let nothing else be reduced.
fn reduced(e: &Expr) -> (Reduce, LocalId) {
    match &e.kind {
        ExprKind::Reduce(reduce, part) => match part.kind {
            ExprKind::Local(id) => (*reduce, id),
            _ => unreachable!("only accumulators are reduced"),
        },
        _ => unreachable!("only reductions are reduced"),
    }
}

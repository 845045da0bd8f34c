//! Statements in C++.

use super::helper::Helper;
use super::literal;
use super::printer::{Level, Printer};
use super::writer::Writer;
use crate::ir::{Assertion, GroupFunction, LocalId, ParamId, Reduce};
use crate::program::{
    End, Expr, ExprKind, If, Lanes, Local, Loop, LoopKind, Register, RegisterId, Row, Start, Stmt,
    VectorAccess,
};

/// Writes the statements of one program, or of one function.
pub(super) struct Body<'a> {
    pub(super) printer: Printer<'a>,
    pub(super) locals: &'a [Local],
    pub(super) rows: &'a [Row],
    pub(super) registers: &'a [Register],
    /// The kernel that refusals are those of.
    pub(super) kernel: &'a str,
}

impl Body<'_> {
    pub(super) fn block(&self, out: &mut Writer, block: &[Stmt]) {
        for stmt in block {
            self.stmt(out, stmt);
        }
    }

    pub(super) fn stmt(&self, out: &mut Writer, stmt: &Stmt) {
        let printer = &self.printer;
        match stmt {
            Stmt::Let(id, None) => out.line(format!("{} {};", self.locals[*id].ty.cpp(), self.name(*id))),
            Stmt::Let(id, Some(init)) => {
                let head = format!("{} = ", self.declaration(*id));
                out.choices(&head, &printer.choices(init), ";");
            }
            Stmt::Assign(id, value) => out.line(format!("{} = {};", self.name(*id), printer.value(value))),
            Stmt::Update(id, op, value) => {
                out.line(format!(
                    "{} {}= {};",
                    self.name(*id),
                    op.token(),
                    printer.value(value)
                ));
            }
            Stmt::Row(id, start) => {
                let row = &self.rows[*id];
                let constness = if row.mutable { "" } else { "const " };
                let element = printer.spelling.element(&row.element);
                let name = &printer.spelling.rows[*id];
                self.row(out, &format!("{constness}{element}* {name} = "), start);
            }
            Stmt::Store(memory, index, value) => {
                let value = printer.narrowed(&memory.element, value);
                out.line(format!("{} = {value};", printer.place(memory, index)));
            }
            Stmt::Leader(item, body) => {
                out.block(format!("if ({} == 0)", self.name(*item)), |out| {
                    self.block(out, body)
                });
            }
            Stmt::VectorLoad(access) => {
                let register = &self.registers[access.register];
                let constness = if register.mutable { "" } else { "const " };
                let name = &printer.spelling.registers[access.register];
                let (moved, address) = (self.moved(access.register), self.address(access));
                out.line(format!(
                    "{constness}auto {name} = detail::load<{moved}>({address});"
                ));
            }
            Stmt::Register(id) => {
                printer.helpers.uses(Helper::Vector);
                let element = printer.spelling.element(&self.registers[*id].element);
                let name = &printer.spelling.registers[*id];
                out.line(format!("detail::Vec<{element}, {}> {name};", self.size(*id)));
            }
            Stmt::VectorStore(access) => {
                let moved = match self.registers[access.register].step {
                    1 => String::new(),
                    _ => format!("<{}>", self.moved(access.register)),
                };
                let name = &printer.spelling.registers[access.register];
                out.line(format!("detail::store{moved}({}, {name});", self.address(access)));
            }
            Stmt::Barrier => {
                out.line(format!("::sycl::group_barrier({});", printer.spelling.row_group));
            }
            Stmt::Reduce {
                into,
                operator,
                part,
                nan,
            } => {
                let value = self.reduction(*operator, *part, *nan);
                out.line(format!("{} = {value};", self.declaration(*into)));
            }
            Stmt::Scan {
                into,
                term,
                sum,
                exclusive,
            } => {
                printer.helpers.uses(Helper::Scan);
                let function = if *exclusive {
                    "exclusive_sum"
                } else {
                    "inclusive_sum"
                };
                let (term, sum) = (self.name(*term), self.name(*sum));
                let declared = self.declaration(*into);
                out.line(format!(
                    "{declared} = detail::{function}({}, {term}, {sum});",
                    printer.spelling.row_group
                ));
            }
            Stmt::If(branch) => self.branch(out, branch),
            Stmt::Loop(l) => self.loop_(out, l),
            Stmt::Lanes(l) => self.lanes(out, l),
            Stmt::Assert(condition, assertion) => self.refuse(out, condition, assertion),
        }
    }

    /// Refuses to launch where what the author asserts does not hold.
    fn refuse(&self, out: &mut Writer, condition: &Expr, assertion: &Assertion) {
        let Assertion {
            condition: text,
            reason,
        } = assertion;
        let reason = reason.as_ref().map(|reason| format!(": {reason}"));
        let subject = literal::text(&format!("{}: {text}", self.kernel));
        let what = literal::text(&format!("does not hold{}", reason.unwrap_or_default()));
        let condition = self.printer.operand(condition, Level::Unary);
        out.line(format!(
            "if (!{condition}) return detail::refuse(detail::kSize, {subject}, {what});"
        ));
    }

    fn name(&self, id: LocalId) -> &str {
        &self.printer.spelling.locals[id]
    }

    /// `const float x`
    fn declaration(&self, id: LocalId) -> String {
        let local = &self.locals[id];
        let constness = if local.mutable { "" } else { "const " };
        format!("{constness}{} {}", local.ty.cpp(), self.name(id))
    }

    fn reduction(&self, operator: Reduce, part: LocalId, nan: bool) -> String {
        let group = &self.printer.spelling.row_group;
        let (ty, part) = (self.locals[part].ty.cpp(), self.name(part));
        if nan {
            self.printer.helpers.uses(Helper::ReduceNan);
            return format!("detail::{}({group}, {part})", operator.word());
        }
        match operator.row().sycl {
            GroupFunction::Reduce(operator) => {
                format!("::sycl::reduce_over_group({group}, {part}, ::sycl::{operator}<{ty}>())")
            }
            GroupFunction::Predicate(function) => format!("::sycl::{function}({group}, {part})"),
        }
    }

    fn branch(&self, out: &mut Writer, branch: &If) {
        let head = |branch: &If| {
            let keyword = if branch.constant { "if constexpr" } else { "if" };
            format!("{keyword} ({})", self.printer.value(&branch.condition))
        };
        out.block(head(branch), |out| self.block(out, &branch.then));
        let mut rest = &branch.otherwise;
        while let [Stmt::If(next)] = &rest[..] {
            out.else_block(&format!("{} ", head(next)), |out| self.block(out, &next.then));
            rest = &next.otherwise;
        }
        if !rest.is_empty() {
            out.else_block("", |out| self.block(out, rest));
        }
    }

    fn loop_(&self, out: &mut Writer, l: &Loop) {
        let (i, ty) = (self.name(l.index), self.index_type(l));
        let start = self.printer.value(&l.start);
        let end = self.printer.operand(l.end.value(), Level::Add);
        let step = match l.step.kind {
            ExprKind::Int(1) => format!("++{i}"),
            _ => format!("{i} += {}", self.printer.value(&l.step)),
        };
        let head = match &l.end {
            End::Below(_) => format!("{ty} {i} = {start}; {i} < {end}; {step}"),
            End::Through(_) => format!("{ty} {i} = {start}; {i} <= {end}; {step}"),
            End::ThroughLast(_, more) => {
                let more = self.name(*more);
                format!(
                    "{ty} {i} = {start}, {more} = {i} <= {end}; {more}; {more} = {i} < {end}, {i} += {more}"
                )
            }
        };
        if l.kind == LoopKind::Positions {
            out.clang("#pragma unroll");
        }
        out.block(format!("for ({head})"), |out| self.block(out, &l.body));
    }

    fn lanes(&self, out: &mut Writer, l: &Lanes) {
        let printer = &self.printer;
        printer.helpers.uses(Helper::ForLanes);
        let run = match l.run.kind {
            ExprKind::Int(1) => String::new(),
            _ => format!("<{}>", printer.value(&l.run)),
        };
        let (begin, end) = (printer.value(&l.begin), printer.value(&l.end));
        let [index, lane, lanes] = [l.index, l.lane, l.lanes].map(|id| self.name(id));
        let ty = self.locals[l.index].ty.cpp();
        out.block(
            format!("detail::for_lanes{run}({lane}, {lanes}, {begin}, {end}, [&]({ty} {index})"),
            |out| self.block(out, &l.body),
        );
        out.end_block(");");
    }

    fn index_type(&self, l: &Loop) -> &'static str {
        match l.kind {
            LoopKind::Positions => "int",
            _ => self.locals[l.index].ty.cpp(),
        }
    }

    /// The pointer to a row, with one line per choice.
    fn row(&self, out: &mut Writer, head: &str, start: &Start) {
        let mut start = start;
        let mut lead = head.to_owned();
        while let Start::Either(cond, then, otherwise) = start {
            out.line(format!("{lead}{}", self.printer.operand(cond, Level::Or)));
            let choice = self.choice(then);
            out.indented(|out| out.indented(|out| out.line(format!("? {choice}"))));
            lead = "    : ".to_owned();
            start = otherwise;
        }
        let Start::At(buffer, offset) = start else {
            unreachable!("the loop ends at a place")
        };
        out.line(format!("{lead}{};", self.place(*buffer, offset)));
    }

    /// A choice inside the first branch of another, on one line.
    fn choice(&self, start: &Start) -> String {
        match start {
            Start::At(buffer, offset) => self.place(*buffer, offset),
            Start::Either(cond, a, b) => format!(
                "({} ? {} : {})",
                self.printer.operand(cond, Level::Or),
                self.choice(a),
                self.choice(b)
            ),
        }
    }

    fn place(&self, buffer: ParamId, offset: &Expr) -> String {
        let base = &self.printer.spelling.params[buffer];
        match offset.kind {
            ExprKind::Int(0) => base.clone(),
            _ => format!("{base} + {}", self.printer.operand(offset, Level::Add)),
        }
    }

    fn address(&self, access: &VectorAccess) -> String {
        let base = self.printer.spelling.place(access.memory.place);
        format!("{base} + {}", self.printer.operand(&access.first, Level::Add))
    }

    /// Elements of a register.
    fn size(&self, id: RegisterId) -> String {
        let width = &self.printer.spelling.width;
        match self.registers[id].step {
            1 => width.clone(),
            step => format!("{step} * {width}"),
        }
    }

    /// More than a vector is moved in vectors: nothing else needs to be aligned.
    fn moved(&self, id: RegisterId) -> String {
        self.printer.helpers.uses(Helper::Vector);
        if self.registers[id].step == 1 {
            return self.size(id);
        }
        self.printer.helpers.uses(Helper::Strided);
        format!("{}, {}", self.size(id), self.printer.spelling.width)
    }
}

//! Statements, one to a line.

use std::fmt::{self, Formatter};

use super::expr::text;
use super::{Names, register};
use crate::ir::SCAN_SUM;
use crate::program::{End, Expr, ExprKind, If, Lanes, Local, LoopKind, Start, Stmt, VectorAccess};

/// The statements of a block, so many levels in.
pub(super) fn block(
    f: &mut Formatter<'_>,
    stmts: &[Stmt],
    locals: &[Local],
    names: &Names<'_>,
    depth: usize,
) -> fmt::Result {
    let printer = Printer { locals, names };
    printer.block(f, stmts, depth)
}

struct Printer<'a> {
    locals: &'a [Local],
    names: &'a Names<'a>,
}

impl Printer<'_> {
    fn block(&self, f: &mut Formatter<'_>, block: &[Stmt], depth: usize) -> fmt::Result {
        block.iter().try_for_each(|stmt| self.stmt(f, stmt, depth))
    }

    fn stmt(&self, f: &mut Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
        let names = self.names;
        let text = |e: &Expr| text(e, names);
        write!(f, "{}", "  ".repeat(depth))?;
        match stmt {
            Stmt::Let(id, None) => writeln!(f, "let {}", self.declaration(*id)),
            Stmt::Let(id, Some(init)) => writeln!(f, "let {} = {}", self.declaration(*id), text(init)),
            Stmt::Assign(id, value) => writeln!(f, "{} = {}", names.local(*id), text(value)),
            Stmt::Update(id, op, value) => {
                writeln!(f, "{} {}= {}", names.local(*id), op.token(), text(value))
            }
            Stmt::Row(id, start) => writeln!(f, "row {} = {}", names.row(*id), self.start(start)),
            Stmt::Store(memory, index, value) => {
                writeln!(
                    f,
                    "{}[{}] = {}",
                    names.place(memory.place),
                    text(index),
                    text(value)
                )
            }
            Stmt::Leader(item, body) => {
                writeln!(f, "leader ({} = 0)", names.local(*item))?;
                self.block(f, body, depth + 1)
            }
            Stmt::VectorLoad(access) => {
                let (to, from) = self.vector(access);
                writeln!(f, "vector {to}: {} = load {from}", self.register(access))
            }
            Stmt::Register(id) => {
                let of = register(&names.program().registers[*id], names);
                writeln!(f, "vector {}: {of}", names.register(*id))
            }
            Stmt::VectorStore(access) => {
                let (from, to) = self.vector(access);
                writeln!(f, "store {from} to {to}")
            }
            Stmt::Barrier => writeln!(f, "barrier"),
            Stmt::Reduce {
                into,
                operator,
                part,
                nan,
            } => {
                let (into, part) = (self.declaration(*into), names.local(*part));
                let nan = if *nan { ", NaN or not" } else { "" };
                writeln!(f, "reduce {into} = {}({part}){nan}", operator.word())
            }
            Stmt::Scan {
                into,
                term,
                sum,
                exclusive,
            } => {
                let (into, term, sum) = (self.declaration(*into), names.local(*term), names.local(*sum));
                let kind = if *exclusive { "exclusive" } else { "inclusive" };
                writeln!(f, "scan {into} = {SCAN_SUM}({term}), {kind}, on top of {sum}")
            }
            Stmt::If(branch) => self.branch(f, branch, depth),
            Stmt::Loop(l) => {
                let kind = match l.kind {
                    LoopKind::Groups => "groups",
                    LoopKind::Chunks => "chunks",
                    LoopKind::Tail => "tail",
                    LoopKind::Positions => "positions",
                    LoopKind::Rounds => "rounds",
                };
                let (start, step) = (text(&l.start), text(&l.step));
                let end = match &l.end {
                    End::Below(end) => format!("below {}", text(end)),
                    End::Through(last) | End::ThroughLast(last, _) => format!("through {}", text(last)),
                };
                writeln!(f, "{kind} {} from {start} {end} by {step}", names.local(l.index))?;
                self.block(f, &l.body, depth + 1)
            }
            Stmt::Lanes(l) => {
                writeln!(f, "{}", self.lanes(l))?;
                self.block(f, &l.body, depth + 1)
            }
            Stmt::Assert(condition, assertion) => {
                let reason = assertion.reason.as_ref().map(|reason| format!(": {reason}"));
                writeln!(f, "assert {}{}", text(condition), reason.unwrap_or_default())
            }
        }
    }

    /// `vectors i from begin + lane * W below end by lanes * W`
    fn lanes(&self, l: &Lanes) -> String {
        let names = self.names;
        let text = |e: &Expr| text(e, names);
        let (kind, run) = match l.run.kind {
            ExprKind::Int(1) => ("work-items", String::new()),
            _ => ("vectors", format!(" * {}", text(&l.run))),
        };
        let begin = match l.begin.kind {
            ExprKind::Int(0) => String::new(),
            _ => format!("{} + ", text(&l.begin)),
        };
        let [index, lane, lanes] = [l.index, l.lane, l.lanes].map(|id| names.local(id));
        let end = text(&l.end);
        format!("{kind} {index} from {begin}{lane}{run} below {end} by {lanes}{run}")
    }

    fn declaration(&self, id: usize) -> String {
        let local = &self.locals[id];
        let mutable = if local.mutable { "mut " } else { "" };
        format!("{mutable}{}: {}", self.names.local(id), local.ty)
    }

    fn branch(&self, f: &mut Formatter<'_>, branch: &If, depth: usize) -> fmt::Result {
        let keyword = if branch.constant { "if const" } else { "if" };
        writeln!(f, "{keyword} {}", text(&branch.condition, self.names))?;
        self.block(f, &branch.then, depth + 1)?;
        if branch.otherwise.is_empty() {
            return Ok(());
        }
        writeln!(f, "{}else", "  ".repeat(depth))?;
        self.block(f, &branch.otherwise, depth + 1)
    }

    fn start(&self, start: &Start) -> String {
        match start {
            Start::At(buffer, offset) => {
                format!("{} + {}", self.names.param(*buffer), text(offset, self.names))
            }
            Start::Either(condition, a, b) => format!(
                "if {} then {} else {}",
                text(condition, self.names),
                self.start(a),
                self.start(b)
            ),
        }
    }

    /// A register's name, and where it is in memory.
    fn vector(&self, access: &VectorAccess) -> (String, String) {
        let place = self.names.place(access.memory.place);
        let memory = format!("{place}[{}..]", text(&access.first, self.names));
        (self.names.register(access.register).to_owned(), memory)
    }

    fn register(&self, access: &VectorAccess) -> String {
        register(&self.names.program().registers[access.register], self.names)
    }
}

//! Statements of a device program.

use super::{Expr, Memory, RegisterId};
use crate::ir::{Assertion, Binary, LocalId, ParamId, Reduce, RowId};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Declares a variable.
    Let(LocalId, Option<Expr>),
    /// `x = e`.
    Assign(LocalId, Expr),
    /// `x += e` and the like, on floats.
    Update(LocalId, Binary, Expr),
    /// Declares a row.
    Row(RowId, Start),
    /// One element, by every work-item that gets here.
    Store(Memory, Expr, Expr),
    /// What the work-item alone does whose number in its row, in this variable, is 0.
    Leader(LocalId, Vec<Stmt>),
    /// Declares a register and fills it from memory.
    VectorLoad(VectorAccess),
    /// Declares a register.
    Register(RegisterId),
    /// Writes a register to memory.
    VectorStore(VectorAccess),
    /// All work-items of the row wait for each other, and see what each has stored.
    Barrier,
    /// Declares a variable with the parts of all work-items of the row combined.
    Reduce {
        /// The variable.
        into: LocalId,
        /// How two parts become one.
        operator: Reduce,
        /// What holds each work-item's part.
        part: LocalId,
        /// Whether parts may be NaN. The largest or smallest is then that of the others, and NaN where there are none.
        nan: bool,
    },
    /// Declares a variable with a running sum: of all work-items up to this one, on top of what came before.
    Scan {
        /// The variable.
        into: LocalId,
        /// What each work-item adds.
        term: LocalId,
        /// What came before, which all work-items have; goes on to the sum of all.
        sum: LocalId,
        /// Whether the work-item's own term is left out.
        exclusive: bool,
    },
    /// A branch.
    If(If),
    /// A loop.
    Loop(Loop),
    /// A loop whose elements are dealt to the work-items that share a row.
    Lanes(Lanes),
    /// Refuses to launch where a condition does not hold. Only launchers do that.
    Assert(Expr, Assertion),
}

/// A branch. All work-items of a row that take part in what is inside take the same one.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// The condition.
    pub condition: Expr,
    /// Whether it is known when the variant is compiled.
    pub constant: bool,
    /// What is done where it holds.
    pub then: Vec<Stmt>,
    /// What is done where it does not.
    pub otherwise: Vec<Stmt>,
}

/// A loop from `start` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// What it is over.
    pub kind: LoopKind,
    /// The index.
    pub index: LocalId,
    /// Its first value.
    pub start: Expr,
    /// Where it ends.
    pub end: End,
    /// What is added to it after each round.
    pub step: Expr,
    /// What is done in each round.
    pub body: Vec<Stmt>,
}

/// A loop over the elements of a row, or of a part of one: work-item `lane` of `lanes` takes one run after the other, `lanes`
/// runs apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// The first element of a run.
    pub index: LocalId,
    /// The number of this work-item, in a variable.
    pub lane: LocalId,
    /// How many there are, in a variable.
    pub lanes: LocalId,
    /// The first element of all.
    pub begin: Expr,
    /// Where they end, whole runs further on.
    pub end: Expr,
    /// Neighbours in a run: the vector width, or 1.
    pub run: Expr,
    /// What is done for each run.
    pub body: Vec<Stmt>,
}

/// Where a loop ends.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The index stays below this.
    Below(Expr),
    /// The last index is this, of which there is a next number of its type.
    Through(Expr),
    /// The last index is this, which may be the last number of its type: the variable tells whether there are rounds left.
    ThroughLast(Expr, LocalId),
}

impl End {
    /// The number that it ends at.
    pub fn value(&self) -> &Expr {
        match self {
            End::Below(value) | End::Through(value) | End::ThroughLast(value, _) => value,
        }
    }
}

/// What a loop is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// Groups, shared among the work-groups.
    Groups,
    /// As many lanes in each round as there are work-items, all of which do every round.
    Chunks,
    /// The elements behind the last whole vector, shared among work-items.
    Tail,
    /// Positions inside a vector, one after the other, unrolled.
    Positions,
    /// Rounds of one work-item, one after the other.
    Rounds,
}

/// A vector register and the memory that it is loaded from or stored to.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorAccess {
    /// The register.
    pub register: RegisterId,
    /// The memory.
    pub memory: Memory,
    /// The first element there.
    pub first: Expr,
}

/// Where a row begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// So many elements behind a buffer's first.
    At(ParamId, Expr),
    /// In one of two places.
    Either(Expr, Box<Start>, Box<Start>),
}

impl Start {
    /// Calls `visit` on the conditions and offsets in it.
    pub fn exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Start::At(_, offset) => visit(offset),
            Start::Either(condition, a, b) => {
                visit(condition);
                a.exprs(visit);
                b.exprs(visit);
            }
        }
    }

    /// Calls `visit` on the buffers in it.
    pub fn buffers(&self, visit: &mut dyn FnMut(ParamId)) {
        match self {
            Start::At(buffer, _) => visit(*buffer),
            Start::Either(_, a, b) => {
                a.buffers(visit);
                b.buffers(visit);
            }
        }
    }
}

impl Stmt {
    /// Calls `visit` on the expressions that belong to this statement itself, not to statements inside it.
    pub fn exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Stmt::Let(_, init) => init.iter().for_each(visit),
            Stmt::Assign(_, e) | Stmt::Update(_, _, e) | Stmt::Assert(e, _) => visit(e),
            Stmt::Row(_, start) => start.exprs(visit),
            Stmt::Store(_, index, value) => {
                visit(index);
                visit(value);
            }
            Stmt::VectorLoad(access) | Stmt::VectorStore(access) => visit(&access.first),
            Stmt::If(branch) => visit(&branch.condition),
            Stmt::Loop(l) => {
                visit(&l.start);
                visit(l.end.value());
                visit(&l.step);
            }
            Stmt::Lanes(l) => {
                visit(&l.begin);
                visit(&l.end);
                visit(&l.run);
            }
            Stmt::Leader(..)
            | Stmt::Register(_)
            | Stmt::Barrier
            | Stmt::Reduce { .. }
            | Stmt::Scan { .. } => {}
        }
    }

    /// The blocks inside this statement.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match self {
            Stmt::If(branch) => vec![&branch.then, &branch.otherwise],
            Stmt::Loop(l) => vec![&l.body],
            Stmt::Lanes(l) => vec![&l.body],
            Stmt::Leader(_, body) => vec![body],
            _ => vec![],
        }
    }
}

/// Calls `visit` on every statement of `block`, outermost first, in order.
pub fn walk<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            walk(inner, visit);
        }
    }
}

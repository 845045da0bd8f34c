//! The device program: what a kernel's work-items do and what its launcher asks, with every decision made.
//!
//! ```text
//! Program            one kernel under one schedule; plain data, compared with `==` and printed with `{}`
//! ├─ schedule        the choices that the rest follows from: work-group, sub-group, vector width, reductions' shape
//! ├─ launch          a launcher, top to bottom
//! │  ├─ steps        refusals, early returns and host arithmetic, in order
//! │  ├─ decisions    arguments that become constants of the variant which is submitted
//! │  ├─ variants     which vector width runs, and on what conditions
//! │  └─ grid         work-items of a work-group, and number of work-groups
//! └─ body            one work-item, as statements
//!    ├─ loops        over groups (grid stride), work-items (start, bound, step), chunks, tails, rounds, elements of a vector
//!    ├─ memory       vector loads and stores by registers, scalar loads and stores, stores of the leader alone
//!    ├─ barrier, reduce, scan
//!    └─ let, assign, update, row, if
//! ```
//!
//! A reduction is a statement with a destination, never part of an expression, so that all work-items take part in it
//! and nobody can read it before or after its time. A variable, row or register is declared by one statement alone: the
//! vector loop and the tail of one `lanes` have variables of their own.
//!
//! The schedule decides, `lower` writes the program down, and the emission prints it.

mod display;
mod expr;
mod launch;
mod lower;
mod prune;
mod stmt;
#[cfg(test)]
mod tests;

pub use self::expr::{Expr, ExprKind, Memory, Place, WorkItem};
pub use self::launch::{
    Condition, Decision, Dim, Extent, Grid, Launch, Member, Most, Region, Step, Subject, Variant, Width,
};
#[cfg(test)]
pub(crate) use self::lower::expr::values;
use self::lower::lower;
pub use self::stmt::{End, If, Lanes, Loop, LoopKind, Start, Stmt, VectorAccess, walk};
use crate::ir::{Element, Kernel, LocalId, Scalar};
pub use crate::schedule::{Dealing, WorkGroup};

/// Position in a program's list of vector registers.
pub type RegisterId = usize;

/// A kernel as a device runs it and a launcher submits it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Name of the kernel.
    pub name: String,
    /// Its documentation, line by line.
    pub docs: Vec<String>,
    /// Type parameters, in order: names.
    pub types: Vec<String>,
    /// Const parameters, in order.
    pub consts: Vec<Variable>,
    /// Parameters, in order.
    pub params: Vec<Param>,
    /// Variables of the launcher and of work-items.
    pub locals: Vec<Local>,
    /// Rows.
    pub rows: Vec<Row>,
    /// Vector registers.
    pub registers: Vec<Register>,
    /// The functions that it calls, each after those that it calls itself.
    pub functions: Vec<Function>,
    /// What the schedule chose.
    pub choices: Choices,
    /// A second export, with another signature.
    pub drop_in: Option<DropIn>,
    /// What the launcher does.
    pub launch: Launch,
    /// What a work-item does.
    pub body: Vec<Stmt>,
}

/// What a schedule chose for a whole kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Work-items of a sub-group, which the kernel then requires; `None` where any number will do.
    pub sub_group: Option<u32>,
    /// How sums over a row come about.
    pub reduction: Reduction,
}

/// How the parts of a reduction come about: what the error of a sum depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The least number of work-items that share a row.
    pub work_items: u32,
    /// The most neighbours that one of them takes at a time.
    pub run: u32,
}

/// A name with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name in Rust.
    pub name: String,
    /// Type of its value.
    pub ty: Scalar,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name in Rust.
    pub name: String,
    /// What is passed.
    pub kind: ParamKind,
}

/// What a parameter passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A number.
    Scalar(Scalar),
    /// Device memory.
    Buffer {
        /// What it holds.
        element: Element,
        /// Whether it may be written.
        mutable: bool,
        /// Whether it may be null.
        optional: bool,
    },
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Name in Rust, or one that says what it holds.
    pub name: String,
    /// Its type.
    pub ty: Scalar,
    /// Whether it is assigned after its declaration.
    pub mutable: bool,
    /// Whether the schedule made it up, so that a variable of the author's goes first for the name.
    pub made: bool,
}

/// A pointer to where a row begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name in Rust.
    pub name: String,
    /// What it holds.
    pub element: Element,
    /// Whether it may be written.
    pub mutable: bool,
}

/// A vector register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// A name after the memory that it holds.
    pub name: String,
    /// What it holds.
    pub element: Element,
    /// Elements per lane; the register holds that many times the vector width.
    pub step: u8,
    /// Whether its elements are assigned.
    pub mutable: bool,
}

/// A function of scalars.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Path by which calls name it.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// Its documentation, line by line.
    pub docs: Vec<String>,
    /// Parameters, the first of `locals`, and whether each is read.
    pub params: Vec<(LocalId, bool)>,
    /// Variables.
    pub locals: Vec<Local>,
    /// Type of its value.
    pub returns: Scalar,
    /// What it does first.
    pub body: Vec<Stmt>,
    /// What it gives.
    pub value: Expr,
}

/// An export that passes on what it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct DropIn {
    /// Exported C name, with `{T}` for parameters.
    pub symbol: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Where each parameter of the kernel comes from.
    pub given: Vec<Given>,
}

/// Where a parameter of the kernel comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// From the drop-in's parameter at this position.
    Passed(usize),
    /// Worked out; parameters in it are those of the drop-in.
    Value(Expr),
    /// `INT64_MAX`, for however many there are.
    Unbounded,
}

impl Program {
    /// The program of a checked kernel.
    pub fn of(kernel: &Kernel) -> Program {
        lower(kernel)
    }
}

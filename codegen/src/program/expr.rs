//! Expressions of a device program.

use super::RegisterId;
use crate::ir::{Binary, Element, LocalId, Math, ParamId, RowId, Scalar, Unary};

/// A value with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Scalar,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer literal.
    Int(i128),
    /// A float literal.
    Float(f32),
    /// `true` or `false`.
    Bool(bool),
    /// A variable.
    Local(LocalId),
    /// A scalar parameter.
    Param(ParamId),
    /// A const parameter.
    Const(usize),
    /// The vector width of the variant.
    Width,
    /// Where the work-item is in the grid.
    WorkItem(WorkItem),
    /// A prefix operator.
    Unary(Unary, Box<Expr>),
    /// An infix operator whose operands are such that C++ defines the result. An `i64` may meet an `i32`, as where the
    /// position inside a vector is added to an index.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Integer arithmetic that is defined for all operands: sums, differences and products wrap around, a division by
    /// zero gives 0, and an amount to shift by is taken modulo the type's width.
    Guarded(Binary, Box<Expr>, Box<Expr>),
    /// A conversion to the expression's type.
    Cast(Box<Expr>),
    /// A float that the next round of a loop goes on with: no compiler may do the rounds in another order.
    Carried(Box<Expr>),
    /// A built-in function.
    Math(Math, Vec<Expr>),
    /// A function of the program, by path.
    Call(String, Vec<Expr>),
    /// `if c { a } else { b }`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Whether an optional buffer is null.
    IsNull(ParamId),
    /// An element, converted to its value's type.
    Load(Memory, Box<Expr>),
}

/// Where elements are, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where.
    pub place: Place,
    /// What.
    pub element: Element,
}

/// What holds elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A buffer itself.
    Buffer(ParamId),
    /// A row of one.
    Row(RowId),
    /// A vector register.
    Register(RegisterId),
}

/// Where a work-item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkItem {
    /// Its number among the work-items of a work-group that share a row.
    Lane,
    /// How many these are.
    Lanes,
    /// The number of its work-group among those that share a row.
    Part,
    /// The first row that it works on.
    Row,
    /// Rows that the grid works on at a time.
    Rows,
}

impl Expr {
    /// A value of an index or a size.
    pub(crate) fn index(kind: ExprKind) -> Expr {
        Expr {
            kind,
            ty: Scalar::I64,
        }
    }

    /// A literal index.
    pub(crate) fn int(value: i128) -> Expr {
        Expr::index(ExprKind::Int(value))
    }

    /// Arithmetic on indices.
    pub(crate) fn arithmetic(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::index(ExprKind::Binary(op, Box::new(a), Box::new(b)))
    }

    /// Calls `visit` on this expression's direct parts.
    pub fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(a) | ExprKind::Carried(a) | ExprKind::Load(_, a) => {
                visit(a)
            }
            ExprKind::Binary(_, a, b) | ExprKind::Guarded(_, a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Select(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
            ExprKind::Math(_, args) | ExprKind::Call(_, args) => args.iter().for_each(visit),
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Param(_)
            | ExprKind::Const(_)
            | ExprKind::Width
            | ExprKind::WorkItem(_)
            | ExprKind::IsNull(_) => {}
        }
    }

    /// Calls `visit` on this expression and all its parts, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.children(&mut |e| e.walk(visit));
    }

    /// Whether `test` holds for this expression or any part of it.
    pub fn any(&self, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }
}

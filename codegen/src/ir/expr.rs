//! Expressions: pure values of scalars.

use proc_macro2::Span;

use super::{LocalId, Math, ParamId, Place, Reduce, Stmt, Type};

/// An expression with its type and the user's token.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Type of the value.
    pub ty: Type,
    /// Where the user wrote it.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer literal; the type is the expression's.
    Int(i128),
    /// A float literal, rounded once to `f32`.
    Float(f32),
    /// `true` or `false`.
    Bool(bool),
    /// A `let` binding, loop index or function parameter.
    Local(LocalId),
    /// A scalar parameter of the kernel.
    Param(ParamId),
    /// A const parameter, by position.
    Const(usize),
    /// A constant item by its path, before its value is known. Only the macro meets it.
    Item(String),
    /// `-a`, `!a`.
    Unary(Unary, Box<Expr>),
    /// `a + b` and the like.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a as T`, to the expression's type, with Rust's rules.
    Cast(Box<Expr>),
    /// A built-in function or method.
    Math(Math, Vec<Expr>),
    /// A `#[sycl_fn]`, by its path as the user wrote it.
    Call(String, Vec<Expr>),
    /// `if c { a } else { b }` with plain values.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x.is_empty()` of an optional buffer: whether it is null.
    IsEmpty(ParamId),
    /// `x.load(i)`.
    Load(Place, Box<Expr>),
    /// `group_sum(a)` and the like.
    Reduce(Reduce, Box<Expr>),
    /// `group_argmax(a, place)` and the like.
    ReducePlace(Reduce, Box<Expr>, Box<Expr>),
    /// `group_scan_sum(a)`
    ScanSum(Box<Expr>),
    /// Something already reported.
    Invalid,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unary {
    /// `-a`
    Neg,
    /// `!a`, on `bool` and integers
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Binary {
    /// Whether the value is a `bool` whatever the operands are.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge
        )
    }

    /// Whether both operands are `bool` and the second is evaluated only if needed.
    pub fn is_lazy(self) -> bool {
        matches!(self, Binary::And | Binary::Or)
    }

    /// The operator's token, the same in Rust and C++.
    pub fn token(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::And => "&&",
            Binary::Or => "||",
            Binary::BitAnd => "&",
            Binary::BitOr => "|",
            Binary::BitXor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        }
    }
}

impl PartialEq for Expr {
    /// Whether both are written alike, wherever they stand.
    fn eq(&self, other: &Expr) -> bool {
        (&self.kind, self.ty) == (&other.kind, other.ty)
    }
}

impl Expr {
    /// Calls `visit` on this expression's direct parts.
    pub fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::Load(_, a)
            | ExprKind::Reduce(_, a)
            | ExprKind::ScanSum(a) => visit(a),
            ExprKind::Binary(_, a, b) | ExprKind::ReducePlace(_, a, b) => {
                visit(a);
                visit(b);
            }
            ExprKind::Select(c, a, b) => {
                visit(c);
                visit(a);
                visit(b);
            }
            ExprKind::Math(_, args) | ExprKind::Call(_, args) => args.iter().for_each(visit),
            _ => {}
        }
    }

    /// Calls `visit` on this expression and all its parts, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.children(&mut |e| e.walk(visit));
    }

    /// Calls `visit` on this expression and all its parts, innermost first.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::Load(_, a)
            | ExprKind::Reduce(_, a)
            | ExprKind::ScanSum(a) => a.walk_mut(visit),
            ExprKind::Binary(_, a, b) | ExprKind::ReducePlace(_, a, b) => {
                a.walk_mut(visit);
                b.walk_mut(visit);
            }
            ExprKind::Select(c, a, b) => {
                c.walk_mut(visit);
                a.walk_mut(visit);
                b.walk_mut(visit);
            }
            ExprKind::Math(_, args) | ExprKind::Call(_, args) => {
                args.iter_mut().for_each(|e| e.walk_mut(visit));
            }
            _ => {}
        }
        visit(self);
    }

    /// Whether something in it was already reported.
    pub(crate) fn is_invalid(&self) -> bool {
        self.any(&mut |e| matches!(e.kind, ExprKind::Invalid))
    }

    /// Whether `test` holds for this expression or any part of it.
    pub fn any(&self, test: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }
}

/// A block of statements that ends in a value.
#[derive(Clone, Debug)]
pub struct Valued {
    /// What happens first.
    pub stmts: Vec<Stmt>,
    /// The value.
    pub value: Expr,
}

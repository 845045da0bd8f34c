//! Statements, and the places that memory is reached through.

use proc_macro2::Span;

use super::{Binary, Expr, ExprKind, LocalId, Math, ParamId, Reduce, RowId, Start, Type};

/// A statement with the user's token.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Names this statement among all of its function, in source order.
    pub id: StmtId,
    /// What it does.
    pub kind: StmtKind,
    /// Where the user wrote it.
    pub span: Span,
}

/// Number of a statement in its function.
pub type StmtId = u32;

/// The forms of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `let x = e;`, or `let x;` where every way to a use assigns it first.
    Let(LocalId, Option<Expr>),
    /// `x = e;`
    Assign(LocalId, Expr),
    /// `x += e;` or `x = x.max(e);`
    Update(LocalId, Update, Expr),
    /// `assert!(c);`, in host code only: the launcher refuses what does not hold.
    Assert(Expr, Assertion),
    /// `let x = buffer.row(offset);`
    Row(RowId, Start),
    /// `y.store(i, e);`
    Store(Place, Expr, Expr),
    /// `if c { .. } else { .. }`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for s in a..b { .. }` or `for s in a..=b { .. }`, one after the other.
    For(For),
    /// `for i in lanes(n) { .. }`, split over the work-items of the row.
    Lanes(Lanes),
}

/// What an `assert!` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The condition as Rust writes it.
    pub condition: String,
    /// The author's text.
    pub reason: Option<String>,
}

/// A sequential loop.
#[derive(Clone, Debug)]
pub struct For {
    /// The index.
    pub index: LocalId,
    /// First value of the index.
    pub start: Expr,
    /// Where the range ends.
    pub end: Expr,
    /// Whether the index has the value of `end` too, in the last round: `a..=b`.
    pub closed: bool,
    /// What is repeated.
    pub body: Vec<Stmt>,
}

/// A data-parallel loop over `0..extent`.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The index.
    pub index: LocalId,
    /// Number of elements.
    pub extent: Expr,
    /// What is done for each.
    pub body: Vec<Stmt>,
}

/// How a variable is updated in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// `x += e` and the other compound assignments.
    Operator(Binary),
    /// `x = x.max(e)`
    Max,
    /// `x = x.min(e)`
    Min,
}

impl Update {
    /// The variable's new value as an expression: `x + e` for `x += e`.
    pub fn applied(self, id: LocalId, ty: Type, value: &Expr) -> Expr {
        let before = Expr {
            kind: ExprKind::Local(id),
            ty,
            span: value.span,
        };
        let kind = match self {
            Update::Operator(op) => ExprKind::Binary(op, Box::new(before), Box::new(value.clone())),
            Update::Max => ExprKind::Math(Math::Max, vec![before, value.clone()]),
            Update::Min => ExprKind::Math(Math::Min, vec![before, value.clone()]),
        };
        Expr {
            kind,
            ty,
            span: value.span,
        }
    }

    /// The reduction that combines the parts which lanes gathered with this update.
    pub fn reduction(self) -> Option<Reduce> {
        match self {
            Update::Operator(Binary::Add | Binary::Sub) => Some(Reduce::Sum),
            Update::Max => Some(Reduce::Max),
            Update::Min => Some(Reduce::Min),
            Update::Operator(Binary::BitOr) => Some(Reduce::Any),
            Update::Operator(Binary::BitAnd) => Some(Reduce::All),
            Update::Operator(_) => None,
        }
    }
}

/// What `load` and `store` are called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A buffer itself.
    Buffer(ParamId),
    /// A row of one.
    Row(RowId),
}

impl Stmt {
    /// Calls `visit` on the expressions that belong to this statement itself, not to statements inside it.
    pub fn exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Let(_, init) => init.iter().for_each(visit),
            StmtKind::Assign(_, e)
            | StmtKind::Update(_, _, e)
            | StmtKind::If(e, ..)
            | StmtKind::Assert(e, _) => visit(e),
            StmtKind::Row(_, start) => start.exprs(visit),
            StmtKind::Store(_, index, value) => {
                visit(index);
                visit(value);
            }
            StmtKind::For(f) => {
                visit(&f.start);
                visit(&f.end);
            }
            StmtKind::Lanes(l) => visit(&l.extent),
        }
    }

    /// Whether something in its own expressions was already reported.
    pub(crate) fn is_invalid(&self) -> bool {
        let mut invalid = false;
        self.exprs(&mut |e| invalid |= e.is_invalid());
        invalid
    }

    /// The blocks inside this statement.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match &self.kind {
            StmtKind::If(_, a, b) => vec![a, b],
            StmtKind::For(f) => vec![&f.body],
            StmtKind::Lanes(l) => vec![&l.body],
            _ => vec![],
        }
    }
}

/// Calls `visit` on every statement of `block`, outermost first, in source order.
pub fn walk<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in stmt.blocks() {
            walk(inner, visit);
        }
    }
}

/// Calls `visit` on every expression of `block`, outermost first, in source order.
pub fn walk_exprs<'a>(block: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    walk(block, &mut |stmt| stmt.exprs(&mut |e| e.walk(visit)));
}

/// Calls `visit` on every expression of `block`, parts before the whole.
pub fn walk_exprs_mut(block: &mut [Stmt], visit: &mut dyn FnMut(&mut Expr)) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Let(_, init) => init.iter_mut().for_each(|e| e.walk_mut(visit)),
            StmtKind::Assign(_, e) | StmtKind::Update(_, _, e) | StmtKind::Assert(e, _) => e.walk_mut(visit),
            StmtKind::Row(_, start) => start.exprs_mut(&mut |e| e.walk_mut(visit)),
            StmtKind::Store(_, index, value) => {
                index.walk_mut(visit);
                value.walk_mut(visit);
            }
            StmtKind::If(c, a, b) => {
                c.walk_mut(visit);
                walk_exprs_mut(a, visit);
                walk_exprs_mut(b, visit);
            }
            StmtKind::For(f) => {
                f.start.walk_mut(visit);
                f.end.walk_mut(visit);
                walk_exprs_mut(&mut f.body, visit);
            }
            StmtKind::Lanes(l) => {
                l.extent.walk_mut(visit);
                walk_exprs_mut(&mut l.body, visit);
            }
        }
    }
}

/// Whether `e` reads the local `id`.
pub fn reads(e: &Expr, id: LocalId) -> bool {
    e.any(&mut |e| matches!(e.kind, ExprKind::Local(l) if l == id))
}

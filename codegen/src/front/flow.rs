//! `continue`: what follows it in its loop becomes the other branch of an `if`, so that every loop runs to its end.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Block, Expr as SynExpr, ExprIf, Stmt as SynStmt};

use super::lower::Lower;
use crate::ir::{Binary, Expr, ExprKind, Scalar, Stmt, StmtKind, Type, Unary};

impl Lower<'_> {
    /// The statements of a loop's body, where `continue` has a meaning.
    pub(super) fn loop_stmts(&mut self, stmts: &[SynStmt]) {
        let outer = self.unfinished.replace(Vec::new());
        self.stmts(stmts);
        self.unfinished = outer;
    }

    /// The statements of a block, none of which gives a value.
    pub(super) fn stmts(&mut self, stmts: &[SynStmt]) {
        for (at, stmt) in stmts.iter().enumerate() {
            match stmt {
                SynStmt::Expr(e, _) if self.unfinished.is_some() && continues(e) => {
                    return self.followed(e, &stmts[at + 1..]);
                }
                stmt => self.stmt(stmt),
            }
        }
    }

    /// A statement in which there is a `continue`, and what follows it in its block.
    fn followed(&mut self, e: &SynExpr, rest: &[SynStmt]) {
        match e {
            _ if rest.is_empty() => self.expr_stmt(e),
            SynExpr::Continue(_) => self.expr_stmt(e),
            SynExpr::If(choice) if always_continues(&choice.then_branch) => {
                let cond = self.condition(&choice.cond);
                let (then, ()) = self.in_block(|lower| lower.stmts(&choice.then_branch.stmts));
                let (otherwise, ()) = self.in_block(|lower| match &choice.else_branch {
                    Some((_, other)) if continues(other) => lower.followed(other, rest),
                    Some((_, other)) => {
                        lower.expr_stmt(other);
                        lower.stmts(rest);
                    }
                    None => lower.stmts(rest),
                });
                self.push_choice(cond, then, otherwise, choice);
            }
            SynExpr::If(choice) if !block_continues(&choice.then_branch) && ends(choice) => {
                let cond = self.condition(&choice.cond);
                let (then, ()) = self.in_block(|lower| {
                    lower.scopes.enter();
                    lower.stmts(&choice.then_branch.stmts);
                    lower.scopes.leave();
                    lower.stmts(rest);
                });
                let (otherwise, ()) = self.in_block(|lower| {
                    if let Some((_, other)) = &choice.else_branch {
                        lower.expr_stmt(other);
                    }
                });
                self.push_choice(cond, then, otherwise, choice);
            }
            _ => self.guarded(e, rest),
        }
    }

    /// An `if`; one that does something only where its condition does not hold has the opposite condition.
    fn push_choice(&mut self, cond: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>, choice: &ExprIf) {
        let kind = if then.is_empty() {
            StmtKind::If(negated(cond), otherwise, then)
        } else {
            StmtKind::If(cond, then, otherwise)
        };
        self.push(kind, choice.if_token.span());
    }

    /// A statement only some ways through which end in `continue`: a variable says whether what follows is done.
    fn guarded(&mut self, e: &SynExpr, rest: &[SynStmt]) {
        let span = e.span();
        let boolean = |kind| Expr {
            kind,
            ty: Type::Scalar(Scalar::Bool),
            span,
        };
        let id = self.local(
            &syn::Ident::new("unfinished", span),
            true,
            Type::Scalar(Scalar::Bool),
        );
        self.push(StmtKind::Let(id, Some(boolean(ExprKind::Bool(true)))), span);
        self.unfinished.get_or_insert_default().push(id);
        self.expr_stmt(e);
        self.unfinished.get_or_insert_default().pop();
        let (then, ()) = self.in_block(|lower| lower.stmts(rest));
        self.push(StmtKind::If(boolean(ExprKind::Local(id)), then, vec![]), span);
    }

    /// `continue`: nothing that follows in the blocks around is done.
    pub(super) fn continue_stmt(&mut self, e: &syn::ExprContinue) {
        if let Some(label) = &e.label {
            return self.error(
                label.span(),
                "`continue` belongs to the innermost loop here; labels have no use",
            );
        }
        let Some(unfinished) = self.unfinished.clone() else {
            return self.error(
                e.span(),
                "`continue` stands among the statements of a loop, in an `if` or `match` that gives no value",
            );
        };
        let no = Expr {
            kind: ExprKind::Bool(false),
            ty: Type::Scalar(Scalar::Bool),
            span: e.span(),
        };
        for id in unfinished {
            self.push(StmtKind::Assign(id, no.clone()), e.span());
        }
    }
}

/// The opposite of a condition.
fn negated(cond: Expr) -> Expr {
    let is_integer = |e: &Expr| matches!(e.ty, Type::Scalar(ty) if ty.is_integer());
    let opposite = |op, of: &Expr| match op {
        Binary::Eq => Some(Binary::Ne),
        Binary::Ne => Some(Binary::Eq),
        // Of floats that may be NaN these are no opposites.
        _ if !is_integer(of) => None,
        Binary::Lt => Some(Binary::Ge),
        Binary::Ge => Some(Binary::Lt),
        Binary::Gt => Some(Binary::Le),
        Binary::Le => Some(Binary::Gt),
        _ => None,
    };
    let (ty, span) = (cond.ty, cond.span);
    let kind = match cond.kind {
        ExprKind::Unary(Unary::Not, a) => return *a,
        ExprKind::Binary(op, a, b) => match opposite(op, &a) {
            Some(opposite) => ExprKind::Binary(opposite, a, b),
            None => not(ExprKind::Binary(op, a, b), ty, span),
        },
        kind => not(kind, ty, span),
    };
    Expr { kind, ty, span }
}

fn not(kind: ExprKind, ty: Type, span: Span) -> ExprKind {
    ExprKind::Unary(Unary::Not, Box::new(Expr { kind, ty, span }))
}

/// Whether a `continue` of the loop around is somewhere in an expression.
fn continues(e: &SynExpr) -> bool {
    let mut search = Search::default();
    search.visit_expr(e);
    search.found
}

fn block_continues(block: &Block) -> bool {
    let mut search = Search::default();
    search.visit_block(block);
    search.found
}

/// Whether every way through a block ends in `continue`.
fn always_continues(block: &Block) -> bool {
    let of = |stmt: &SynStmt| matches!(stmt, SynStmt::Expr(e, _) if always(e));
    block.stmts.iter().any(of)
}

fn always(e: &SynExpr) -> bool {
    match e {
        SynExpr::Continue(_) => true,
        SynExpr::Block(block) => always_continues(&block.block),
        SynExpr::If(choice) => always_continues(&choice.then_branch) && ends(choice),
        _ => false,
    }
}

/// Whether the `else` of an `if` always ends in `continue`.
fn ends(choice: &ExprIf) -> bool {
    choice
        .else_branch
        .as_ref()
        .is_some_and(|(_, other)| always(other))
}

#[derive(Default)]
struct Search {
    found: bool,
}

impl<'a> Visit<'a> for Search {
    fn visit_expr(&mut self, e: &'a SynExpr) {
        match e {
            SynExpr::Continue(_) => self.found = true,
            // Their own.
            SynExpr::ForLoop(_) | SynExpr::While(_) | SynExpr::Loop(_) | SynExpr::Closure(_) => {}
            e => syn::visit::visit_expr(self, e),
        }
    }
}

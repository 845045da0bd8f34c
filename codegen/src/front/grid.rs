//! The outline of a kernel: host code, then the grid.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Block, Expr as SynExpr, ExprForLoop, Pat, Stmt as SynStmt};

use super::call::word_call;
use super::lower::{Context, Lower, plain};
use super::scope::Binding;
use crate::ir::{Expr, ExprKind, Grid, LocalId, Scalar, Stmt, Type};

impl Lower<'_> {
    /// Host statements, the grid and its body.
    pub(super) fn grid(&mut self, block: &Block) -> (Vec<Stmt>, Grid, Vec<Stmt>) {
        if !block.stmts.iter().any(|stmt| grid_loop(stmt).is_some()) {
            return self.without_grid(block);
        }
        let mut grid = None;
        let mut host = Vec::new();
        for stmt in &block.stmts {
            match (&grid, grid_loop(stmt)) {
                (None, None) => self.stmt(stmt),
                (None, Some((for_loop, word))) => {
                    host = self.take_block();
                    self.host_locals = self.locals.len();
                    grid = Some(self.grid_loop(for_loop, word));
                }
                (Some(_), Some((for_loop, _))) => {
                    self.error(
                        for_loop.for_token.span(),
                        "a kernel has one grid; make this a second kernel",
                    );
                }
                (Some(_), None) => {
                    self.error(
                        stmt.span(),
                        "nothing runs after the grid; move this into the loop or before it",
                    );
                }
            }
        }
        let (grid, body) = grid.expect("one of the statements is the grid");
        (host, grid, body)
    }

    /// A kernel whose author forgot the grid, or put it inside something else.
    fn without_grid(&mut self, block: &Block) -> (Vec<Stmt>, Grid, Vec<Stmt>) {
        let (body, ()) = self.in_context(Context::Group, |lower| lower.stmts(&block.stmts));
        let mut nested = Nested::default();
        nested.visit_block(block);
        if !nested.grid {
            self.error(
                block.brace_token.span.open(),
                "a kernel has a grid: `for row in groups(rows) { .. }` or `for i in elements(n) { .. }`",
            );
        }
        let grid = Grid::Groups {
            indices: vec![],
            extents: vec![],
        };
        (vec![], grid, body)
    }

    fn grid_loop(&mut self, for_loop: &ExprForLoop, word: Word<'_>) -> (Grid, Vec<Stmt>) {
        self.no_label(for_loop);
        let mut extents: Vec<Expr> = word.extents.iter().map(|e| self.extent(e)).collect();
        if word.name == "elements" {
            let [extent] = extents.try_into().unwrap_or_else(|_| {
                [self.invalid(for_loop.expr.span(), "`elements(n)` takes the number of elements")]
            });
            let (body, index) = self.in_context(Context::Elements, |lower| {
                let index = lower.index(&for_loop.pat, Type::Scalar(Scalar::I64));
                lower.loop_stmts(&for_loop.body.stmts);
                index
            });
            return (Grid::Elements { index, extent }, body);
        }
        let pats: Vec<&Pat> = match &*for_loop.pat {
            Pat::Tuple(tuple) => tuple.elems.iter().collect(),
            pat => vec![pat],
        };
        if extents.is_empty() || extents.len() > 2 || pats.len() != extents.len() {
            let message = "write `for row in groups(rows)` or `for (row, head) in groups((rows, heads))`";
            let invalid = self.invalid(for_loop.expr.span(), message);
            extents = vec![invalid; pats.len()];
        }
        let (body, indices) = self.in_context(Context::Group, |lower| {
            let indices = pats
                .iter()
                .map(|pat| lower.index(pat, Type::Scalar(Scalar::I64)))
                .collect();
            lower.loop_stmts(&for_loop.body.stmts);
            indices
        });
        (Grid::Groups { indices, extents }, body)
    }

    /// The extent of a grid or of `lanes`: an `i64`.
    pub(super) fn extent(&mut self, e: &SynExpr) -> Expr {
        let extent = self.value(e);
        self.same(extent.ty, Type::Scalar(Scalar::I64), e.span());
        extent
    }

    /// Binds a loop index.
    pub(super) fn index(&mut self, pat: &Pat, ty: Type) -> LocalId {
        match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                let index = self.bind_local(&pat.ident, false, ty);
                if let Some(mutability) = &pat.mutability {
                    self.error(
                        mutability.span(),
                        "a loop index is not changed; bind a new name in the loop",
                    );
                    self.scopes.bind(plain(&pat.ident), Binding::Invalid);
                }
                index
            }
            Pat::Wild(wild) => {
                self.bind_local(&syn::Ident::new("index", wild.underscore_token.span), false, ty)
            }
            pat => {
                self.error(pat.span(), "a loop index is one name");
                self.bind_invalid(pat);
                self.bind_local(&syn::Ident::new("index", pat.span()), false, ty)
            }
        }
    }

    /// Refuses a loop label.
    pub(super) fn no_label(&mut self, for_loop: &ExprForLoop) {
        if let Some(label) = &for_loop.label {
            self.error(
                label.span(),
                "labels have no use here: the loops of a kernel always run to their end",
            );
        }
    }
}

/// Whether there is a grid somewhere inside.
#[derive(Default)]
struct Nested {
    grid: bool,
}

impl<'a> Visit<'a> for Nested {
    fn visit_expr_for_loop(&mut self, for_loop: &'a ExprForLoop) {
        self.grid |= grid_word(for_loop).is_some();
        syn::visit::visit_expr_for_loop(self, for_loop);
    }
}

/// `groups(..)` or `elements(..)`.
struct Word<'a> {
    name: String,
    extents: Vec<&'a SynExpr>,
}

fn grid_loop(stmt: &SynStmt) -> Option<(&ExprForLoop, Word<'_>)> {
    let SynStmt::Expr(SynExpr::ForLoop(for_loop), _) = stmt else {
        return None;
    };
    Some((for_loop, grid_word(for_loop)?))
}

fn grid_word(for_loop: &ExprForLoop) -> Option<Word<'_>> {
    let (name, args) = word_call(&for_loop.expr)?;
    if name != "groups" && name != "elements" {
        return None;
    }
    let extents = match args[..] {
        [SynExpr::Tuple(tuple)] => tuple.elems.iter().collect(),
        _ => args,
    };
    Some(Word { name, extents })
}

/// An expression that stands in where an error was reported.
pub(super) fn placeholder(span: Span) -> Expr {
    Expr {
        kind: ExprKind::Invalid,
        ty: Type::Opaque,
        span,
    }
}

//! Buffers that may be null are accessed only where they are not.

use super::known::Known;
use crate::diagnostics::Errors;
use crate::ir::{Binary, Expr, ExprKind, Kernel, Place, Stmt, StmtKind};

/// Checks the accesses that an instance comes to, in which it is known of each optional buffer whether it is given.
pub(crate) fn check(kernel: &Kernel, known: Known, errors: &mut Errors) {
    let mut walk = Walk {
        kernel,
        known,
        errors,
    };
    walk.block(&kernel.host);
    walk.block(&kernel.body);
}

struct Walk<'a> {
    kernel: &'a Kernel,
    known: Known,
    errors: &'a mut Errors,
}

impl Walk<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stmt.exprs(&mut |e| self.expr(e));
        match &stmt.kind {
            StmtKind::Let(id, init) => self.known.let_be(*id, init.as_ref()),
            StmtKind::If(cond, then, otherwise) => {
                let truth = self.known.truth(cond);
                if truth != Some(false) {
                    self.block(then);
                }
                if truth != Some(true) {
                    self.block(otherwise);
                }
            }
            _ => stmt.blocks().into_iter().for_each(|inner| self.block(inner)),
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Select(cond, a, b) => {
                self.expr(cond);
                let truth = self.known.truth(cond);
                if truth != Some(false) {
                    self.expr(a);
                }
                if truth != Some(true) {
                    self.expr(b);
                }
            }
            ExprKind::Binary(op, a, b) if op.is_lazy() => {
                self.expr(a);
                let skips = *op == Binary::Or;
                if self.known.truth(a) != Some(skips) {
                    self.expr(b);
                }
            }
            _ => e.children(&mut |child| self.expr(child)),
        }
        if let ExprKind::Load(place, _) = e.kind {
            self.load(place, e);
        }
    }

    fn load(&mut self, place: Place, e: &Expr) {
        let buffers = self.kernel.buffers_of(place);
        let Some(id) = buffers.into_iter().find(|id| self.known.is_absent(*id)) else {
            return;
        };
        let name = &self.kernel.params[id].name;
        self.errors.at(
            e.span,
            format_args!("`{name}` may be null here; load it under `if !{name}.is_empty()`"),
        );
    }
}

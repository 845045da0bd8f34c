//! Reductions: each becomes a statement, before what reads it.

use super::{Lowering, scalar};
use crate::ir::{Expr, ExprKind, LocalId, Reduce, Scalar, Stmt, StmtKind, walk};
use crate::program;

/// What is combined already and still holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Reductions {
    /// The operator, the accumulator in the kernel, and the variable of the program with the result.
    known: Vec<(Reduce, LocalId, LocalId)>,
}

impl Reductions {
    /// The variable that a reduction's result is in.
    pub(super) fn result(&self, operator: Reduce, part: LocalId) -> LocalId {
        self.find(operator, part)
            .expect("reductions come before the statement that they are in")
    }

    fn find(&self, operator: Reduce, part: LocalId) -> Option<LocalId> {
        let found = self.known.iter().find(|(o, p, _)| (*o, *p) == (operator, part));
        found.map(|(.., into)| *into)
    }

    /// Forgets what combines accumulators that a statement, or one inside it, changes.
    pub(super) fn forget_changed(&mut self, stmt: &Stmt) {
        walk(std::slice::from_ref(stmt), &mut |stmt| {
            if let StmtKind::Let(id, _) | StmtKind::Assign(id, _) | StmtKind::Update(id, ..) = stmt.kind {
                self.known.retain(|(_, part, _)| *part != id);
            }
        });
    }
}

impl Lowering<'_> {
    /// Combines what a statement's own expressions need: all work-items take part in it, whatever the statement does
    /// then. Gives whether that is all that the statement does.
    pub(super) fn reduce(&mut self, stmt: &Stmt, out: &mut Vec<program::Stmt>) -> bool {
        if let StmtKind::Let(id, Some(init)) = &stmt.kind
            && let ExprKind::Reduce(..) = init.kind
        {
            let (operator, part) = reduced(init);
            let into = self.declare(*id);
            self.combine(operator, part, into, out);
            if !self.source[*id].mutable {
                self.reductions.known.push((operator, part, into));
            }
            return true;
        }
        for (operator, part) in reductions(stmt) {
            if self.reductions.find(operator, part).is_none() {
                let ty = scalar(self.source[part].ty);
                let into = self.made(operator.word().trim_start_matches("group_"), ty);
                self.combine(operator, part, into, out);
                self.reductions.known.push((operator, part, into));
            }
        }
        false
    }

    fn combine(&self, operator: Reduce, part: LocalId, into: LocalId, out: &mut Vec<program::Stmt>) {
        out.push(program::Stmt::Reduce {
            into,
            operator,
            part: self.local_of[part],
            nan: matches!(operator, Reduce::Max | Reduce::Min)
                && scalar(self.source[part].ty) == Scalar::F32
                && !starts_at_number(&self.kernel.body, part),
        });
    }
}

/// Whether an accumulator starts at a literal that is a number: a maximum or minimum with another number stays one.
fn starts_at_number(block: &[Stmt], part: LocalId) -> bool {
    fn is_number(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Float(value) => !value.is_nan(),
            ExprKind::Int(_) => true,
            ExprKind::Unary(_, a) => is_number(a),
            _ => false,
        }
    }
    let mut number = false;
    walk(block, &mut |stmt| {
        if let StmtKind::Let(id, Some(init)) = &stmt.kind
            && *id == part
        {
            number = is_number(init);
        }
    });
    number
}

/// The reductions in a statement's own expressions, in order.
fn reductions(stmt: &Stmt) -> Vec<(Reduce, LocalId)> {
    let mut found = Vec::new();
    stmt.exprs(&mut |e| {
        e.walk(&mut |e| {
            if let ExprKind::Reduce(..) = e.kind {
                found.push(reduced(e));
            }
        });
    });
    found
}

/// A reduction and the variable whose parts it combines; the checks let nothing else be reduced.
pub(super) fn reduced(e: &Expr) -> (Reduce, LocalId) {
    match &e.kind {
        ExprKind::Reduce(operator, part) => match part.kind {
            ExprKind::Local(id) => (*operator, id),
            _ => unreachable!("only accumulators are reduced"),
        },
        _ => unreachable!("only reductions are reduced"),
    }
}

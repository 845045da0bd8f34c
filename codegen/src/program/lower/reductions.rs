//! Reductions: each becomes a statement, before what reads it.

use super::{Lowering, scalar};
use crate::ir::{Binary, Expr, ExprKind, LocalId, Reduce, Scalar, Stmt, StmtKind, walk};
use crate::program;

/// What work-items combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combined {
    /// Their parts, by an operator.
    Parts(Reduce, LocalId),
    /// The places, in the last variable, of the largest or smallest of their parts.
    Places(Reduce, LocalId, LocalId),
}

impl Combined {
    /// Of an expression, if it is one; the checks let nothing but variables be combined.
    fn of(e: &Expr) -> Option<Combined> {
        let local = |e: &Expr| match e.kind {
            ExprKind::Local(id) => id,
            _ => unreachable!("only variables are combined"),
        };
        match &e.kind {
            ExprKind::Reduce(operator, part) => Some(Combined::Parts(*operator, local(part))),
            ExprKind::ReducePlace(operator, part, place) => {
                Some(Combined::Places(*operator, local(part), local(place)))
            }
            _ => None,
        }
    }

    /// The word that the author wrote for it.
    fn word(self) -> &'static str {
        match self {
            Combined::Parts(operator, _) => operator.word(),
            Combined::Places(operator, ..) => operator.place_word().unwrap_or_default(),
        }
    }

    fn combines(self, id: LocalId) -> bool {
        match self {
            Combined::Parts(_, part) => part == id,
            Combined::Places(_, part, place) => part == id || place == id,
        }
    }
}

/// What is combined already and still holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Reductions {
    /// With the variable of the program that has the result.
    known: Vec<(Combined, LocalId)>,
}

impl Reductions {
    /// The variable that the result is in.
    fn result(&self, e: &Expr) -> LocalId {
        Combined::of(e)
            .and_then(|combined| self.find(combined))
            .expect("reductions come before the statement that they are in")
    }

    fn find(&self, combined: Combined) -> Option<LocalId> {
        let found = self.known.iter().find(|(known, _)| *known == combined);
        found.map(|(_, into)| *into)
    }

    /// Forgets what combines accumulators that a statement, or one inside it, changes.
    pub(super) fn forget_changed(&mut self, stmt: &Stmt) {
        walk(std::slice::from_ref(stmt), &mut |stmt| {
            if let StmtKind::Let(id, _) | StmtKind::Assign(id, _) | StmtKind::Update(id, ..) = stmt.kind {
                self.known.retain(|(combined, _)| !combined.combines(id));
            }
        });
    }
}

impl Lowering<'_> {
    /// Combines what a statement's own expressions need: all work-items take part in it, whatever the statement does
    /// then. Gives whether that is all that the statement does.
    pub(super) fn reduce(&mut self, stmt: &Stmt, out: &mut Vec<program::Stmt>) -> bool {
        if let StmtKind::Let(id, Some(init)) = &stmt.kind
            && let Some(combined) = self.combined_of(init)
        {
            self.combine_into(combined, *id, out);
            return true;
        }
        for combined in self.combined_in(stmt) {
            self.combined(combined, out);
        }
        false
    }

    /// What an expression combines. A running sum is one number already.
    fn combined_of(&self, e: &Expr) -> Option<Combined> {
        Combined::of(e).filter(|combined| match combined {
            Combined::Parts(_, part) => !self.running.contains_key(part),
            Combined::Places(..) => true,
        })
    }

    /// What a statement's own expressions combine, in order.
    fn combined_in(&self, stmt: &Stmt) -> Vec<Combined> {
        let mut found = Vec::new();
        stmt.exprs(&mut |e| e.walk(&mut |e| found.extend(self.combined_of(e))));
        found
    }

    /// The variable with what an expression combines.
    pub(super) fn reduced(&self, e: &Expr) -> LocalId {
        match Combined::of(e) {
            Some(Combined::Parts(_, part)) if self.running.contains_key(&part) => self.local_of[part],
            _ => self.reductions.result(e),
        }
    }

    /// Combines into a variable of the author's.
    fn combine_into(&mut self, combined: Combined, id: LocalId, out: &mut Vec<program::Stmt>) {
        let best = self.best(combined, out);
        let into = self.declare(id);
        self.combine(combined, best, into, out);
        if !self.source[id].mutable {
            self.reductions.known.push((combined, into));
        }
    }

    /// The variable with the result, which is combined where it is not known.
    fn combined(&mut self, combined: Combined, out: &mut Vec<program::Stmt>) -> LocalId {
        if let Some(known) = self.reductions.find(combined) {
            return known;
        }
        let best = self.best(combined, out);
        let ty = match combined {
            Combined::Parts(_, part) => scalar(self.source[part].ty),
            Combined::Places(..) => Scalar::I64,
        };
        let into = self.made(combined.word().trim_start_matches("group_"), ty);
        self.combine(combined, best, into, out);
        self.reductions.known.push((combined, into));
        into
    }

    /// The largest or smallest of all parts, before its place is looked for.
    fn best(&mut self, combined: Combined, out: &mut Vec<program::Stmt>) -> Option<LocalId> {
        match combined {
            Combined::Parts(..) => None,
            Combined::Places(operator, part, _) => Some(self.combined(Combined::Parts(operator, part), out)),
        }
    }

    fn combine(
        &mut self,
        combined: Combined,
        best: Option<LocalId>,
        into: LocalId,
        out: &mut Vec<program::Stmt>,
    ) {
        match (combined, best) {
            (Combined::Places(operator, part, place), Some(best)) => {
                let part = self.candidate(operator, part, place, best, out);
                out.push(program::Stmt::Reduce {
                    into,
                    operator: Reduce::Min,
                    part,
                    nan: false,
                });
            }
            (Combined::Parts(operator, part) | Combined::Places(operator, part, _), _) => {
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
    }

    /// A work-item's place, if its part is the best of all, else one behind all others. A part that is NaN is that of all
    /// work-items, which have found nothing then.
    fn candidate(
        &mut self,
        operator: Reduce,
        part: LocalId,
        place: LocalId,
        best: LocalId,
        out: &mut Vec<program::Stmt>,
    ) -> LocalId {
        let ty = scalar(self.source[part].ty);
        let variable = |id, ty| {
            Box::new(program::Expr {
                kind: program::ExprKind::Local(id),
                ty,
            })
        };
        let worse = if operator == Reduce::Max {
            Binary::Lt
        } else {
            Binary::Gt
        };
        let is_worse = program::Expr {
            kind: program::ExprKind::Binary(worse, variable(self.local_of[part], ty), variable(best, ty)),
            ty: Scalar::Bool,
        };
        let place = variable(self.local_of[place], Scalar::I64);
        let none = Box::new(program::Expr::int(i64::MAX.into()));
        let value = program::ExprKind::Select(Box::new(is_worse), none, place);
        let candidate = self.made("candidate", Scalar::I64);
        out.push(program::Stmt::Let(candidate, Some(program::Expr::index(value))));
        candidate
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

//! Loops over lanes with running sums: each work-item has one lane in a round, and all of them meet where these are added up.

use std::collections::BTreeSet;

use super::{Lowering, scalar};
use crate::ir::{self, Binary, LocalId, Scalar, Scan, StmtKind, Unary, walk, walk_exprs};
use crate::program::{End, Expr, ExprKind, If, Loop, LoopKind, Stmt};

impl Lowering<'_> {
    /// A loop in which all work-items of a row do every round.
    pub(super) fn chunks(&mut self, index: LocalId, bound: &Expr, body: &[ir::Stmt]) -> Stmt {
        let first = self.made("first", Scalar::I64);
        let own = self.declare(index);
        let variable = |id| Expr::index(ExprKind::Local(id));
        let lane = Expr::arithmetic(Binary::Add, variable(first), variable(self.lane));
        let is_lane = Expr {
            kind: ExprKind::Binary(Binary::Lt, Box::new(variable(own)), Box::new(bound.clone())),
            ty: Scalar::Bool,
        };
        let mut out = vec![Stmt::Let(own, Some(lane))];
        // What is bound right before an addition reads the sum behind it, without the term.
        let mut bound_before: &[ir::Stmt] = &[];
        let mut begin = 0;
        for scan in ir::scans(body) {
            let end = scan.at - usize::from(scan.exclusive);
            let block = bound_before.iter().chain(&body[begin..end]);
            let mut work = self.work(block, &body[end..], &mut out);
            let (term, value) = self.term(&scan);
            out.push(Stmt::Let(term, Some(zero(value.ty))));
            work.push(Stmt::Assign(term, value));
            out.push(only(&is_lane, work));
            out.push(self.scan(&scan, term));
            bound_before = &body[end..scan.at];
            begin = scan.at + 1;
        }
        let work = self.work(bound_before.iter().chain(&body[begin..]), &[], &mut out);
        if !work.is_empty() {
            out.push(only(&is_lane, work));
        }
        Stmt::Loop(Loop {
            kind: LoopKind::Chunks,
            index: first,
            start: Expr::int(0),
            end: End::Below(bound.clone()),
            step: variable(self.lanes),
            body: out,
        })
    }

    /// What a lane does up to where work-items meet. Variables that it needs behind that are declared outside.
    fn work<'s>(
        &mut self,
        block: impl Iterator<Item = &'s ir::Stmt>,
        behind: &[ir::Stmt],
        outside: &mut Vec<Stmt>,
    ) -> Vec<Stmt> {
        let needed = used(behind);
        let mut work = Vec::new();
        for stmt in block {
            match &stmt.kind {
                StmtKind::Let(id, init) if needed.contains(id) => {
                    let init = init.as_ref().map(|init| self.value(init));
                    let variable = self.declare(*id);
                    self.locals[variable].mutable = true;
                    outside.push(Stmt::Let(variable, Some(zero(self.locals[variable].ty))));
                    work.extend(init.map(|init| Stmt::Assign(variable, init)));
                }
                _ => self.stmt(stmt, &mut work),
            }
        }
        work
    }

    /// A variable for what a lane adds to a running sum, and the value.
    fn term(&mut self, scan: &Scan<'_>) -> (LocalId, Expr) {
        let ty = self.source[scan.sum].ty;
        let term = match scan.negative {
            false => scan.term.clone(),
            true => ir::Expr {
                kind: ir::ExprKind::Unary(Unary::Neg, Box::new(scan.term.clone())),
                ty,
                span: scan.term.span,
            },
        };
        let variable = self.made("term", scalar(ty));
        self.locals[variable].mutable = true;
        (variable, self.value(&term))
    }

    fn scan(&mut self, scan: &Scan<'_>, term: LocalId) -> Stmt {
        let into = self.made("scan", scalar(self.source[scan.sum].ty));
        self.running.insert(scan.sum, Some(into));
        Stmt::Scan {
            into,
            term,
            sum: self.local_of[scan.sum],
            exclusive: scan.exclusive,
        }
    }

    /// The variable with what an expression reads of a running sum.
    pub(super) fn running(&self, sum: &ir::Expr) -> LocalId {
        let id = match sum.kind {
            ir::ExprKind::Local(id) => id,
            _ => unreachable!("running sums are variables"),
        };
        let running = self.running.get(&id).copied().flatten();
        running.expect("a running sum is added up before it is read")
    }
}

/// What only work-items with a lane do.
fn only(is_lane: &Expr, then: Vec<Stmt>) -> Stmt {
    Stmt::If(If {
        condition: is_lane.clone(),
        constant: false,
        then,
        otherwise: Vec::new(),
    })
}

fn zero(ty: Scalar) -> Expr {
    let kind = match ty {
        Scalar::F32 => ExprKind::Float(0.0),
        Scalar::Bool => ExprKind::Bool(false),
        _ => ExprKind::Int(0),
    };
    Expr { kind, ty }
}

/// The variables that a block reads or assigns.
fn used(block: &[ir::Stmt]) -> BTreeSet<LocalId> {
    let mut used = BTreeSet::new();
    walk_exprs(block, &mut |e| {
        if let ir::ExprKind::Local(id) = e.kind {
            used.insert(id);
        }
    });
    walk(block, &mut |stmt| {
        if let StmtKind::Assign(id, _) | StmtKind::Update(id, ..) = stmt.kind {
            used.insert(id);
        }
    });
    used
}

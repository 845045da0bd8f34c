//! Rule 4: where a row's work-items must wait for each other, and the order that aliased buffers need.

use std::collections::BTreeSet;

use super::access::{Access, Actor, Collector};
use super::footprint;
use super::known::{Around, Known};
use super::overlap::{disjoint, same_work_item};
use super::poly::Poly;
use crate::diagnostics::Errors;
use crate::ir::{Expr, For, Grid, Kernel, LocalId, Stmt, StmtId, StmtKind};

/// Statements before which the work-items of a row meet at a barrier.
pub(crate) type Barriers = BTreeSet<StmtId>;

/// Walks the phases of a kernel: each `lanes` loop, and each access of the group.
pub(crate) fn check(kernel: &Kernel, collector: Collector, errors: &mut Errors) -> Barriers {
    let mut order = Order {
        kernel,
        collector,
        pending: vec![],
        stored: vec![],
        barriers: Barriers::new(),
        errors,
    };
    match kernel.grid {
        Grid::Groups { .. } => order.block(&kernel.body),
        Grid::Elements { .. } => {
            let mut accesses = Vec::new();
            order.collector.block(&kernel.body, &mut accesses);
            footprint::check(kernel, &accesses, order.errors);
            order.aliases(&accesses);
        }
    }
    order.barriers
}

struct Order<'a> {
    kernel: &'a Kernel,
    collector: Collector,
    /// Accesses since the last barrier.
    pending: Vec<Access>,
    /// Stores since the group began.
    stored: Vec<Access>,
    barriers: Barriers,
    errors: &'a mut Errors,
}

impl Order<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if stmt.is_invalid() {
            return;
        }
        let mut accesses = Vec::new();
        match &stmt.kind {
            StmtKind::Lanes(_) => {
                self.collector.stmt(stmt, &mut accesses);
                footprint::check(self.kernel, &accesses, self.errors);
                self.phase(stmt.id, accesses);
            }
            StmtKind::If(cond, then, otherwise) => {
                self.collector.own(stmt, &mut accesses);
                self.phase(stmt.id, accesses);
                let before = self.pending.clone();
                self.branch(cond, true, then);
                let after_then = std::mem::replace(&mut self.pending, before);
                self.branch(cond, false, otherwise);
                self.also_pending(after_then);
            }
            StmtKind::For(f) => {
                self.collector.own(stmt, &mut accesses);
                self.phase(stmt.id, accesses);
                self.rounds(f);
            }
            _ => {
                self.collector.own(stmt, &mut accesses);
                self.phase(stmt.id, accesses);
            }
        }
    }

    /// What is done only where a condition is true, or only where it is false.
    fn branch(&mut self, cond: &Expr, truth: bool, block: &[Stmt]) {
        if self.collector.known.truth(cond) != Some(!truth) {
            let outer = self.collector.known.assume(cond, truth);
            self.block(block);
            self.collector.known.holds = outer;
        }
    }

    /// A sequential loop: some round, then one of those that follow it, so that every two rounds meet.
    fn rounds(&mut self, f: &For) {
        let known = &mut self.collector.known;
        let (start, end) = (known.poly(&f.start), known.past(f));
        let runs = end.minus(&start).minus(&Poly::constant(1)).is_nonnegative();
        let before = self.pending.clone();
        known.enter(Around::Rounds(f.index), &start, &end);
        self.block(&f.body);
        let known = &mut self.collector.known;
        let later = known.rounds().plus(&Poly::constant(1));
        self.put(f.index, &Poly::local(f.index).minus(&later));
        self.block(&f.body);
        let last = self.collector.known.rounds();
        self.put(f.index, &last);
        self.collector.known.leave();
        if !runs {
            self.also_pending(before);
        }
    }

    /// Puts `value` for the index of a loop in all accesses so far.
    fn put(&mut self, index: LocalId, value: &Poly) {
        for access in self.pending.iter_mut().chain(&mut self.stored) {
            access.put(index, value, &self.collector.known);
        }
    }

    /// Adds accesses that may have happened since the last barrier.
    fn also_pending(&mut self, accesses: Vec<Access>) {
        for access in accesses {
            if !self.pending.iter().any(|known| known.covers(&access)) {
                self.pending.push(access);
            }
        }
    }

    fn phase(&mut self, before: StmtId, accesses: Vec<Access>) {
        let meets = |a: &Access, b: &Access| {
            (a.write || b.write)
                && self.kernel.may_alias(a.buffer, b.buffer)
                && !same_work_item(a, b)
                && !disjoint(a, b)
        };
        let waits = self.barriers.contains(&before)
            || accesses.iter().any(|a| self.pending.iter().any(|b| meets(a, b)));
        if waits {
            self.barriers.insert(before);
            self.pending.clear();
        }
        self.aliases(&accesses);
        self.also_pending(accesses);
    }

    /// A kernel gives the same whether buffers that may be one are one or two: no load comes after a store to its element.
    fn aliases(&mut self, accesses: &[Access]) {
        for access in accesses {
            if access.write {
                self.stored.push(access.clone());
            } else {
                self.stored_before(access);
            }
        }
        self.stored_in_earlier_rounds(accesses);
    }

    fn stored_before(&mut self, load: &Access) {
        let clash = self.stored.iter().find(|store| {
            store.buffer != load.buffer
                && self.kernel.may_alias(store.buffer, load.buffer)
                && !disjoint(store, load)
        });
        if let Some(store) = clash {
            let name = self.kernel.place_name(load.place);
            let stored = &self.kernel.params[store.buffer].name;
            self.errors.at(load.span, format_args!("`{name}` may be the same buffer as `{stored}`, which is stored to before this load; load first, or take the alias away"));
        }
    }

    /// A loop inside a lane comes back to its loads after its stores.
    fn stored_in_earlier_rounds(&mut self, accesses: &[Access]) {
        for load in accesses.iter().filter(|a| !a.write && !a.repeats.is_empty()) {
            let again = accesses.iter().any(|store| {
                store.write
                    && store.buffer != load.buffer
                    && self.kernel.may_alias(store.buffer, load.buffer)
                    && comes_back(store, load, &self.collector.known)
            });
            if again {
                let name = self.kernel.place_name(load.place);
                self.errors.at(load.span, format_args!("`{name}` may be the same buffer as one that an earlier round of this loop stores to; take the alias away"));
            }
        }
    }
}

/// Whether a later round of a loop around both may load what an earlier one stored, in one work-item.
fn comes_back(store: &Access, load: &Access, known: &Known) -> bool {
    let common = store
        .repeats
        .iter()
        .zip(&load.repeats)
        .take_while(|(a, b)| a == b);
    let loops: Vec<LocalId> = common.map(|(repeat, _)| repeat.index).collect();
    loops.iter().enumerate().any(|(at, index)| {
        let inside = |access: &Access| Access {
            repeats: access.repeats[at + 1..].to_vec(),
            actor: Actor::Group,
            ..access.clone()
        };
        let (mut earlier, later) = (inside(store), inside(load));
        let rounds = known.rounds().plus(&Poly::constant(1));
        earlier.put(*index, &Poly::local(*index).minus(&rounds), known);
        !disjoint(&earlier, &later)
    })
}

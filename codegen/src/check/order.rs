//! Rule 4: where a row's work-items must wait for each other, and the order that aliased buffers need.

use std::collections::BTreeSet;

use super::access::{Access, Collector};
use super::footprint;
use super::overlap::{disjoint, same_work_item};
use super::poly::{Atom, Poly};
use crate::diagnostics::Errors;
use crate::ir::{Grid, Kernel, Stmt, StmtId, StmtKind};

/// Statements before which the work-items of a row meet at a barrier.
pub(crate) type Barriers = BTreeSet<StmtId>;

/// Walks the phases of a kernel: each `lanes` loop, and each access of the group.
pub(crate) fn check(kernel: &Kernel, collector: Collector<'_>, errors: &mut Errors) -> Barriers {
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
    collector: Collector<'a>,
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
                let truth = self.collector.known.truth(cond);
                let before = self.pending.clone();
                if truth != Some(false) {
                    self.block(then);
                }
                let after_then = std::mem::replace(&mut self.pending, before);
                if truth != Some(true) {
                    self.block(otherwise);
                }
                self.pending.extend(after_then);
            }
            StmtKind::For(f) => {
                self.collector.own(stmt, &mut accesses);
                self.phase(stmt.id, accesses);
                self.block(&f.body);
                // Once more, for what meets from one round to the next.
                let earlier = Poly::atom(Atom::Opaque(format!("earlier {}", stmt.id), BTreeSet::new()));
                for access in self.pending.iter_mut().chain(&mut self.stored) {
                    access.index = access
                        .index
                        .substitute(f.index, &earlier)
                        .unwrap_or_else(|| earlier.clone());
                }
                self.block(&f.body);
            }
            _ => {
                self.collector.own(stmt, &mut accesses);
                self.phase(stmt.id, accesses);
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
        if accesses.iter().any(|a| self.pending.iter().any(|b| meets(a, b))) {
            self.barriers.insert(before);
            self.pending.clear();
        }
        self.aliases(&accesses);
        self.pending.extend(accesses);
    }

    /// A load from a buffer that may be the same as one already stored to would see the new value in place only.
    fn aliases(&mut self, accesses: &[Access]) {
        for access in accesses {
            let name = self.kernel.place_name(access.place);
            let clash = self.stored.iter().find(|store| {
                store.buffer != access.buffer
                    && self.kernel.may_alias(store.buffer, access.buffer)
                    && !disjoint(store, access)
            });
            match clash {
                Some(store) if !access.write => {
                    let stored = &self.kernel.params[store.buffer].name;
                    self.errors.at(access.span, format_args!("`{name}` may be the same buffer as `{stored}`, which is stored to before this load; load first, or take the alias away"));
                }
                _ => {}
            }
            if access.write {
                self.stored.push(access.clone());
            }
        }
        // A loop inside a lane comes back to its loads after its stores.
        for load in accesses.iter().filter(|a| !a.write && !a.repeats.is_empty()) {
            let again = accesses.iter().any(|store| {
                store.write
                    && store.buffer != load.buffer
                    && self.kernel.may_alias(store.buffer, load.buffer)
                    && store.repeats.first() == load.repeats.first()
                    && !disjoint(store, load)
            });
            if again {
                let name = self.kernel.place_name(load.place);
                self.errors.at(load.span, format_args!("`{name}` may be the same buffer as one that an earlier round of this loop stores to; take the alias away"));
            }
        }
    }
}

//! Rule 2 for running sums: where all work-items of a row take part in a sum up to each lane.

use std::collections::{BTreeMap, BTreeSet};

use super::accumulator::{Accumulators, declared};
use crate::diagnostics::Errors;
use crate::ir::{
    Expr, ExprKind, Kernel, Lanes, LocalId, Place, Reduce, RowId, SCAN_SUM, Scan, Stmt, StmtId, StmtKind,
    reads, scans, walk, walk_exprs,
};

/// Checks the running sums of a kernel.
pub(super) fn check(kernel: &Kernel, gathered: &Accumulators, errors: &mut Errors) {
    let mut loops = BTreeMap::new();
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            let mut checked = Loop {
                kernel,
                lanes,
                gathered,
                errors,
            };
            for sum in checked.sums() {
                checked.sum(sum);
                loops.entry(sum).or_insert(stmt.id);
            }
            checked.rows();
        }
    });
    one_loop(kernel, &loops, errors);
}

/// What has been added up so far is one number, to which lanes add in one loop alone.
fn one_loop(kernel: &Kernel, loops: &BTreeMap<LocalId, StmtId>, errors: &mut Errors) {
    walk(&kernel.body, &mut |stmt| {
        let StmtKind::Lanes(lanes) = &stmt.kind else {
            return;
        };
        walk(&lanes.body, &mut |inner| {
            let StmtKind::Update(id, ..) = inner.kind else {
                return;
            };
            if loops.get(&id).is_some_and(|own| *own != stmt.id) {
                let name = &kernel.locals[id].name;
                errors.at(inner.span, format_args!("`{name}` is added up by the loop with `{SCAN_SUM}({name})` alone; add to a second variable here"));
            }
        });
    });
}

struct Loop<'a> {
    kernel: &'a Kernel,
    lanes: &'a Lanes,
    gathered: &'a Accumulators,
    errors: &'a mut Errors,
}

impl Loop<'_> {
    /// The running sums that the loop reads. Of anything else there is none.
    fn sums(&mut self) -> Vec<LocalId> {
        let inside = declared(&self.lanes.body);
        let mut sums = BTreeSet::new();
        walk_exprs(&self.lanes.body, &mut |e| {
            let ExprKind::ScanSum(sum) = &e.kind else { return };
            match sum.kind {
                ExprKind::Invalid => {}
                ExprKind::Local(id) if !inside.contains(&id) && self.gathered.get(&id) == Some(&Reduce::Sum) => {
                    sums.insert(id);
                }
                _ => self.errors.at(sum.span, format_args!("`{SCAN_SUM}` gives the sum of what lanes have added so far to a variable from outside the loop: `sum += ..; .. {SCAN_SUM}(sum)`")),
            }
        });
        sums.into_iter().collect()
    }

    /// One addition, in which all lanes take part, and reads behind it or right before it.
    fn sum(&mut self, sum: LocalId) {
        let name = self.kernel.locals[sum].name.clone();
        let body = &self.lanes.body;
        let mut additions = Vec::new();
        walk(body, &mut |stmt| {
            if matches!(stmt.kind, StmtKind::Update(id, ..) if id == sum) {
                additions.push(stmt);
            }
        });
        if let [_, second, ..] = additions[..] {
            return self.errors.at(second.span, format_args!("all lanes add to a running sum at once, so that there is one `{name} += ..`; add up the terms of a lane before it"));
        }
        let scan = scans(body).into_iter().find(|scan| scan.sum == sum);
        match (scan, additions.first()) {
            (Some(scan), _) => self.reads(&scan, &name),
            (None, Some(addition)) => self.errors.at(addition.span, format_args!("all lanes take part in a running sum, so that `{name} += ..` stands in no `if` and no other loop; a lane that has nothing to add adds 0")),
            (None, None) => self.nothing_added(sum, &name),
        }
    }

    fn nothing_added(&mut self, sum: LocalId, name: &str) {
        walk_exprs(&self.lanes.body, &mut |e| {
            if is_scan_of(e, sum) {
                self.errors.at(e.span, format_args!("no lane of this loop adds to `{name}`; `{SCAN_SUM}({name})` stands in the loop with `{name} += ..`"));
            }
        });
    }

    fn reads(&mut self, scan: &Scan<'_>, name: &str) {
        let bound = match &self.lanes.body[scan.at.saturating_sub(1)].kind {
            StmtKind::Let(id, _) if scan.exclusive => Some(*id),
            _ => None,
        };
        if bound.is_some_and(|id| reads(scan.term, id)) {
            self.errors.at(scan.term.span, format_args!("this term depends on the sum of the lanes before, which wait for it; lanes run at the same time"));
        }
        for (at, stmt) in self.lanes.body.iter().enumerate() {
            let before = scan.exclusive && at + 1 == scan.at;
            let behind = !scan.exclusive && at > scan.at;
            if before || behind {
                continue;
            }
            walk_exprs(std::slice::from_ref(stmt), &mut |e| {
                if is_scan_of(e, scan.sum) {
                    self.errors.at(e.span, format_args!("a running sum is read behind `{name} += ..`, with the lane's own term, or without it by one `let before = {SCAN_SUM}({name});` right before it"));
                }
            });
        }
    }

    /// Where work-items meet, nothing of a lane but its variables goes on.
    fn rows(&mut self) {
        let body = &self.lanes.body;
        for scan in scans(body) {
            let end = scan.at - usize::from(scan.exclusive);
            let bound = |stmt: &Stmt| match stmt.kind {
                StmtKind::Row(id, _) => Some((id, stmt.span)),
                _ => None,
            };
            for (row, span) in body[..end].iter().filter_map(bound) {
                if uses_row(&body[end + 1..], row) {
                    let (row, sum) = (&self.kernel.rows[row].name, &self.kernel.locals[scan.sum].name);
                    self.errors.at(span, format_args!("`{row}` is used behind `{sum} += ..`, where the work-items of the row meet; bind it there"));
                }
            }
        }
    }
}

fn is_scan_of(e: &Expr, sum: LocalId) -> bool {
    matches!(&e.kind, ExprKind::ScanSum(part) if matches!(part.kind, ExprKind::Local(id) if id == sum))
}

fn uses_row(block: &[Stmt], row: RowId) -> bool {
    let mut uses = false;
    walk_exprs(block, &mut |e| {
        uses |= matches!(e.kind, ExprKind::Load(Place::Row(id), _) if id == row);
    });
    walk(block, &mut |stmt| {
        uses |= matches!(stmt.kind, StmtKind::Store(Place::Row(id), ..) if id == row);
    });
    uses
}

//! Which work-items share a row, and whether they depend on each other.

use crate::ir::{Expr, ExprKind, Grid, Kernel, StmtKind, scanned, walk, walk_exprs};

/// How rows are dealt to work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dealing {
    /// The work-items of a row combine what they have, or wait for each other: a row is one work-group's.
    Together,
    /// Each work-item does its lanes for itself: a work-group may have several rows.
    Apart,
    /// And nothing is done for a row as a whole: several work-groups may share one. The only row of `elements` is such.
    Split,
}

impl Dealing {
    /// Of a checked kernel, whose loops over lanes have these extents.
    pub(super) fn of(kernel: &Kernel, extents: &[&Expr]) -> Dealing {
        if let Grid::Elements { .. } = kernel.grid {
            return Dealing::Split;
        }
        if !kernel.barriers.is_empty() || combines(kernel) {
            return Dealing::Together;
        }
        match extents {
            [_] if !stores_by_row(kernel) => Dealing::Split,
            _ => Dealing::Apart,
        }
    }
}

/// Whether work-items combine their parts.
fn combines(kernel: &Kernel) -> bool {
    let mut combines = !scanned(&kernel.body).is_empty();
    walk_exprs(&kernel.body, &mut |e| {
        combines |= matches!(e.kind, ExprKind::Reduce(..) | ExprKind::ReducePlace(..));
    });
    combines
}

/// Whether something is stored outside the loops over lanes, which one work-item does for the row.
fn stores_by_row(kernel: &Kernel) -> bool {
    let stores = |block: &[_]| {
        let mut stores = 0;
        walk(block, &mut |stmt| {
            stores += usize::from(matches!(stmt.kind, StmtKind::Store(..)))
        });
        stores
    };
    let mut inside = 0;
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            inside += stores(&lanes.body);
        }
    });
    stores(&kernel.body) > inside
}

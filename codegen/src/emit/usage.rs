//! What of a kernel's parameters and host variables its body needs.

use std::collections::BTreeSet;

use crate::ir::{Expr, ExprKind, Grid, Kernel, LocalId, ParamId, Place, Stmt, StmtKind, walk, walk_exprs};

/// Parameters and host variables that the functor carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    pub(super) params: BTreeSet<ParamId>,
    pub(super) locals: BTreeSet<LocalId>,
    /// Optional buffers that it asks for.
    pub(super) asked: BTreeSet<ParamId>,
}

impl Usage {
    /// Of the grid and its body.
    pub(super) fn of_body(kernel: &Kernel) -> Usage {
        let mut usage = Usage::default();
        let host: BTreeSet<LocalId> = kernel
            .host
            .iter()
            .filter_map(|stmt| match stmt.kind {
                StmtKind::Let(id, _) => Some(id),
                _ => None,
            })
            .collect();
        walk_exprs(&kernel.body, &mut |e| usage.look(e));
        walk(&kernel.body, &mut |stmt| match &stmt.kind {
            StmtKind::Row(id) => {
                let start = &kernel.rows[*id].start;
                usage
                    .params
                    .extend(start.places().into_iter().map(|(buffer, _)| buffer));
                start.exprs(&mut |e| e.walk(&mut |e| usage.look(e)));
            }
            StmtKind::Store(place, ..) => usage.place(*place),
            _ => {}
        });
        for (_, extent) in kernel.grid.axes() {
            extent.walk(&mut |e| usage.look(e));
        }
        usage.locals.retain(|id| host.contains(id));
        usage
    }

    fn look(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Param(id) => {
                self.params.insert(*id);
            }
            ExprKind::Local(id) => {
                self.locals.insert(*id);
            }
            ExprKind::IsEmpty(id) => {
                self.asked.insert(*id);
            }
            ExprKind::Load(place, _) => self.place(*place),
            _ => {}
        }
    }

    fn place(&mut self, place: Place) {
        if let Place::Buffer(id) = place {
            self.params.insert(id);
        }
    }
}

/// Scalar parameters that an expression reads.
pub(super) fn params_of(e: &Expr) -> BTreeSet<ParamId> {
    let mut params = BTreeSet::new();
    e.walk(&mut |e| {
        if let ExprKind::Param(id) = e.kind {
            params.insert(id);
        }
    });
    params
}

/// Buffers that the group itself accesses, outside `lanes`. In the order of the signature.
pub(super) fn group_accessed(kernel: &Kernel) -> BTreeSet<ParamId> {
    let mut found = BTreeSet::new();
    if let Grid::Groups { .. } = kernel.grid {
        outside_lanes(kernel, &kernel.body, &mut found);
    }
    found
}

fn outside_lanes(kernel: &Kernel, block: &[Stmt], found: &mut BTreeSet<ParamId>) {
    for stmt in block {
        let mut note = |place: Place| {
            found.extend(kernel.buffers_of(place));
        };
        if let StmtKind::Store(place, ..) = stmt.kind {
            note(place);
        }
        let mut look = |e: &Expr| {
            if let ExprKind::Load(place, _) = e.kind {
                note(place);
            }
        };
        stmt.exprs(&mut |e| e.walk(&mut look));
        if let StmtKind::Row(id) = stmt.kind {
            kernel.rows[id].start.exprs(&mut |e| e.walk(&mut look));
        }
        if !matches!(stmt.kind, StmtKind::Lanes(_)) {
            stmt.blocks()
                .into_iter()
                .for_each(|inner| outside_lanes(kernel, inner, found));
        }
    }
}

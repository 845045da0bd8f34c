//! What of a kernel's parameters and host variables its body needs.

use std::collections::BTreeSet;

use crate::ir::{
    Expr, ExprKind, Grid, Kernel, LocalId, ParamId, Place, Start, Stmt, StmtKind, walk, walk_exprs,
};

/// Parameters and host variables that the functor carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    pub(super) params: BTreeSet<ParamId>,
    pub(super) locals: BTreeSet<LocalId>,
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

/// Buffers that the group itself accesses, outside `lanes`, in the order of the signature: where one is empty, there is
/// nothing to submit. A buffer that is only read counts if it is read in any case, not under a condition or in a loop.
pub(super) fn group_accessed(kernel: &Kernel) -> BTreeSet<ParamId> {
    let mut found = BTreeSet::new();
    if let Grid::Groups { .. } = kernel.grid {
        outside_lanes(kernel, &kernel.body, &mut found);
        let mut always = BTreeSet::new();
        in_any_case(kernel, &mut always);
        found.retain(|id| is_written(kernel, *id) || always.contains(id));
    }
    found
}

/// Whether a buffer, or one that may be the same, is written.
fn is_written(kernel: &Kernel, id: ParamId) -> bool {
    kernel.buffer(id).mutable || kernel.buffers().any(|(_, output)| output.aliases.contains(&id))
}

/// Buffers of the loads outside `lanes` that every group does.
fn in_any_case(kernel: &Kernel, found: &mut BTreeSet<ParamId>) {
    for stmt in &kernel.body {
        stmt.exprs(&mut |e| evaluated(kernel, e, found));
        if let StmtKind::Row(id) = stmt.kind
            && let Start::At(_, offset) = &kernel.rows[id].start
        {
            evaluated(kernel, offset, found);
        }
    }
}

/// Buffers of the loads that an expression does whatever its conditions come to.
fn evaluated(kernel: &Kernel, e: &Expr, found: &mut BTreeSet<ParamId>) {
    match &e.kind {
        ExprKind::Select(cond, ..) => evaluated(kernel, cond, found),
        ExprKind::Binary(op, a, _) if op.is_lazy() => evaluated(kernel, a, found),
        kind => {
            if let ExprKind::Load(place, _) = kind
                && let [buffer] = kernel.buffers_of(*place)[..]
            {
                found.insert(buffer);
            }
            e.children(&mut |part| evaluated(kernel, part, found));
        }
    }
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

//! What of a kernel's parameters and host variables its body needs.

use std::collections::BTreeSet;

use crate::ir::{Expr, ExprKind, Kernel, LocalId, ParamId, Place, StmtKind, walk, walk_exprs};

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

//! What of a launcher's parameters and variables work-items need.

use std::collections::BTreeSet;

use crate::ir::{LocalId, ParamId};
use crate::program::{Expr, ExprKind, Place, Stmt, walk};

/// Parameters and variables that are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    pub(super) params: BTreeSet<ParamId>,
    pub(super) locals: BTreeSet<LocalId>,
    /// Optional buffers that are asked for.
    pub(super) given: BTreeSet<ParamId>,
}

impl Usage {
    pub(super) fn block(&mut self, block: &[Stmt]) {
        walk(block, &mut |stmt| {
            stmt.exprs(&mut |e| self.expr(e));
            match stmt {
                Stmt::Row(_, start) => start.buffers(&mut |id| {
                    self.params.insert(id);
                }),
                Stmt::Store(memory, ..) => self.place(memory.place),
                Stmt::VectorLoad(access) | Stmt::VectorStore(access) => self.place(access.memory.place),
                _ => {}
            }
        });
    }

    pub(super) fn expr(&mut self, e: &Expr) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Param(id) => {
                self.params.insert(*id);
            }
            ExprKind::Local(id) => {
                self.locals.insert(*id);
            }
            ExprKind::IsNull(id) => {
                self.given.insert(*id);
            }
            ExprKind::Load(memory, _) => self.place(memory.place),
            _ => {}
        });
    }

    fn place(&mut self, place: Place) {
        if let Place::Buffer(id) = place {
            self.params.insert(id);
        }
    }
}

//! Integers that may be anything, since they come from memory, from a float or from a function, rather than from sizes
//! and indices alone. Arithmetic on them wraps around.

use std::collections::BTreeSet;

use crate::ir::{Expr, ExprKind, LocalId, Math, Scalar, Stmt, StmtKind, Type, walk};

/// The variables whose values are data.
pub(super) fn locals<'s>(blocks: impl IntoIterator<Item = &'s [Stmt]> + Clone) -> BTreeSet<LocalId> {
    let mut data = BTreeSet::new();
    loop {
        let before = data.len();
        for block in blocks.clone() {
            walk(block, &mut |stmt| match &stmt.kind {
                StmtKind::Let(id, Some(value))
                | StmtKind::Assign(id, value)
                | StmtKind::Update(id, _, value)
                    if is_data(value, &data) =>
                {
                    data.insert(*id);
                }
                _ => {}
            });
        }
        if data.len() == before {
            return data;
        }
    }
}

/// Whether the value of an expression is data, as the values of these variables are.
pub(super) fn is_data(e: &Expr, data: &BTreeSet<LocalId>) -> bool {
    e.any(&mut |e| match &e.kind {
        ExprKind::Load(..)
        | ExprKind::Call(..)
        | ExprKind::Reduce(..)
        | ExprKind::ReducePlace(..)
        | ExprKind::ScanSum(..) => true,
        ExprKind::Math(math, _) => *math == Math::ToBits,
        ExprKind::Cast(a) => a.ty == Type::Scalar(Scalar::F32),
        ExprKind::Local(id) => data.contains(id),
        _ => false,
    })
}

//! The body of a loop for chosen values of `bool` const parameters.

use std::collections::BTreeSet;

use crate::check::Known;
use crate::ir::{Expr, ExprKind, LocalId, Place, Stmt, StmtKind, walk, walk_exprs, walk_exprs_mut};

/// Keeps of each `if` that gives a value the side which is known to be taken.
pub(super) fn choose(body: &mut Vec<Stmt>, known: &Known) {
    walk_exprs_mut(body, &mut |e| {
        let taken = match &mut e.kind {
            ExprKind::Select(cond, a, b) => match known.truth(cond) {
                Some(true) => a,
                Some(false) => b,
                None => return,
            },
            _ => return,
        };
        *e = (**taken).clone();
    });
    leave_out_unread(body);
}

/// Replaces indices of loads and stores by what `written` gives for them.
pub(super) fn write_out(body: &mut Vec<Stmt>, written: &mut dyn FnMut(Place, &Expr) -> Option<Expr>) {
    walk_exprs_mut(body, &mut |e| {
        if let ExprKind::Load(place, index) = &mut e.kind
            && let Some(new) = written(*place, index)
        {
            **index = new;
        }
    });
    write_out_stores(body, written);
    leave_out_unread(body);
}

fn write_out_stores(body: &mut [Stmt], written: &mut dyn FnMut(Place, &Expr) -> Option<Expr>) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Store(place, index, _) => {
                if let Some(new) = written(*place, index) {
                    *index = new;
                }
            }
            StmtKind::If(_, then, otherwise) => {
                write_out_stores(then, written);
                write_out_stores(otherwise, written);
            }
            StmtKind::For(f) => write_out_stores(&mut f.body, written),
            _ => {}
        }
    }
}

/// Leaves out variables that nothing looks at any more.
fn leave_out_unread(body: &mut Vec<Stmt>) {
    loop {
        let mut used: BTreeSet<LocalId> = BTreeSet::new();
        walk_exprs(body, &mut |e| {
            if let ExprKind::Local(id) = e.kind {
                used.insert(id);
            }
        });
        walk(body, &mut |stmt| {
            if let StmtKind::Assign(id, _) | StmtKind::Update(id, ..) = stmt.kind {
                used.insert(id);
            }
        });
        if !retain_used(body, &used) {
            return;
        }
    }
}

/// Whether anything was left out.
fn retain_used(body: &mut Vec<Stmt>, used: &BTreeSet<LocalId>) -> bool {
    let before = body.len();
    body.retain(|stmt| !matches!(&stmt.kind, StmtKind::Let(id, _) if !used.contains(id)));
    let mut changed = body.len() < before;
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::If(_, then, otherwise) => {
                changed |= retain_used(then, used) | retain_used(otherwise, used);
            }
            StmtKind::For(f) => changed |= retain_used(&mut f.body, used),
            _ => {}
        }
    }
    changed
}

//! Leaves out what has no effect: C++ compilers warn of variables that nobody reads.

use std::collections::BTreeSet;

use crate::check::Barriers;
use crate::ir::{
    Binary, Expr, ExprKind, Function, Kernel, LocalId, Place, RowId, Scalar, Stmt, StmtKind, Type, Unary,
    walk, walk_exprs,
};

/// What is read.
#[derive(Default)]
struct Reads {
    locals: BTreeSet<LocalId>,
    rows: BTreeSet<RowId>,
}

impl Reads {
    fn note(&mut self, e: &Expr) {
        match e.kind {
            ExprKind::Local(id) => {
                self.locals.insert(id);
            }
            ExprKind::Load(Place::Row(id), _) => {
                self.rows.insert(id);
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        walk_exprs(block, &mut |e| self.note(e));
        walk(block, &mut |stmt| {
            if let StmtKind::Store(Place::Row(id), ..) = stmt.kind {
                self.rows.insert(id);
            }
        });
    }

    /// Leaves out of `block` what nobody notices. A barrier before such a statement is then before the next one; gives
    /// whether one is left over at the end.
    fn retain(&self, block: &mut Vec<Stmt>, barriers: &mut Barriers) -> bool {
        let mut due = false;
        block.retain_mut(|stmt| {
            due |= barriers.contains(&stmt.id);
            let (keep, due_after) = self.keep(stmt, barriers);
            if keep && due {
                barriers.insert(stmt.id);
                due = false;
            }
            due |= due_after;
            keep
        });
        due
    }

    /// Whether a statement does anything that is noticed, once those inside it that do not are gone; and whether a barrier
    /// in it is left over.
    fn keep(&self, stmt: &mut Stmt, barriers: &mut Barriers) -> (bool, bool) {
        match &mut stmt.kind {
            StmtKind::Let(id, _) | StmtKind::Assign(id, _) | StmtKind::Update(id, ..) => {
                (self.locals.contains(id), false)
            }
            StmtKind::Row(id, _) => (self.rows.contains(id), false),
            StmtKind::Store(..) | StmtKind::Assert(..) => (true, false),
            StmtKind::If(cond, then, otherwise) => {
                let due = self.retain(then, barriers) | self.retain(otherwise, barriers);
                if then.is_empty() && !otherwise.is_empty() {
                    *cond = negated(cond);
                    std::mem::swap(then, otherwise);
                }
                (!then.is_empty() || !otherwise.is_empty(), due)
            }
            StmtKind::For(f) => {
                let due = self.retain(&mut f.body, barriers);
                if let Some(first) = f.body.first().filter(|_| due) {
                    barriers.insert(first.id);
                }
                (!f.body.is_empty(), due)
            }
            StmtKind::Lanes(lanes) => {
                let due = self.retain(&mut lanes.body, barriers);
                (!lanes.body.is_empty(), due)
            }
        }
    }
}

/// The kernel without what has no effect.
pub(super) fn kernel(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    loop {
        let mut reads = Reads::default();
        reads.block(&kernel.host);
        reads.block(&kernel.body);
        for (_, extent) in kernel.grid.axes() {
            extent.walk(&mut |e| reads.note(e));
        }
        let before = size(&kernel.host) + size(&kernel.body);
        reads.retain(&mut kernel.host, &mut kernel.barriers);
        reads.retain(&mut kernel.body, &mut kernel.barriers);
        if size(&kernel.host) + size(&kernel.body) == before {
            break;
        }
    }
    kernel.functions.iter_mut().for_each(function);
    kernel
}

fn function(function: &mut Function) {
    loop {
        let reads = function_reads(function);
        let before = size(&function.body.stmts);
        reads.retain(&mut function.body.stmts, &mut Barriers::new());
        if size(&function.body.stmts) == before {
            break;
        }
    }
}

fn function_reads(function: &Function) -> Reads {
    let mut reads = Reads::default();
    reads.block(&function.body.stmts);
    function.body.value.walk(&mut |e| reads.note(e));
    reads
}

/// Whether a function looks at a parameter.
pub(super) fn reads_param(function: &Function, id: LocalId) -> bool {
    let assigned = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign(target, _) | StmtKind::Update(target, ..) if target == id);
    let mut found = function_reads(function).locals.contains(&id);
    walk(&function.body.stmts, &mut |stmt| found |= assigned(stmt));
    found
}

/// The opposite of a condition. Floats that cannot be compared are neither less nor greater, so theirs gets a `!`.
fn negated(cond: &Expr) -> Expr {
    let kind = match &cond.kind {
        ExprKind::Unary(Unary::Not, a) => return (**a).clone(),
        ExprKind::Binary(op, a, b) => {
            opposite(*op, a.ty).map(|op| ExprKind::Binary(op, a.clone(), b.clone()))
        }
        _ => None,
    };
    Expr {
        kind: kind.unwrap_or_else(|| ExprKind::Unary(Unary::Not, Box::new(cond.clone()))),
        ..cond.clone()
    }
}

fn opposite(op: Binary, ty: Type) -> Option<Binary> {
    let ordered = ty != Type::Scalar(Scalar::F32);
    Some(match op {
        Binary::Eq => Binary::Ne,
        Binary::Ne => Binary::Eq,
        Binary::Lt if ordered => Binary::Ge,
        Binary::Le if ordered => Binary::Gt,
        Binary::Gt if ordered => Binary::Le,
        Binary::Ge if ordered => Binary::Lt,
        _ => return None,
    })
}

fn size(block: &[Stmt]) -> usize {
    let mut count = 0;
    walk(block, &mut |_| count += 1);
    count
}

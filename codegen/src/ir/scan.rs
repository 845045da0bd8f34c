//! Running sums over lanes: `sum += term;`, and `group_scan_sum(sum)` behind it or right before it.

use std::collections::BTreeSet;

use super::{Binary, Expr, ExprKind, LocalId, Stmt, StmtKind, Update, walk_exprs};

/// The addition to a running sum, among the statements of a loop over lanes.
#[derive(Clone, Debug)]
pub struct Scan<'a> {
    /// Which of the statements it is.
    pub at: usize,
    /// The running sum.
    pub sum: LocalId,
    /// What each lane adds, or takes away.
    pub term: &'a Expr,
    /// Whether it is taken away.
    pub negative: bool,
    /// Whether the sum is read without the lane's own term, by a `let` right before the addition.
    pub exclusive: bool,
}

/// The variables that are read as running sums somewhere in `block`.
pub fn scanned(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut sums = BTreeSet::new();
    walk_exprs(block, &mut |e| sums.extend(sum(e)));
    sums
}

/// The additions to running sums in the body of a loop over lanes, in order.
pub fn scans(body: &[Stmt]) -> Vec<Scan<'_>> {
    let sums = scanned(body);
    let scan = |(at, stmt): (usize, &'_ Stmt)| match &stmt.kind {
        StmtKind::Update(id, Update::Operator(op @ (Binary::Add | Binary::Sub)), _) if sums.contains(id) => {
            Some((at, *id, *op == Binary::Sub))
        }
        _ => None,
    };
    let found = body.iter().enumerate().filter_map(scan);
    let term = |at: usize| match &body[at].kind {
        StmtKind::Update(_, _, term) => term,
        _ => unreachable!("an addition is an update"),
    };
    found
        .map(|(at, sum, negative)| Scan {
            at,
            sum,
            term: term(at),
            negative,
            exclusive: at > 0 && is_let_of(&body[at - 1], sum),
        })
        .collect()
}

/// The running sum that an expression reads, if it reads one.
fn sum(e: &Expr) -> Option<LocalId> {
    match &e.kind {
        ExprKind::ScanSum(sum) => match sum.kind {
            ExprKind::Local(id) => Some(id),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a statement binds what it reads of a running sum.
fn is_let_of(stmt: &Stmt, id: LocalId) -> bool {
    match &stmt.kind {
        StmtKind::Let(_, Some(init)) => init.any(&mut |e| sum(e) == Some(id)),
        _ => false,
    }
}

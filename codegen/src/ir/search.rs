//! How lanes look for the largest or smallest of a row and its place: `if v > most { most = v; place = i; }`.

use super::{Binary, Expr, ExprKind, LocalId, Reduce, Stmt, StmtKind};

/// A statement that keeps a value and its place, if the value is beyond the one that was kept before.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// `Max` or `Min`.
    pub reduce: Reduce,
    /// What keeps the value.
    pub extreme: LocalId,
    /// What keeps the place.
    pub place: LocalId,
    /// The value.
    pub value: &'a Expr,
    /// The place.
    pub at: &'a Expr,
    /// What else has to hold.
    pub conditions: Vec<&'a Expr>,
}

/// The search that a statement is, if it is one. Of values that are equal the first one met is kept, and NaN is beyond none.
pub fn search(stmt: &Stmt) -> Option<Search<'_>> {
    let StmtKind::If(cond, then, otherwise) = &stmt.kind else {
        return None;
    };
    let [first, second] = &then[..] else { return None };
    let (StmtKind::Assign(a, of_a), StmtKind::Assign(b, of_b)) = (&first.kind, &second.kind) else {
        return None;
    };
    let mut conditions = Vec::new();
    conjuncts(cond, &mut conditions);
    let mut found = None;
    conditions.retain(|condition| {
        let of = |extreme, value| comparison(condition, extreme, value);
        let search = match (of(*a, of_a), of(*b, of_b)) {
            (Some(reduce), None) => Some((reduce, (*a, of_a), (*b, of_b))),
            (None, Some(reduce)) => Some((reduce, (*b, of_b), (*a, of_a))),
            _ => None,
        };
        let keep = search.is_none() || found.is_some();
        found = found.or(search);
        keep
    });
    let (reduce, (extreme, value), (place, at)) = found.filter(|_| a != b && otherwise.is_empty())?;
    Some(Search {
        reduce,
        extreme,
        place,
        value,
        at,
        conditions,
    })
}

/// What all have to hold for a condition.
fn conjuncts<'a>(cond: &'a Expr, out: &mut Vec<&'a Expr>) {
    match &cond.kind {
        ExprKind::Binary(Binary::And, a, b) => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(cond),
    }
}

/// Whether a condition is that `value` is beyond what the variable `extreme` keeps: `Max` where it is greater, `Min` where it
/// is less.
fn comparison(cond: &Expr, extreme: LocalId, value: &Expr) -> Option<Reduce> {
    let ExprKind::Binary(op, a, b) = &cond.kind else {
        return None;
    };
    let is_kept = |e: &Expr| matches!(e.kind, ExprKind::Local(id) if id == extreme);
    let (greater, less) = match op {
        Binary::Gt => (a, b),
        Binary::Lt => (b, a),
        _ => return None,
    };
    if **greater == *value && is_kept(less) {
        Some(Reduce::Max)
    } else if **less == *value && is_kept(greater) {
        Some(Reduce::Min)
    } else {
        None
    }
}

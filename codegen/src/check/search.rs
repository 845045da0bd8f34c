//! Rule 2 for searches: where lanes find the largest or smallest of a row.
//!
//! Each work-item keeps the first of its own lanes that has the largest value. That the first of the row is among the first of
//! the work-items, and the least of those with the largest value, is so because a work-item meets its lanes in order, because
//! the place is the lane itself, and because one run of one loop finds all of them.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::accumulator::declared;
use crate::diagnostics::Errors;
use crate::ir::{
    Expr, ExprKind, Kernel, Lanes, LocalId, Reduce, Search, Stmt, StmtId, StmtKind, search, walk,
};

/// The searches of a kernel.
#[derive(Debug, Default)]
pub(super) struct Searches {
    /// What keeps the places, with what keeps the values.
    places: BTreeMap<LocalId, Found>,
    /// The statements that search, and those inside them.
    statements: BTreeSet<StmtId>,
    parts: BTreeSet<StmtId>,
}

/// What keeps the value that belongs to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    reduce: Reduce,
    extreme: LocalId,
    /// The loop that searches.
    lanes: StmtId,
}

/// Finds the searches of a kernel.
pub(super) fn check(kernel: &Kernel, errors: &mut Errors) -> Searches {
    let mut searches = Searches::default();
    searches.block(kernel, &kernel.body, None, errors);
    searches
}

impl Searches {
    /// `round` is what the innermost loop of all work-items around declares.
    fn block(
        &mut self,
        kernel: &Kernel,
        block: &[Stmt],
        round: Option<&BTreeSet<LocalId>>,
        errors: &mut Errors,
    ) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Lanes(lanes) => self.lanes(kernel, stmt.id, lanes, round, errors),
                StmtKind::For(f) => self.block(kernel, &f.body, Some(&declared(&f.body)), errors),
                _ => {
                    for inner in stmt.blocks() {
                        self.block(kernel, inner, round, errors);
                    }
                }
            }
        }
    }

    fn lanes(
        &mut self,
        kernel: &Kernel,
        id: StmtId,
        lanes: &Lanes,
        round: Option<&BTreeSet<LocalId>>,
        errors: &mut Errors,
    ) {
        let inside = declared(&lanes.body);
        walk(&lanes.body, &mut |stmt| {
            let Some(search) = search(stmt) else { return };
            // One among the values of a lane is the lane's own business.
            if inside.contains(&search.extreme) || inside.contains(&search.place) {
                return;
            }
            self.statements.insert(stmt.id);
            self.parts
                .extend(stmt.blocks().concat().iter().map(|part| part.id));
            let name = |id: LocalId| &kernel.locals[id].name;
            let (extreme, place) = (name(search.extreme), name(search.place));
            if !matches!(search.at.kind, ExprKind::Local(at) if at == lanes.index) {
                let lane = name(lanes.index);
                errors.at(search.at.span, format_args!("`{place}` is the lane itself, `{place} = {lane}`, by which the first of equal values is known; work out after the loop what you need from it"));
            }
            if round.is_some_and(|round| !round.contains(&search.extreme) || !round.contains(&search.place)) {
                errors.at(stmt.span, format_args!("`{place}` and `{extreme}` are found in one run of one loop; declare both inside the loop around it, and compare what its rounds find"));
            }
            let found = Found {
                reduce: search.reduce,
                extreme: search.extreme,
                lanes: id,
            };
            let first = *self.places.entry(search.place).or_insert(found);
            let twice = self
                .places
                .iter()
                .any(|(id, known)| *id != search.place && known.extreme == found.extreme);
            if first != found || twice || self.places.contains_key(&search.extreme) {
                errors.at(stmt.span, format_args!("`{place}` and `{extreme}` are found in one run of one loop, and by one comparison; use variables of their own for another search"));
            }
        });
    }

    /// What keeps the values, with the reductions that combine them.
    pub(super) fn extremes(&self) -> BTreeMap<LocalId, Reduce> {
        let found = self.places.values();
        found.map(|found| (found.extreme, found.reduce)).collect()
    }

    /// The search that a statement is.
    pub(super) fn found<'s>(&self, stmt: &'s Stmt) -> Option<Search<'s>> {
        search(stmt).filter(|_| self.statements.contains(&stmt.id))
    }

    /// Whether a statement keeps what a search found.
    pub(super) fn is_part(&self, stmt: &Stmt) -> bool {
        self.parts.contains(&stmt.id)
    }

    /// What is said of a variable that a search keeps something in.
    pub(super) fn described(&self, kernel: &Kernel, id: LocalId) -> Option<String> {
        let is_kept = |(place, found): &(&LocalId, &Found)| **place == id || found.extreme == id;
        let (place, found) = self.places.iter().find(is_kept)?;
        let name = |id: LocalId| &kernel.locals[id].name;
        let (extreme, place) = (name(found.extreme), name(*place));
        Some(format!(
            "`{}` is found together with `{}`",
            name(id),
            if name(id) == place { extreme } else { place }
        ))
    }

    /// The call that gives the place which a variable keeps, if it keeps one.
    pub(super) fn place_call(&self, kernel: &Kernel, place: LocalId) -> Option<String> {
        let found = self.places.get(&place)?;
        let word = found.reduce.place_word()?;
        let name = |id: LocalId| &kernel.locals[id].name;
        Some(format!("{word}({}, {})", name(found.extreme), name(place)))
    }

    /// Checks what is asked for the place of the largest or smallest.
    pub(super) fn check_place(
        &self,
        kernel: &Kernel,
        (reduce, extreme, place): (Reduce, &Expr, &Expr),
        at: Span,
        errors: &mut Errors,
    ) {
        if extreme.is_invalid() || place.is_invalid() {
            return;
        }
        let word = reduce.place_word().unwrap_or_default();
        let sign = if reduce == Reduce::Max { '>' } else { '<' };
        if let (ExprKind::Local(value), ExprKind::Local(id)) = (&extreme.kind, &place.kind)
            && let Some(found) = self.places.get(id)
        {
            if (found.extreme, found.reduce) == (*value, reduce) {
                return;
            }
            let call = self.place_call(kernel, *id).unwrap_or_default();
            let name = &kernel.locals[*id].name;
            return errors.at(at, format_args!("`{name}` was found for `{call}`; write that"));
        }
        errors.at(at, format_args!("`{word}(m, place)` gives the place that lanes have found by `if v {sign} m {{ m = v; place = i; }}`, with `i` the lane; write that in a loop over lanes before it"));
    }
}

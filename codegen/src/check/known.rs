//! What is known of a kernel's integers and conditions at the place that is looked at.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::operation::Operator;
use super::poly::{Atom, Poly};
use crate::ir::{Binary, Expr, LocalId, ParamId, Place, RowId, Scalar, Start};

/// What holds throughout a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Variables that are assigned more than once: their value differs from place to place.
    pub(crate) changing: BTreeSet<LocalId>,
    /// Parameters that may be negative.
    pub(crate) signed: BTreeSet<ParamId>,
    /// Buffers and rows whose elements nothing changes.
    pub(crate) fixed: BTreeSet<Place>,
}

/// What is known while expressions become polynomials.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(super) facts: Facts,
    /// Values of variables that are bound once.
    pub(super) values: BTreeMap<LocalId, Poly>,
    /// How many loops are around the declarations of changing variables.
    depths: BTreeMap<LocalId, usize>,
    /// Where rows begin.
    pub(super) rows: BTreeMap<RowId, Beginning>,
    /// What is at least 0 at the current place, by the loops and conditions around it.
    pub(crate) holds: Vec<Poly>,
    /// Parameters that are taken to have another's value.
    pub(super) equal: BTreeMap<ParamId, Poly>,
    /// Assumed values of `bool` const parameters.
    pub(crate) bools: BTreeMap<usize, bool>,
    /// Whether optional buffers are assumed to be given.
    pub(crate) given: BTreeMap<ParamId, bool>,
    /// The grid and the loops around, outermost first, with how much held outside them.
    around: Vec<(Around, usize)>,
    /// Numbers the values that nothing is known of.
    fresh: Cell<u32>,
}

/// Where a row begins.
#[derive(Clone, Debug)]
pub(super) enum Beginning {
    At(Begin),
    /// In one place where a condition holds, else in the other.
    Either(Poly, Box<Beginning>, Box<Beginning>),
}

/// One of the places where a row may begin.
#[derive(Clone, Debug)]
pub(crate) struct Begin {
    /// The buffer.
    pub(crate) buffer: ParamId,
    /// Its first element.
    pub(crate) offset: Poly,
    /// What is at least 0 where the row begins there.
    pub(crate) holds: Vec<Poly>,
}

impl Beginning {
    fn begins(&self) -> Vec<&Begin> {
        match self {
            Beginning::At(begin) => vec![begin],
            Beginning::Either(_, a, b) => [a.begins(), b.begins()].concat(),
        }
    }

    /// The variables that decide where it is.
    pub(super) fn locals(&self) -> BTreeSet<LocalId> {
        match self {
            Beginning::At(begin) => begin.offset.locals(),
            Beginning::Either(cond, a, b) => {
                let parts = [cond.locals(), a.locals(), b.locals()];
                parts.into_iter().flatten().collect()
            }
        }
    }
}

/// A loop around the current place, or a dimension of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Around {
    /// Rounds follow each other.
    Rounds(LocalId),
    /// Lanes and groups run at the same time, and change no variable from outside.
    Together(LocalId),
}

impl Around {
    fn index(self) -> LocalId {
        match self {
            Around::Rounds(index) | Around::Together(index) => index,
        }
    }
}

impl Known {
    /// Nothing but these facts.
    pub(crate) fn new(facts: Facts) -> Known {
        Known {
            facts,
            ..Known::default()
        }
    }

    /// Remembers that the variable `id`, unless it changes, is `value`.
    pub(crate) fn bind(&mut self, id: LocalId, value: Poly) {
        if !self.facts.changing.contains(&id) {
            self.values.insert(id, value);
        }
    }

    /// Remembers a declaration, and what it binds unless that changes later.
    pub(crate) fn let_be(&mut self, id: LocalId, init: Option<&Expr>) {
        self.depths.insert(id, self.around.len());
        if let Some(init) = init {
            let value = self.poly(init);
            self.bind(id, value);
        }
    }

    /// Remembers where a row begins.
    pub(crate) fn bind_row(&mut self, id: RowId, start: &Start) {
        let beginning = self.beginning(start);
        self.rows.insert(id, beginning);
    }

    fn beginning(&mut self, start: &Start) -> Beginning {
        match start {
            Start::At(buffer, offset) => Beginning::At(Begin {
                buffer: *buffer,
                offset: self.poly(offset),
                holds: self.holds.clone(),
            }),
            Start::Either(cond, a, b) => match self.truth(cond) {
                Some(true) => self.beginning(a),
                Some(false) => self.beginning(b),
                None => {
                    let branch = |known: &mut Known, start, truth| {
                        let outer = known.assume(cond, truth);
                        let beginning = known.beginning(start);
                        known.holds = outer;
                        Box::new(beginning)
                    };
                    let (a, b) = (branch(self, a, true), branch(self, b, false));
                    Beginning::Either(self.poly(cond), a, b)
                }
            },
        }
    }

    /// The places where a row may begin.
    pub(crate) fn row(&self, id: RowId) -> Vec<&Begin> {
        self.rows.get(&id).map_or(vec![], Beginning::begins)
    }

    /// Takes a condition to be true or false; gives what held before.
    pub(crate) fn assume(&mut self, cond: &Expr, truth: bool) -> Vec<Poly> {
        let before = self.holds.clone();
        let cond = self.poly(cond);
        note(&cond, truth, &mut self.holds);
        before
    }

    /// Takes the parameter `id` to be `value`.
    pub(crate) fn equate(&mut self, id: ParamId, value: Poly) {
        self.equal.insert(id, value);
    }

    /// Begins the body of a loop, or of the grid, whose index runs from `start` to before `end`.
    pub(crate) fn enter(&mut self, around: Around, start: &Poly, end: &Poly) {
        let index = around.index();
        self.around.push((around, self.holds.len()));
        if !start.is_nonnegative() {
            let value = self.unknown(BTreeSet::from([index]));
            self.bind(index, value);
        }
        let value = self
            .values
            .get(&index)
            .cloned()
            .unwrap_or_else(|| Poly::local(index));
        let one = Poly::constant(1);
        for bound in [
            value.minus(start),
            end.minus(&value).minus(&one),
            end.minus(start).minus(&one),
        ] {
            hold(bound, &mut self.holds);
        }
    }

    /// Ends the body of the innermost loop.
    pub(crate) fn leave(&mut self) {
        if let Some((_, held)) = self.around.pop() {
            self.holds.truncate(held);
        }
    }

    /// A number of rounds of which nothing is known but that it is at least 0.
    pub(crate) fn rounds(&self) -> Poly {
        Poly::atom(Atom::Rounds(self.next()))
    }

    /// A value of which nothing is known but what it may depend on.
    pub(crate) fn unknown(&self, locals: BTreeSet<LocalId>) -> Poly {
        Poly::atom(Atom::Unknown(self.next(), locals.into()))
    }

    fn next(&self) -> u32 {
        self.fresh.set(self.fresh.get() + 1);
        self.fresh.get()
    }

    /// Whether an optional buffer is assumed to be null.
    pub(crate) fn is_absent(&self, id: ParamId) -> bool {
        self.given.get(&id) == Some(&false)
    }

    /// The truth of a condition, if what is assumed decides it.
    pub(crate) fn truth(&self, cond: &Expr) -> Option<bool> {
        self.poly(cond).as_constant().map(|value| value != 0)
    }

    /// The indices of the grid and of the loops around.
    pub(super) fn indices_around(&self) -> BTreeSet<LocalId> {
        self.around.iter().map(|(around, _)| around.index()).collect()
    }

    /// Indices of the loops around, in whose rounds, lanes or groups a changing variable may have different values.
    pub(super) fn changes_with(&self, id: LocalId) -> BTreeSet<LocalId> {
        let depth = self.depths.get(&id).copied().unwrap_or(self.around.len());
        let loops = self.around.iter().enumerate();
        loops
            .filter(|(at, (around, _))| matches!(around, Around::Rounds(_)) || *at < depth)
            .map(|(_, (around, _))| around.index())
            .collect()
    }
}

/// Adds what is at least 0, unless that is clear anyway.
fn hold(fact: Poly, holds: &mut Vec<Poly>) {
    if !fact.is_nonnegative() && !holds.contains(&fact) {
        holds.push(fact);
    }
}

/// Adds what is at least 0 if a condition is true, or if it is false.
fn note(cond: &Poly, truth: bool, holds: &mut Vec<Poly>) {
    let one = Poly::constant(1);
    let negative = |poly: &Poly| Poly::default().minus(poly);
    let Some(atom) = cond.as_atom() else {
        let negated = one.minus(cond);
        if negated.as_atom().is_some() {
            note(&negated, !truth, holds);
        }
        return;
    };
    hold(if truth { cond.minus(&one) } else { negative(cond) }, holds);
    let Atom::Operation(operation) = atom else {
        return;
    };
    match (operation.kind, &operation.operands[..]) {
        (Operator::Binary(Binary::And), [a, b]) if truth => {
            note(a, truth, holds);
            note(b, truth, holds);
        }
        (Operator::Binary(Binary::Or), [a, b]) if !truth => {
            note(a, truth, holds);
            note(b, truth, holds);
        }
        (Operator::IsPositive, [a]) => hold(if truth { a.minus(&one) } else { negative(a) }, holds),
        (Operator::IsZero, [a]) if truth => {
            hold(a.clone(), holds);
            hold(negative(a), holds);
        }
        _ => {}
    }
}

/// Whether both are types, and every number of one is a number of the other; `true` and `false` are 1 and 0.
pub(super) fn widens(from: Option<Scalar>, to: Option<Scalar>) -> bool {
    let range = |ty: Scalar| match ty {
        Scalar::Bool => Some((0, 1)),
        _ => ty.range(),
    };
    let (Some((low, high)), Some((least, most))) = (from.and_then(range), to.and_then(range)) else {
        return false;
    };
    least <= low && high <= most
}

//! Integer expressions as polynomials, so that indices can be compared whatever way they are written.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::operation::Operation;
use crate::ir::{LocalId, ParamId};

/// Something that a polynomial does not look into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// A loop index or variable.
    Local(LocalId),
    /// A scalar parameter.
    Param(ParamId),
    /// A const parameter.
    Const(usize),
    /// A constant item whose value is not known yet; what is judged with it is judged again with its value.
    Item(String),
    /// A number of rounds of a sequential loop: at least 0.
    Rounds(u32),
    /// `⌊numerator / divisor⌋` of a number that is at least 0 by a positive constant.
    Quotient(Box<Poly>, i128),
    /// An element of a buffer of integers that the kernel does not write.
    Element(ParamId, Box<Poly>),
    /// What an operation gives: the same for equal operands.
    Operation(Box<Operation>),
    /// A value of which nothing is known but the variables that it may change with.
    Unknown(u32, BTreeSet<LocalId>),
}

impl Atom {
    /// The variables that the value depends on.
    fn locals(&self) -> BTreeSet<LocalId> {
        match self {
            Atom::Local(id) => BTreeSet::from([*id]),
            Atom::Unknown(_, locals) => locals.clone(),
            Atom::Quotient(p, _) | Atom::Element(_, p) => p.locals(),
            Atom::Operation(operation) => operation.locals(),
            Atom::Param(_) | Atom::Const(_) | Atom::Item(_) | Atom::Rounds(_) => BTreeSet::new(),
        }
    }

    /// Whether nothing says that the value is at least 0.
    fn may_be_negative(&self) -> bool {
        match self {
            Atom::Element(..) | Atom::Unknown(..) => true,
            Atom::Operation(operation) => !operation.is_nonnegative(),
            _ => false,
        }
    }

    /// How many atoms it is made of.
    fn size(&self) -> usize {
        match self {
            Atom::Quotient(p, _) | Atom::Element(_, p) => 1 + p.size(),
            Atom::Operation(operation) => 1 + operation.operands.iter().map(Poly::size).sum::<usize>(),
            _ => 1,
        }
    }
}

/// A sum of products of atoms with integer coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Poly {
    terms: BTreeMap<Vec<Atom>, i128>,
}

impl Poly {
    pub(crate) fn constant(value: i128) -> Poly {
        let mut poly = Poly::default();
        poly.add_term(Vec::new(), value);
        poly
    }

    pub(crate) fn atom(atom: Atom) -> Poly {
        let mut poly = Poly::default();
        poly.add_term(vec![atom], 1);
        poly
    }

    pub(crate) fn local(id: LocalId) -> Poly {
        Poly::atom(Atom::Local(id))
    }

    fn add_term(&mut self, atoms: Vec<Atom>, coefficient: i128) {
        match self.terms.entry(atoms) {
            Entry::Vacant(entry) if coefficient != 0 => {
                entry.insert(coefficient);
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(mut entry) => {
                let sum = entry.get().saturating_add(coefficient);
                if sum == 0 {
                    entry.remove();
                } else {
                    *entry.get_mut() = sum;
                }
            }
        }
    }

    pub(crate) fn plus(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        for (atoms, c) in &other.terms {
            sum.add_term(atoms.clone(), *c);
        }
        sum
    }

    pub(crate) fn minus(&self, other: &Poly) -> Poly {
        let mut difference = self.clone();
        for (atoms, c) in &other.terms {
            difference.add_term(atoms.clone(), c.saturating_neg());
        }
        difference
    }

    pub(crate) fn times(&self, other: &Poly) -> Poly {
        let mut product = Poly::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut atoms: Vec<Atom> = a.iter().chain(b).cloned().collect();
                atoms.sort();
                product.add_term(atoms, x.saturating_mul(*y));
            }
        }
        product
    }

    /// The value, if it is a number.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        match self.terms.iter().next() {
            None => Some(0),
            Some((atoms, c)) if self.terms.len() == 1 && atoms.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// The atom, if it is one.
    pub(crate) fn as_atom(&self) -> Option<&Atom> {
        match self.terms.iter().next() {
            Some((atoms, 1)) if self.terms.len() == 1 && atoms.len() == 1 => atoms.first(),
            _ => None,
        }
    }

    /// The products with their coefficients.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[Atom], i128)> {
        self.terms.iter().map(|(atoms, c)| (atoms.as_slice(), *c))
    }

    /// `(c, d)` with `self = c · local + d`, where neither depends on `local`; `None` if it is not linear in it.
    pub(crate) fn linear_in(&self, local: LocalId) -> Option<(Poly, Poly)> {
        self.split_by(local).filter(|(_, rest)| !rest.depends_on(local))
    }

    /// `(c, d)` with `self = c · local + d`, where `c` does not depend on `local`, and `d` at most inside its atoms; `None` if
    /// there is no such form.
    pub(crate) fn split_by(&self, local: LocalId) -> Option<(Poly, Poly)> {
        self.linear_in_atom(&Atom::Local(local))
            .filter(|(slope, _)| !slope.depends_on(local))
    }

    /// How many atoms it is made of.
    pub(crate) fn size(&self) -> usize {
        let of = |atoms: &Vec<Atom>| 1 + atoms.iter().map(Atom::size).sum::<usize>();
        self.terms.keys().map(of).sum()
    }

    /// Whether the value changes with `local`.
    pub(crate) fn depends_on(&self, local: LocalId) -> bool {
        self.locals().contains(&local)
    }

    /// The variables that the value depends on.
    pub(crate) fn locals(&self) -> BTreeSet<LocalId> {
        self.terms.keys().flatten().flat_map(Atom::locals).collect()
    }

    /// The polynomial with `value` in place of `local`; `None` where `local` is hidden inside an atom.
    pub(crate) fn substitute(&self, local: LocalId, value: &Poly) -> Option<Poly> {
        self.map(&|atom| match atom {
            Atom::Local(id) if *id == local => Some(value.clone()),
            Atom::Unknown(_, locals) if locals.contains(&local) => None,
            other => Some(Poly::atom(other.clone())),
        })
    }

    /// The polynomial with each of `sizes` counted from 1 on, since they are at least that.
    pub(crate) fn counted_from_one(&self, sizes: &[Atom]) -> Poly {
        let counted = |atom: &Atom| {
            let start = i128::from(sizes.contains(atom));
            Some(Poly::atom(atom.clone()).plus(&Poly::constant(start)))
        };
        self.map(&counted).expect("every atom is replaced")
    }

    /// The polynomial with what `replacement` gives in place of each atom; quotients, elements and operations are mapped
    /// inside.
    fn map(&self, replacement: &dyn Fn(&Atom) -> Option<Poly>) -> Option<Poly> {
        let mut result = Poly::default();
        for (atoms, c) in &self.terms {
            let mut term = Poly::constant(*c);
            for atom in atoms {
                let factor = match atom {
                    Atom::Quotient(p, divisor) => quotient(&p.map(replacement)?, *divisor),
                    Atom::Element(buffer, p) => {
                        Poly::atom(Atom::Element(*buffer, Box::new(p.map(replacement)?)))
                    }
                    Atom::Operation(operation) => operation.map(&|operand| operand.map(replacement))?,
                    other => replacement(other)?,
                };
                term = term.times(&factor);
            }
            result = result.plus(&term);
        }
        Some(result)
    }

    /// `self / divisor` as Rust divides, if that is a number rounded down: it comes out even, or is not negative.
    pub(crate) fn divided_by(&self, divisor: i128) -> Option<Poly> {
        let even = || self.terms.values().all(|c| c % divisor == 0);
        (divisor > 0 && (even() || self.is_nonnegative())).then(|| quotient(self, divisor))
    }

    /// Whether the value is surely a multiple of `divisor`'s.
    pub(crate) fn is_multiple_of(&self, divisor: &Poly) -> bool {
        self.without_multiples_of(divisor) == Poly::default()
    }

    /// The polynomial without what is surely a multiple of `divisor`.
    pub(crate) fn without_multiples_of(&self, divisor: &Poly) -> Poly {
        if self == divisor || *self == Poly::default().minus(divisor) {
            return Poly::default();
        }
        let mut terms = divisor.terms.iter();
        let (Some((atoms, c)), None) = (terms.next(), terms.next()) else {
            return self.clone();
        };
        let mut rest = self.clone();
        rest.terms.retain(|own, own_c| {
            let mut own = own.clone();
            let has_all = atoms.iter().all(|atom| {
                let at = own.iter().position(|other| other == atom);
                at.map(|at| own.remove(at)).is_some()
            });
            !(has_all && *own_c % c == 0)
        });
        rest
    }

    /// The factors of a product; none if it is a sum.
    pub(crate) fn factors(&self) -> Vec<Atom> {
        match self.terms.iter().next() {
            Some((atoms, c)) if self.terms.len() == 1 && *c > 0 => atoms.clone(),
            _ => vec![],
        }
    }

    /// Whether the value is surely at least 0, given that every atom is but those that may be negative, and that
    /// each of `facts` is.
    pub(crate) fn is_nonnegative_by(&self, facts: &[Poly]) -> bool {
        // Most bounds need no fact, a tail behind a part needs two.
        self.is_nonnegative()
            || facts.iter().any(|fact| {
                let once = self.minus(fact);
                once.is_nonnegative() || facts.iter().any(|other| once.minus(other).is_nonnegative())
            })
    }

    /// The coefficient of `atom`, and what is left without it; `None` if it is not linear in it.
    pub(crate) fn linear_in_atom(&self, atom: &Atom) -> Option<(Poly, Poly)> {
        let mut slope = Poly::default();
        let mut rest = Poly::default();
        for (atoms, c) in &self.terms {
            let mut others = atoms.clone();
            match others.iter().position(|a| a == atom) {
                Some(at) => {
                    others.remove(at);
                    slope.add_term(others, *c);
                }
                None => rest.add_term(others, *c),
            }
        }
        let has = |poly: &Poly| poly.atoms().any(|a| a == atom);
        (!has(&slope) && !has(&rest)).then_some((slope, rest))
    }

    /// Whether the products of atoms in both are the same, with opposite coefficients.
    pub(crate) fn is_opposite(&self, other: &Poly) -> bool {
        let mut own = self.terms.iter().filter(|(atoms, _)| !atoms.is_empty());
        let mut others = other.terms.iter().filter(|(atoms, _)| !atoms.is_empty());
        loop {
            match (own.next(), others.next()) {
                (None, None) => return true,
                (Some((a, x)), Some((b, y))) if *x == -*y && a == b => {}
                _ => return false,
            }
        }
    }

    /// The atoms of all products.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.keys().flatten()
    }

    /// Whether the value is surely at least 0, given that every atom is but those that may be negative.
    ///
    /// Quotients that are subtracted give way to what they are at most: `c · ⌊p / c⌋ ≤ p` and `⌊p / c⌋ ≤ p`.
    pub(crate) fn is_nonnegative(&self) -> bool {
        let mut poly = self.clone();
        while let Some((atoms, c)) = poly.first_negative() {
            let quotient = atoms.iter().enumerate().find_map(|(at, atom)| match atom {
                Atom::Quotient(p, divisor) => Some((at, (**p).clone(), *divisor)),
                _ => None,
            });
            let Some((at, numerator, divisor)) = quotient else {
                return false;
            };
            let mut others = atoms.clone();
            others.remove(at);
            poly.add_term(atoms, -c);
            let mut bound = Poly::default();
            bound.add_term(others, c / divisor + c % divisor);
            poly = poly.plus(&bound.times(&numerator));
        }
        !poly.atoms().any(Atom::may_be_negative)
    }

    fn first_negative(&self) -> Option<(Vec<Atom>, i128)> {
        self.terms
            .iter()
            .find(|(_, c)| **c < 0)
            .map(|(atoms, c)| (atoms.clone(), *c))
    }
}

/// `⌊p / divisor⌋`, worked out where it comes out even.
fn quotient(p: &Poly, divisor: i128) -> Poly {
    if p.terms().all(|(_, c)| c % divisor == 0) {
        return Poly {
            terms: p
                .terms
                .iter()
                .map(|(atoms, c)| (atoms.clone(), c / divisor))
                .collect(),
        };
    }
    Poly::atom(Atom::Quotient(Box::new(p.clone()), divisor))
}

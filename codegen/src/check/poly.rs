//! Integer expressions as polynomials, so that indices can be compared whatever way they are written.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

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
    Item(Rc<str>),
    /// A number of rounds of a sequential loop: at least 0.
    Rounds(u32),
    /// `⌊numerator / divisor⌋` of a number that is at least 0 by a positive constant.
    Quotient(Poly, i64),
    /// An element of a buffer of integers that the kernel does not write.
    Element(ParamId, Poly),
    /// What an operation gives: the same for equal operands.
    Operation(Rc<Operation>),
    /// A value of which nothing is known but the variables that it may change with.
    Unknown(u32, Rc<BTreeSet<LocalId>>),
}

impl Atom {
    /// Whether the value depends on a variable for which `test` holds.
    fn any_local(&self, test: &mut dyn FnMut(LocalId) -> bool) -> bool {
        match self {
            Atom::Local(id) => test(*id),
            Atom::Unknown(_, locals) => locals.iter().any(|id| test(*id)),
            Atom::Quotient(p, _) | Atom::Element(_, p) => p.any_local(test),
            Atom::Operation(operation) => operation.operands.iter().any(|p| p.any_local(test)),
            Atom::Param(_) | Atom::Const(_) | Atom::Item(_) | Atom::Rounds(_) => false,
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

/// Atoms that are multiplied, in order.
type Product = SmallVec<[Atom; 2]>;

/// A product and its coefficient.
type Term = (Product, i128);

/// The terms of a sum. Most sums have few, and are compared and subtracted many times.
type Terms = SmallVec<[Term; 2]>;

/// A sum of products of atoms with integer coefficients. Its clones share the terms.
#[derive(Clone, Debug, Default, Eq)]
pub(crate) struct Poly {
    /// In the order of the products, each of which is there once and not 0 times.
    terms: Rc<Terms>,
}

impl PartialEq for Poly {
    fn eq(&self, other: &Poly) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl PartialOrd for Poly {
    fn partial_cmp(&self, other: &Poly) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Poly {
    fn cmp(&self, other: &Poly) -> Ordering {
        if Rc::ptr_eq(&self.terms, &other.terms) {
            Ordering::Equal
        } else {
            self.terms.cmp(&other.terms)
        }
    }
}

impl FromIterator<Term> for Poly {
    /// The sum of terms whose products are in order, each there once.
    fn from_iter<I: IntoIterator<Item = Term>>(terms: I) -> Poly {
        Poly {
            terms: Rc::new(terms.into_iter().filter(|(_, c)| *c != 0).collect()),
        }
    }
}

impl Poly {
    pub(crate) fn constant(value: i128) -> Poly {
        Poly::term(Product::new(), value)
    }

    pub(crate) fn atom(atom: Atom) -> Poly {
        Poly::term(smallvec![atom], 1)
    }

    pub(crate) fn local(id: LocalId) -> Poly {
        Poly::atom(Atom::Local(id))
    }

    fn term(product: Product, coefficient: i128) -> Poly {
        Poly::from_iter([(product, coefficient)])
    }

    /// The sum of any terms.
    fn sum(mut terms: Terms) -> Poly {
        terms.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        terms.dedup_by(|(product, more), (known, c)| {
            let is_known = product == known;
            if is_known {
                *c = c.saturating_add(*more);
            }
            is_known
        });
        Poly::from_iter(terms)
    }

    pub(crate) fn plus(&self, other: &Poly) -> Poly {
        Aligned::new([self, other])
            .map(|(product, [a, b])| (product.clone(), a.saturating_add(b)))
            .collect()
    }

    pub(crate) fn minus(&self, other: &Poly) -> Poly {
        Aligned::new([self, other])
            .map(|(product, [a, b])| (product.clone(), a.saturating_sub(b)))
            .collect()
    }

    pub(crate) fn times(&self, other: &Poly) -> Poly {
        let mut terms = Terms::new();
        for (a, x) in self.terms.iter() {
            for (b, y) in other.terms.iter() {
                let mut product: Product = a.iter().chain(b).cloned().collect();
                product.sort_unstable();
                terms.push((product, x.saturating_mul(*y)));
            }
        }
        Poly::sum(terms)
    }

    /// The value, if it is a number.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(product, c)] if product.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// The atom, if it is one.
    pub(crate) fn as_atom(&self) -> Option<&Atom> {
        match &self.terms[..] {
            [(product, 1)] if product.len() == 1 => product.first(),
            _ => None,
        }
    }

    /// The products with their coefficients.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[Atom], i128)> {
        self.terms.iter().map(|(product, c)| (product.as_slice(), *c))
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
        let of = |product: &Product| 1 + product.iter().map(Atom::size).sum::<usize>();
        self.terms.iter().map(|(product, _)| of(product)).sum()
    }

    /// Whether the value changes with `local`.
    pub(crate) fn depends_on(&self, local: LocalId) -> bool {
        self.any_local(&mut |id| id == local)
    }

    /// Whether the value depends on a variable for which `test` holds.
    pub(crate) fn any_local(&self, test: &mut dyn FnMut(LocalId) -> bool) -> bool {
        self.atoms().any(|atom| atom.any_local(test))
    }

    /// The variables that the value depends on.
    pub(crate) fn locals(&self) -> BTreeSet<LocalId> {
        let mut locals = BTreeSet::new();
        self.any_local(&mut |id| {
            locals.insert(id);
            false
        });
        locals
    }

    /// The polynomial with `value` in place of `local`; `None` where `local` is hidden inside an atom.
    pub(crate) fn substitute(&self, local: LocalId, value: &Poly) -> Option<Poly> {
        if !self.depends_on(local) {
            return Some(self.clone());
        }
        self.map(&|part| part.substitute(local, value), &|atom| match atom {
            Atom::Local(id) if *id == local => Some(value.clone()),
            Atom::Unknown(_, locals) if locals.contains(&local) => None,
            other => Some(Poly::atom(other.clone())),
        })
    }

    /// The polynomial with each of `sizes` counted from 1 on, since they are at least that.
    pub(crate) fn counted_from_one(&self, sizes: &[Atom]) -> Poly {
        if sizes.is_empty() {
            return self.clone();
        }
        let counted = |atom: &Atom| {
            let start = i128::from(sizes.contains(atom));
            Some(Poly::atom(atom.clone()).plus(&Poly::constant(start)))
        };
        self.map(&|part| Some(part.counted_from_one(sizes)), &counted)
            .expect("every atom is replaced")
    }

    /// The polynomial with what `replacement` gives in place of each atom; quotients, elements and operations have what
    /// `inside` gives in them.
    fn map(
        &self,
        inside: &dyn Fn(&Poly) -> Option<Poly>,
        replacement: &dyn Fn(&Atom) -> Option<Poly>,
    ) -> Option<Poly> {
        let mut terms = Terms::new();
        for (product, c) in self.terms.iter() {
            let mut term = Poly::constant(*c);
            for atom in product {
                let factor = match atom {
                    Atom::Quotient(p, divisor) => quotient(&inside(p)?, *divisor),
                    Atom::Element(buffer, p) => Poly::atom(Atom::Element(*buffer, inside(p)?)),
                    Atom::Operation(operation) => operation.map(inside)?,
                    other => replacement(other)?,
                };
                term = term.times(&factor);
            }
            terms.extend(term.terms.iter().cloned());
        }
        Some(Poly::sum(terms))
    }

    /// `self / divisor` as Rust divides, if that is a number rounded down: it comes out even, or is not negative.
    pub(crate) fn divided_by(&self, divisor: i128) -> Option<Poly> {
        let divisor = i64::try_from(divisor).ok().filter(|divisor| *divisor > 0)?;
        let even = || self.terms.iter().all(|(_, c)| c % i128::from(divisor) == 0);
        (even() || self.is_nonnegative()).then(|| quotient(self, divisor))
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
        let [(factors, times)] = &divisor.terms[..] else {
            return self.clone();
        };
        let is_multiple = |(product, c): &&Term| {
            let mut others = product.clone();
            let has_all = factors.iter().all(|factor| {
                let at = others.iter().position(|other| other == factor);
                at.map(|at| others.remove(at)).is_some()
            });
            has_all && *c % times == 0
        };
        let rest = self.terms.iter().filter(|term| !is_multiple(term));
        rest.cloned().collect()
    }

    /// The factors of a product; none if it is a sum.
    pub(crate) fn factors(&self) -> Vec<Atom> {
        match &self.terms[..] {
            [(product, c)] if *c > 0 => product.to_vec(),
            _ => vec![],
        }
    }

    /// Whether the value is surely at least 0, given that every atom is but those that may be negative, and that
    /// each of `facts` is.
    pub(crate) fn is_nonnegative_by(&self, facts: &[Poly]) -> bool {
        // Most bounds need no fact, a tail behind a part needs two.
        self.is_nonnegative()
            || facts.iter().enumerate().any(|(at, a)| {
                is_difference_nonnegative([self, a])
                    || facts[at..]
                        .iter()
                        .any(|b| is_difference_nonnegative([self, a, b]))
            })
    }

    /// The coefficient of `atom`, and what is left without it; `None` if it is not linear in it.
    pub(crate) fn linear_in_atom(&self, atom: &Atom) -> Option<(Poly, Poly)> {
        if !self.atoms().any(|other| other == atom) {
            return Some((Poly::default(), self.clone()));
        }
        let mut slope = Terms::new();
        let mut rest = Terms::new();
        for (product, c) in self.terms.iter() {
            let mut others = product.clone();
            match others.iter().position(|other| other == atom) {
                Some(at) => {
                    others.remove(at);
                    slope.push((others, *c));
                }
                None => rest.push((others, *c)),
            }
        }
        let slope = Poly::sum(slope);
        let is_linear = !slope.atoms().any(|other| other == atom);
        is_linear.then(|| (slope, Poly::from_iter(rest)))
    }

    /// Whether the products of atoms in both are the same, with opposite coefficients.
    pub(crate) fn is_opposite(&self, other: &Poly) -> bool {
        let (own, others) = (self.products(), other.products());
        let opposite = |((a, x), (b, y)): (&Term, &Term)| x.checked_neg() == Some(*y) && a == b;
        own.len() == others.len() && own.iter().zip(others).all(opposite)
    }

    /// The terms without the constant, which comes first.
    fn products(&self) -> &[Term] {
        match &self.terms[..] {
            [(product, _), rest @ ..] if product.is_empty() => rest,
            all => all,
        }
    }

    /// The atoms of all products.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.iter().flat_map(|(product, _)| product)
    }

    /// Whether the value is surely at least 0, given that every atom is but those that may be negative.
    pub(crate) fn is_nonnegative(&self) -> bool {
        is_difference_nonnegative([self])
    }

    /// Whether the value is surely less than 0.
    pub(crate) fn is_negative(&self) -> bool {
        is_difference_nonnegative([&Poly::constant(-1), self])
    }

    /// A polynomial that is at most this one and subtracts nothing, if quotients are all that this one subtracts.
    ///
    /// They give way to what they are at most: `c · ⌊p / c⌋ ≤ p` and `⌊p / c⌋ ≤ p`.
    fn without_subtracted_quotients(&self) -> Option<Poly> {
        let mut poly = self.clone();
        while let Some((product, c)) = poly.terms.iter().find(|(_, c)| *c < 0).cloned() {
            let (at, numerator, divisor) = product.iter().enumerate().find_map(|(at, atom)| match atom {
                Atom::Quotient(p, divisor) => Some((at, p.clone(), i128::from(*divisor))),
                _ => None,
            })?;
            let mut others = product.clone();
            others.remove(at);
            let bound = Poly::term(others, c / divisor + c % divisor).times(&numerator);
            poly = poly.minus(&Poly::term(product, c)).plus(&bound);
        }
        Some(poly)
    }
}

/// Whether the first of some polynomials is surely at least the sum of the others. It ends at the first term that says no,
/// and makes no polynomial: most questions are answered by that, and there are very many.
fn is_difference_nonnegative<const N: usize>(polys: [&Poly; N]) -> bool {
    let mut is_known = true;
    for (product, coefficients) in Aligned::new(polys) {
        let others = &coefficients[1..];
        let c = others
            .iter()
            .fold(coefficients[0], |c, other| c.saturating_sub(*other));
        if c < 0 && !product.iter().any(|atom| matches!(atom, Atom::Quotient(..))) {
            return false;
        } else if c < 0 {
            let others = polys[1..].iter();
            let difference = others.fold(polys[0].clone(), |difference, other| difference.minus(other));
            let bound = difference.without_subtracted_quotients();
            return bound.is_some_and(|bound| !bound.atoms().any(Atom::may_be_negative));
        }
        is_known = is_known && (c == 0 || !product.iter().any(Atom::may_be_negative));
    }
    is_known
}

/// The products of some polynomials in order, with the coefficient that each polynomial has of it.
struct Aligned<'a, const N: usize> {
    /// The terms that are left of each.
    rest: [&'a [Term]; N],
}

impl<'a, const N: usize> Aligned<'a, N> {
    fn new(polys: [&'a Poly; N]) -> Self {
        Aligned {
            rest: polys.map(|poly| &poly.terms[..]),
        }
    }
}

impl<'a, const N: usize> Iterator for Aligned<'a, N> {
    type Item = (&'a Product, [i128; N]);

    fn next(&mut self) -> Option<Self::Item> {
        let firsts = self.rest.iter().filter_map(|terms| terms.first());
        let product = firsts.map(|(product, _)| product).min()?;
        let coefficients = self.rest.each_mut().map(|terms| match terms.split_first() {
            Some(((first, c), rest)) if first == product => {
                *terms = rest;
                *c
            }
            _ => 0,
        });
        Some((product, coefficients))
    }
}

/// `⌊p / divisor⌋`, worked out where it comes out even.
fn quotient(p: &Poly, divisor: i64) -> Poly {
    let by = i128::from(divisor);
    if p.terms.iter().all(|(_, c)| c % by == 0) {
        let terms = p.terms.iter();
        return terms.map(|(product, c)| (product.clone(), c / by)).collect();
    }
    Poly::atom(Atom::Quotient(p.clone(), divisor))
}

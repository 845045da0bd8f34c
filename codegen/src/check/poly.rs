//! Integer expressions as polynomials, so that indices can be compared whatever way they are written.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Binary, Expr, ExprKind, LocalId, ParamId, Scalar, Type, Unary};

/// Something that a polynomial does not look into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// A loop index or variable.
    Local(LocalId),
    /// A scalar parameter.
    Param(ParamId),
    /// A const parameter.
    Const(usize),
    /// `⌊numerator / divisor⌋` by a positive constant.
    Quotient(Box<Poly>, i128),
    /// Any other value, by its text, with the locals that it depends on.
    Opaque(String, BTreeSet<LocalId>),
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
        let entry = self.terms.entry(atoms).or_insert(0);
        *entry = entry.saturating_add(coefficient);
        self.terms.retain(|_, c| *c != 0);
    }

    pub(crate) fn plus(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        for (atoms, c) in &other.terms {
            sum.add_term(atoms.clone(), *c);
        }
        sum
    }

    pub(crate) fn minus(&self, other: &Poly) -> Poly {
        self.plus(&other.times(&Poly::constant(-1)))
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

    /// The products with their coefficients.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&[Atom], i128)> {
        self.terms.iter().map(|(atoms, c)| (atoms.as_slice(), *c))
    }

    /// `(c, d)` with `self = c · local + d`, where neither depends on `local`; `None` if it is not linear in it.
    pub(crate) fn linear_in(&self, local: LocalId) -> Option<(Poly, Poly)> {
        let mut slope = Poly::default();
        let mut rest = Poly::default();
        for (atoms, c) in &self.terms {
            let mut others = atoms.clone();
            match others.iter().position(|a| *a == Atom::Local(local)) {
                Some(at) => {
                    others.remove(at);
                    slope.add_term(others, *c);
                }
                None => rest.add_term(others, *c),
            }
        }
        (!slope.depends_on(local) && !rest.depends_on(local)).then_some((slope, rest))
    }

    /// Whether the value changes with `local`.
    pub(crate) fn depends_on(&self, local: LocalId) -> bool {
        self.terms.keys().flatten().any(|atom| match atom {
            Atom::Local(id) => *id == local,
            Atom::Quotient(p, _) => p.depends_on(local),
            Atom::Opaque(_, locals) => locals.contains(&local),
            Atom::Param(_) | Atom::Const(_) => false,
        })
    }

    /// The polynomial with `value` in place of `local`; `None` where `local` is hidden inside an atom.
    pub(crate) fn substitute(&self, local: LocalId, value: &Poly) -> Option<Poly> {
        let mut result = Poly::default();
        for (atoms, c) in &self.terms {
            let mut term = Poly::constant(*c);
            for atom in atoms {
                let factor = match atom {
                    Atom::Local(id) if *id == local => value.clone(),
                    Atom::Quotient(p, divisor) if p.depends_on(local) => {
                        quotient(&p.substitute(local, value)?, *divisor)
                    }
                    Atom::Opaque(_, locals) if locals.contains(&local) => return None,
                    other => Poly::atom(other.clone()),
                };
                term = term.times(&factor);
            }
            result = result.plus(&term);
        }
        Some(result)
    }

    /// The polynomial with each of `sizes` counted from 1 on, since they are at least that.
    pub(crate) fn from_one(&self, sizes: &[Atom]) -> Poly {
        let mut result = Poly::default();
        for (atoms, c) in &self.terms {
            let mut term = Poly::constant(*c);
            for atom in atoms {
                let one = i128::from(sizes.contains(atom));
                term = term.times(&Poly::atom(atom.clone()).plus(&Poly::constant(one)));
            }
            result = result.plus(&term);
        }
        result
    }

    /// The parameters and const parameters in it.
    pub(crate) fn sizes(&self) -> Vec<Atom> {
        let atoms = self.terms.keys().flatten();
        atoms
            .filter(|atom| matches!(atom, Atom::Param(_) | Atom::Const(_)))
            .cloned()
            .collect()
    }

    /// Whether the value is surely at least 0, given that sizes (every parameter, const parameter and loop index) are.
    ///
    /// Uses `c · ⌊p / c⌋ ≤ p` to remove quotients that are subtracted.
    pub(crate) fn is_nonnegative(&self) -> bool {
        let mut poly = self.clone();
        while let Some((atoms, c)) = poly.first_negative() {
            let quotient = atoms.iter().enumerate().find_map(|(at, atom)| match atom {
                Atom::Quotient(p, divisor) if c % divisor == 0 => Some((at, (**p).clone(), *divisor)),
                _ => None,
            });
            let Some((at, numerator, divisor)) = quotient else {
                return false;
            };
            let mut others = atoms.clone();
            others.remove(at);
            poly.add_term(atoms, -c);
            let mut bound = Poly::default();
            bound.add_term(others, c / divisor);
            poly = poly.plus(&bound.times(&numerator));
        }
        !poly
            .terms
            .keys()
            .flatten()
            .any(|atom| matches!(atom, Atom::Opaque(..)))
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

/// What is known while expressions become polynomials.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Values of immutable variables.
    values: BTreeMap<LocalId, Poly>,
    /// Parameters that are taken to have another's value.
    equal: BTreeMap<ParamId, Poly>,
    /// Assumed values of `bool` const parameters.
    pub(crate) bools: BTreeMap<usize, bool>,
    /// Variables that are assigned more than once: their value differs from place to place.
    changing: BTreeSet<LocalId>,
    /// Numbers the values that nothing is known of.
    fresh: usize,
}

impl Known {
    /// Nothing but which variables keep changing.
    pub(crate) fn new(changing: BTreeSet<LocalId>) -> Known {
        Known {
            changing,
            ..Known::default()
        }
    }

    /// Remembers that the immutable variable `id` is `value`.
    pub(crate) fn bind(&mut self, id: LocalId, value: Poly) {
        if !self.changing.contains(&id) {
            self.values.insert(id, value);
        }
    }

    /// Takes the parameter `id` to be `value`.
    pub(crate) fn equate(&mut self, id: ParamId, value: Poly) {
        self.equal.insert(id, value);
    }

    /// The truth of a condition, if the assumed const parameters decide it.
    pub(crate) fn truth(&self, cond: &Expr) -> Option<bool> {
        match &cond.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Const(id) => self.bools.get(id).copied(),
            ExprKind::Unary(Unary::Not, a) => self.truth(a).map(|t| !t),
            ExprKind::Binary(Binary::And, a, b) => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            ExprKind::Binary(Binary::Or, a, b) => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// An integer expression as a polynomial.
    pub(crate) fn poly(&mut self, e: &Expr) -> Poly {
        match &e.kind {
            ExprKind::Int(value) => Poly::constant(*value),
            ExprKind::Param(id) => self
                .equal
                .get(id)
                .cloned()
                .unwrap_or_else(|| Poly::atom(Atom::Param(*id))),
            ExprKind::Const(id) => Poly::atom(Atom::Const(*id)),
            ExprKind::Local(id) if self.changing.contains(id) => self.opaque(e),
            ExprKind::Local(id) => self.values.get(id).cloned().unwrap_or_else(|| Poly::local(*id)),
            ExprKind::Unary(Unary::Neg, a) => Poly::default().minus(&self.poly(a)),
            ExprKind::Binary(Binary::Add, a, b) => self.poly(a).plus(&self.poly(b)),
            ExprKind::Binary(Binary::Sub, a, b) => self.poly(a).minus(&self.poly(b)),
            ExprKind::Binary(Binary::Mul, a, b) => self.poly(a).times(&self.poly(b)),
            ExprKind::Binary(Binary::Div, a, b) => {
                let numerator = self.poly(a);
                match self.poly(b).as_constant() {
                    Some(divisor) if divisor > 0 => quotient(&numerator, divisor),
                    _ => self.opaque(e),
                }
            }
            ExprKind::Cast(a) if e.ty == Type::Scalar(Scalar::I64) && keeps_value(a.ty) => self.poly(a),
            ExprKind::Select(cond, a, b) => match self.truth(cond) {
                Some(true) => self.poly(a),
                Some(false) => self.poly(b),
                None => self.opaque(e),
            },
            _ => self.opaque(e),
        }
    }

    fn opaque(&mut self, e: &Expr) -> Poly {
        let mut stable = true;
        let mut locals = BTreeSet::new();
        e.walk(&mut |part| match &part.kind {
            ExprKind::Local(id) => {
                stable &= !self.changing.contains(id);
                locals.insert(*id);
                for (atoms, _) in self.values.get(id).iter().flat_map(|p| p.terms()) {
                    locals.extend(atoms.iter().flat_map(locals_of));
                }
            }
            ExprKind::Invalid => stable = false,
            _ => {}
        });
        if stable {
            return Poly::atom(Atom::Opaque(text(e), locals));
        }
        // Whatever it depends on, it still depends on.
        self.fresh += 1;
        Poly::atom(Atom::Opaque(format!("?{}", self.fresh), locals))
    }
}

fn locals_of(atom: &Atom) -> BTreeSet<LocalId> {
    match atom {
        Atom::Local(id) => BTreeSet::from([*id]),
        Atom::Opaque(_, locals) => locals.clone(),
        Atom::Quotient(p, _) => p
            .terms()
            .flat_map(|(atoms, _)| atoms.iter().flat_map(locals_of))
            .collect(),
        Atom::Param(_) | Atom::Const(_) => BTreeSet::new(),
    }
}

fn keeps_value(ty: Type) -> bool {
    matches!(ty, Type::Scalar(s) if s.is_integer() && s != Scalar::U64)
}

/// An expression's text, the same for equal expressions.
fn text(e: &Expr) -> String {
    let mut parts = Vec::new();
    e.children(&mut |child| parts.push(text(child)));
    let head = match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => value.to_bits().to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Local(id) => format!("local{id}"),
        ExprKind::Param(id) => format!("param{id}"),
        ExprKind::Const(id) => format!("const{id}"),
        ExprKind::Item(path) | ExprKind::Call(path, _) => path.clone(),
        ExprKind::Unary(op, _) => format!("{op:?}"),
        ExprKind::Binary(op, ..) => format!("{op:?}"),
        ExprKind::Cast(_) => format!("{:?}", e.ty),
        ExprKind::Math(math, _) => format!("{math:?}"),
        ExprKind::Select(..) => "select".into(),
        ExprKind::Load(place, _) => format!("load {place:?}"),
        ExprKind::Reduce(reduce, _) => format!("{reduce:?}"),
        ExprKind::Invalid => "invalid".into(),
    };
    format!("{head}({})", parts.join(","))
}

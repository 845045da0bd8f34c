//! What is known of a kernel's integers, and expressions as polynomials by it.

use std::collections::{BTreeMap, BTreeSet};

use super::poly::{Atom, Poly};
use crate::front::integer_range;
use crate::ir::{Binary, Expr, ExprKind, LocalId, ParamId, Place, RowId, Scalar, Start, Type, Unary};

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
    facts: Facts,
    /// Values of variables that are bound once.
    values: BTreeMap<LocalId, Poly>,
    /// How many loops are around the declarations of changing variables.
    depths: BTreeMap<LocalId, usize>,
    /// Where rows may begin.
    rows: BTreeMap<RowId, Vec<Begin>>,
    /// What is at least 0 at the current place, by the conditions around it.
    pub(crate) holds: Vec<Poly>,
    /// Parameters that are taken to have another's value.
    equal: BTreeMap<ParamId, Poly>,
    /// Assumed values of `bool` const parameters.
    pub(crate) bools: BTreeMap<usize, bool>,
    /// Whether optional buffers are assumed to be given.
    pub(crate) given: BTreeMap<ParamId, bool>,
    /// The loops around, outermost first.
    around: Vec<Around>,
    /// Numbers the values that nothing is known of.
    fresh: u32,
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

/// A loop around the current place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Around {
    /// Rounds follow each other.
    Rounds(LocalId),
    /// Lanes run at the same time, and change no variable from outside.
    Lanes(LocalId),
}

impl Around {
    fn index(self) -> LocalId {
        match self {
            Around::Rounds(index) | Around::Lanes(index) => index,
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

    /// Remembers where the variable `id` is declared.
    pub(crate) fn declare(&mut self, id: LocalId) {
        self.depths.insert(id, self.around.len());
    }

    /// Remembers where a row begins.
    pub(crate) fn bind_row(&mut self, id: RowId, start: &Start) {
        let mut begins = Vec::new();
        self.begins(start, &mut begins);
        self.rows.insert(id, begins);
    }

    fn begins(&mut self, start: &Start, out: &mut Vec<Begin>) {
        match start {
            Start::At(buffer, offset) => out.push(Begin {
                buffer: *buffer,
                offset: self.poly(offset),
                holds: self.holds.clone(),
            }),
            Start::Either(cond, a, b) => {
                for (branch, truth) in [(a, true), (b, false)] {
                    if self.truth(cond) != Some(!truth) {
                        let outer = self.assume(cond, truth);
                        self.begins(branch, out);
                        self.holds = outer;
                    }
                }
            }
        }
    }

    /// Where a row may begin.
    pub(crate) fn row(&self, id: RowId) -> &[Begin] {
        self.rows.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Takes a condition to be true or false; gives what held before.
    pub(crate) fn assume(&mut self, cond: &Expr, truth: bool) -> Vec<Poly> {
        let before = self.holds.clone();
        self.note(cond, truth);
        before
    }

    fn note(&mut self, cond: &Expr, truth: bool) {
        match &cond.kind {
            ExprKind::Unary(Unary::Not, a) => self.note(a, !truth),
            ExprKind::Binary(Binary::And, a, b) if truth => {
                self.note(a, truth);
                self.note(b, truth);
            }
            ExprKind::Binary(Binary::Or, a, b) if !truth => {
                self.note(a, truth);
                self.note(b, truth);
            }
            ExprKind::Binary(op, a, b) if is_integer(a) => {
                let (a, b) = (self.poly(a), self.poly(b));
                let (rise, one) = (b.minus(&a), Poly::constant(1));
                let fall = Poly::default().minus(&rise);
                match (op, truth) {
                    (Binary::Lt, true) | (Binary::Ge, false) => self.holds.push(rise.minus(&one)),
                    (Binary::Le, true) | (Binary::Gt, false) => self.holds.push(rise),
                    (Binary::Gt, true) | (Binary::Le, false) => self.holds.push(fall.minus(&one)),
                    (Binary::Ge, true) | (Binary::Lt, false) => self.holds.push(fall),
                    (Binary::Eq, true) | (Binary::Ne, false) => self.holds.extend([rise, fall]),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Takes the parameter `id` to be `value`.
    pub(crate) fn equate(&mut self, id: ParamId, value: Poly) {
        self.equal.insert(id, value);
    }

    /// Begins the body of a loop; its index begins at `start`.
    pub(crate) fn enter(&mut self, around: Around, start: &Poly) {
        let index = around.index();
        self.around.push(around);
        if !start.is_nonnegative() {
            let value = self.unknown(BTreeSet::from([index]));
            self.bind(index, value);
        }
    }

    /// Ends the body of the innermost loop.
    pub(crate) fn leave(&mut self) {
        self.around.pop();
    }

    /// A number of rounds of which nothing is known but that it is at least 0.
    pub(crate) fn rounds(&mut self) -> Poly {
        self.fresh += 1;
        Poly::atom(Atom::Rounds(self.fresh))
    }

    /// A value of which nothing is known but what it may depend on.
    pub(crate) fn unknown(&mut self, locals: BTreeSet<LocalId>) -> Poly {
        self.fresh += 1;
        Poly::atom(Atom::Opaque(format!("?{}", self.fresh), locals))
    }

    /// Whether an optional buffer is assumed to be null.
    pub(crate) fn is_absent(&self, id: ParamId) -> bool {
        self.given.get(&id) == Some(&false)
    }

    /// The truth of a condition, if what is assumed decides it.
    pub(crate) fn truth(&self, cond: &Expr) -> Option<bool> {
        match &cond.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Const(id) => self.bools.get(id).copied(),
            ExprKind::Param(_) | ExprKind::Local(_) => self.number(cond).map(|value| value != 0),
            ExprKind::IsEmpty(id) => self.given.get(id).map(|given| !given),
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
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                Some(match op {
                    Binary::Eq => a == b,
                    Binary::Ne => a != b,
                    Binary::Lt => a < b,
                    Binary::Le => a <= b,
                    Binary::Gt => a > b,
                    _ => a >= b,
                })
            }
            _ => None,
        }
    }

    /// An integer or `bool` that literals and assumed parameters alone decide.
    fn number(&self, e: &Expr) -> Option<i128> {
        match &e.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Bool(value) => Some((*value).into()),
            ExprKind::Param(id) => self.equal.get(id)?.as_constant(),
            ExprKind::Const(id) => self.bools.get(id).map(|value| (*value).into()),
            ExprKind::Local(id) => self.values.get(id)?.as_constant(),
            ExprKind::Unary(Unary::Neg, a) => Some(-self.number(a)?),
            ExprKind::Cast(a) => {
                let fits = |value: &i128| match e.ty {
                    Type::Scalar(ty) => {
                        integer_range(ty).is_some_and(|(low, high)| (low..=high).contains(value))
                    }
                    _ => false,
                };
                self.number(a).filter(fits)
            }
            _ => self.truth(e).map(i128::from),
        }
    }

    /// An integer expression as a polynomial.
    pub(crate) fn poly(&mut self, e: &Expr) -> Poly {
        match &e.kind {
            ExprKind::Int(value) => Poly::constant(*value),
            ExprKind::Param(id) => match self.equal.get(id) {
                Some(value) => value.clone(),
                None if self.facts.signed.contains(id) => self.opaque(e),
                None => Poly::atom(Atom::Param(*id)),
            },
            ExprKind::Const(id) => Poly::atom(Atom::Const(*id)),
            ExprKind::Item(path) => Poly::atom(Atom::Item(path.clone())),
            ExprKind::Local(id) if self.facts.changing.contains(id) => self.opaque(e),
            ExprKind::Local(id) => self.values.get(id).cloned().unwrap_or_else(|| Poly::local(*id)),
            ExprKind::Unary(Unary::Neg, a) => Poly::default().minus(&self.poly(a)),
            ExprKind::Binary(Binary::Add, a, b) => self.poly(a).plus(&self.poly(b)),
            ExprKind::Binary(Binary::Sub, a, b) => self.poly(a).minus(&self.poly(b)),
            ExprKind::Binary(Binary::Mul, a, b) => self.poly(a).times(&self.poly(b)),
            ExprKind::Binary(Binary::Div, a, b) => {
                let numerator = self.poly(a);
                let divisor = self.poly(b).as_constant();
                divisor
                    .and_then(|divisor| numerator.divided_by(divisor))
                    .unwrap_or_else(|| self.opaque(e))
            }
            ExprKind::Cast(a) if e.ty == Type::Scalar(Scalar::I64) && keeps_value(a) => self.poly(a),
            ExprKind::Select(cond, a, b) => match self.truth(cond) {
                Some(true) => self.poly(a),
                Some(false) => self.poly(b),
                None => self.opaque(e),
            },
            ExprKind::Load(place, index) if self.facts.fixed.contains(place) && is_integer(e) => {
                self.element(*place, index).unwrap_or_else(|| self.opaque(e))
            }
            _ => match self.number(e) {
                Some(value) => Poly::constant(value),
                None => self.opaque(e),
            },
        }
    }

    /// An element that nothing changes, if it is known which one.
    fn element(&mut self, place: Place, index: &Expr) -> Option<Poly> {
        let index = self.poly(index);
        let (buffer, index) = match place {
            Place::Buffer(buffer) => (buffer, index),
            Place::Row(row) => match self.row(row) {
                [begin] => (begin.buffer, begin.offset.plus(&index)),
                _ => return None,
            },
        };
        Some(Poly::atom(Atom::Element(buffer, Box::new(index))))
    }

    /// A value that is only compared with itself: by its text, unless that may mean different values in different places.
    fn opaque(&mut self, e: &Expr) -> Poly {
        let mut stable = true;
        let mut locals = BTreeSet::new();
        e.walk(&mut |part| match &part.kind {
            ExprKind::Local(id) if self.facts.changing.contains(id) => {
                stable = false;
                locals.extend(self.changes_with(*id));
            }
            ExprKind::Local(id) => {
                locals.insert(*id);
                locals.extend(self.values.get(id).iter().flat_map(|value| value.locals()));
            }
            ExprKind::Load(place, _) if self.facts.fixed.contains(place) => {
                if let Place::Row(row) = place {
                    locals.extend(self.row(*row).iter().flat_map(|begin| begin.offset.locals()));
                }
            }
            ExprKind::Load(..) | ExprKind::Reduce(..) | ExprKind::Invalid => {
                stable = false;
                locals.extend(self.around.iter().map(|around| around.index()));
            }
            _ => {}
        });
        if stable {
            Poly::atom(Atom::Opaque(text(e), locals))
        } else {
            self.unknown(locals)
        }
    }

    /// Indices of the loops around, in whose rounds or lanes a changing variable may have different values.
    fn changes_with(&self, id: LocalId) -> Vec<LocalId> {
        let depth = self.depths.get(&id).copied().unwrap_or(self.around.len());
        let differs = |(at, around): &(usize, &Around)| matches!(around, Around::Rounds(_)) || *at < depth;
        let loops = self.around.iter().enumerate().filter(differs);
        loops.map(|(_, around)| around.index()).collect()
    }
}

/// Whether `e as i64` has the value of `e`. Of a constant whose type is not known yet that is assumed.
fn keeps_value(e: &Expr) -> bool {
    match e.ty {
        Type::Scalar(ty) => ty.is_integer() && ty != Scalar::U64,
        _ => matches!(e.kind, ExprKind::Item(_)),
    }
}

fn is_integer(e: &Expr) -> bool {
    matches!(e.ty, Type::Scalar(ty) if ty.is_integer())
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
        ExprKind::IsEmpty(id) => format!("empty{id}"),
        ExprKind::Reduce(reduce, _) => format!("{reduce:?}"),
        ExprKind::Invalid => "invalid".into(),
    };
    format!("{head}({})", parts.join(","))
}

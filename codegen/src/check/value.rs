//! Values of expressions as polynomials.

use std::collections::BTreeSet;

use super::known::{Beginning, Known, widens};
use super::operation::{Operation, Operator};
use super::poly::{Atom, Poly};
use crate::ir::{Expr, ExprKind, For, LocalId, Place, Scalar, Type};

/// More atoms than any index that somebody writes: a value of more is not looked into, so that values of values of values do
/// not grow without end.
const LARGEST: usize = 200;

impl Known {
    /// The value of an expression of integers and `bool`s: the number that it is whatever its type, 0 or 1 of a `bool`.
    ///
    /// Of a float nothing is known but what it depends on: not even that it is equal to itself, since it may be NaN, and since
    /// a device may round one expression differently in two places.
    pub(crate) fn poly(&self, e: &Expr) -> Poly {
        let value = self.value(e);
        if value.size() > LARGEST {
            self.unknown(value.locals())
        } else {
            value
        }
    }

    /// One past the last value of a loop's index, which the index's type need not have.
    pub(super) fn past(&self, f: &For) -> Poly {
        self.poly(&f.end).plus(&Poly::constant(f.closed.into()))
    }

    fn value(&self, e: &Expr) -> Poly {
        let kind = match &e.kind {
            ExprKind::Int(value) => return Poly::constant(*value),
            ExprKind::Bool(value) => return Poly::constant((*value).into()),
            ExprKind::Item(path) => return Poly::atom(Atom::Item(path.as_str().into())),
            ExprKind::Const(id) => {
                return match self.bools.get(id) {
                    Some(value) => Poly::constant((*value).into()),
                    None => Poly::atom(Atom::Const(*id)),
                };
            }
            ExprKind::Local(id) if self.facts.changing.contains(id) => {
                return self.unknown(self.changes_with(*id));
            }
            ExprKind::Local(id) => {
                return self.values.get(id).cloned().unwrap_or_else(|| Poly::local(*id));
            }
            ExprKind::IsEmpty(id) => match self.given.get(id) {
                Some(given) => return Poly::constant((!given).into()),
                None => Operator::IsEmpty(*id),
            },
            ExprKind::Load(place, index) => return self.load(*place, index, is_float(e)),
            ExprKind::Reduce(..) | ExprKind::ReducePlace(..) | ExprKind::ScanSum(..) | ExprKind::Invalid => {
                return self.unknown(self.indices_around());
            }
            _ if is_float(e) || self.is_of_floats(e) => return self.unknown(self.depends_on(e)),
            ExprKind::Param(id) => match self.equal.get(id) {
                Some(value) => return value.clone(),
                None if self.facts.signed.contains(id) => Operator::Param(*id),
                None => return Poly::atom(Atom::Param(*id)),
            },
            ExprKind::Cast(a) if keeps_value(a, e) => return self.poly(a),
            ExprKind::Cast(_) => Operator::Cast,
            ExprKind::Unary(op, _) => Operator::Unary(*op),
            ExprKind::Binary(op, ..) => Operator::Binary(*op),
            ExprKind::Math(math, _) => Operator::Math(*math),
            ExprKind::Select(..) => Operator::Select,
            ExprKind::Float(_) | ExprKind::Call(..) => return self.unknown(self.depends_on(e)),
        };
        Operation::result(kind, e.ty, self.operands(e))
    }

    fn operands(&self, e: &Expr) -> Vec<Poly> {
        let mut operands = Vec::new();
        e.children(&mut |child| operands.push(self.poly(child)));
        operands
    }

    /// The variables that the operands of an expression depend on.
    fn depends_on(&self, e: &Expr) -> BTreeSet<LocalId> {
        self.operands(e).iter().flat_map(Poly::locals).collect()
    }

    fn is_of_floats(&self, e: &Expr) -> bool {
        let mut floats = false;
        e.children(&mut |child| floats |= is_float(child));
        floats
    }

    /// What is loaded: an element that nothing changes, or a value that may differ in each group, round and lane.
    fn load(&self, place: Place, index: &Expr, float: bool) -> Poly {
        let index = self.poly(index);
        let row = match place {
            Place::Row(row) => self.rows.get(&row),
            Place::Buffer(_) => None,
        };
        if !self.facts.fixed.contains(&place) {
            return self.unknown(self.indices_around());
        }
        match (place, row) {
            _ if float => {
                let of_row = row.into_iter().flat_map(Beginning::locals);
                self.unknown(index.locals().into_iter().chain(of_row).collect())
            }
            (Place::Buffer(buffer), _) => Poly::atom(Atom::Element(buffer, index)),
            (Place::Row(_), Some(row)) => element(row, &index),
            (Place::Row(_), None) => self.unknown(self.indices_around()),
        }
    }
}

/// The element of a row of integers that nothing changes.
fn element(row: &Beginning, index: &Poly) -> Poly {
    match row {
        Beginning::At(begin) => {
            let at = begin.offset.plus(index);
            Poly::atom(Atom::Element(begin.buffer, at))
        }
        Beginning::Either(cond, a, b) => {
            let operands = vec![cond.clone(), element(a, index), element(b, index)];
            Operation::result(Operator::Select, Type::Scalar(Scalar::I64), operands)
        }
    }
}

fn is_float(e: &Expr) -> bool {
    e.ty == Type::Scalar(Scalar::F32)
}

/// Whether a cast gives the very number. Of a constant whose type is not known yet that is assumed: it is judged again with
/// its value.
fn keeps_value(from: &Expr, to: &Expr) -> bool {
    matches!(from.kind, ExprKind::Item(_)) || widens(from.ty.scalar(), to.ty.scalar())
}

//! Operations on integers and `bool`s that polynomials do not look into.

use std::rc::Rc;

use super::poly::{Atom, Poly};
use crate::ir::{Binary, Math, ParamId, Scalar, Type, Unary};

/// An operation. Its operands are the numbers that they are, whatever their types, so that the type of the result says how it
/// wraps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Operation {
    pub(crate) kind: Operator,
    /// The type of the result; `None` where another item decides it.
    pub(crate) ty: Option<Scalar>,
    pub(crate) operands: Vec<Poly>,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operator {
    Unary(Unary),
    Binary(Binary),
    Cast,
    Math(Math),
    Select,
    /// Whether a number is greater than 0.
    IsPositive,
    /// Whether a number is 0.
    IsZero,
    /// A parameter that may be negative.
    Param(ParamId),
    /// Whether an optional buffer is null.
    IsEmpty(ParamId),
}

impl Operation {
    /// The result, worked out if the operands decide it.
    pub(crate) fn result(kind: Operator, ty: Type, operands: Vec<Poly>) -> Poly {
        let ty = ty.scalar();
        let operation = Operation { kind, ty, operands };
        operation
            .known()
            .unwrap_or_else(|| Poly::atom(Atom::Operation(Rc::new(operation))))
    }

    /// The result as a polynomial of the operands.
    fn known(&self) -> Option<Poly> {
        match (self.kind, &self.operands[..]) {
            (Operator::Unary(Unary::Not), [a]) if self.ty == Some(Scalar::Bool) => Some(not(a)),
            (Operator::Unary(Unary::Neg), [a]) => self.unless_it_wraps(Poly::default().minus(a)),
            (Operator::Binary(op), [a, b]) => self.binary(op, a, b),
            (Operator::Cast, [a]) => self.if_it_fits(a.clone()),
            (Operator::Select, [_, a, b]) if a == b => Some(a.clone()),
            (Operator::Select, [cond, a, b]) => match cond.as_constant()? {
                0 => Some(b.clone()),
                _ => Some(a.clone()),
            },
            _ => None,
        }
    }

    fn binary(&self, op: Binary, a: &Poly, b: &Poly) -> Option<Poly> {
        match op {
            Binary::Add => self.unless_it_wraps(a.plus(b)),
            Binary::Sub => self.unless_it_wraps(a.minus(b)),
            Binary::Mul => self.unless_it_wraps(a.times(b)),
            Binary::Div => a.divided_by(b.as_constant()?),
            Binary::And | Binary::Or => {
                // One of these decides the result, the other leaves it to the second operand.
                let decisive = i128::from(op == Binary::Or);
                match (a.as_constant(), b.as_constant()) {
                    (Some(x), _) | (_, Some(x)) if x == decisive => Some(Poly::constant(x)),
                    (Some(_), _) => Some(b.clone()),
                    (_, Some(_)) => Some(a.clone()),
                    (None, None) => None,
                }
            }
            Binary::Lt => Some(is_positive(b.minus(a))),
            Binary::Gt => Some(is_positive(a.minus(b))),
            Binary::Le => Some(not(&is_positive(a.minus(b)))),
            Binary::Ge => Some(not(&is_positive(b.minus(a)))),
            Binary::Eq => Some(is_zero(b.minus(a))),
            Binary::Ne => Some(not(&is_zero(b.minus(a)))),
            _ => None,
        }
    }

    /// A sum or product. Indices are `i64` and do not wrap; of narrower numbers that is known for constants alone.
    fn unless_it_wraps(&self, value: Poly) -> Option<Poly> {
        match self.ty {
            Some(Scalar::I64) | None => Some(value),
            Some(_) => self.if_it_fits(value),
        }
    }

    /// A constant that the type holds.
    fn if_it_fits(&self, value: Poly) -> Option<Poly> {
        let constant = value.as_constant()?;
        let (low, high) = self.ty?.range()?;
        (low..=high).contains(&constant).then_some(value)
    }

    /// The operation on what `replacement` gives for each operand.
    pub(crate) fn map(&self, replacement: &dyn Fn(&Poly) -> Option<Poly>) -> Option<Poly> {
        let operands = self.operands.iter().map(replacement).collect::<Option<_>>()?;
        let operation = Operation {
            operands,
            ..self.clone()
        };
        Some(Poly::atom(Atom::Operation(Rc::new(operation))))
    }

    /// Whether the result is surely at least 0.
    pub(crate) fn is_nonnegative(&self) -> bool {
        let unsigned = self
            .ty
            .is_some_and(|ty| ty == Scalar::Bool || (ty.is_integer() && !ty.is_signed()));
        let all_of = |operands: &[Poly]| operands.iter().all(Poly::is_nonnegative);
        unsigned
            || match self.kind {
                Operator::Select => all_of(&self.operands[1..]),
                Operator::Math(Math::Min) => all_of(&self.operands),
                Operator::Math(Math::Max) => self.operands.iter().any(Poly::is_nonnegative),
                Operator::Binary(Binary::Rem | Binary::Shr) => all_of(&self.operands[..1]),
                _ => false,
            }
    }
}

fn not(a: &Poly) -> Poly {
    Poly::constant(1).minus(a)
}

fn is_positive(a: Poly) -> Poly {
    match a.as_constant() {
        Some(value) => Poly::constant((value > 0).into()),
        None => test(Operator::IsPositive, a),
    }
}

/// `a == b` and `b == a` are one condition.
fn is_zero(a: Poly) -> Poly {
    match a.as_constant() {
        Some(value) => Poly::constant((value == 0).into()),
        None => test(Operator::IsZero, Poly::default().minus(&a).min(a)),
    }
}

fn test(kind: Operator, operand: Poly) -> Poly {
    Poly::atom(Atom::Operation(Rc::new(Operation {
        kind,
        ty: Some(Scalar::Bool),
        operands: vec![operand],
    })))
}

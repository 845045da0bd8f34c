//! Indices by which neighbouring lanes reach neighbouring elements.

use proc_macro2::Span;

use crate::check::{Atom, Poly};
use crate::ir::{Binary, Expr, ExprKind, Kernel, LocalId, ParamKind, Scalar, Type};

/// How many elements a lane may have in a register.
const STEPS: [u8; 3] = [1, 2, 4];

/// The index `step · i + start + at` of lane `i`: element `at` of the lane's `step` ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) step: u8,
    /// Known on the host.
    pub(super) start: Poly,
    /// Below `step`.
    pub(super) at: u8,
}

impl Form {
    /// The form of an index, if it has one.
    pub(super) fn of(index: &Poly, lane: LocalId) -> Option<Form> {
        let (slope, rest) = index.linear_in(lane)?;
        let slope = slope.as_constant()?;
        let step = STEPS.into_iter().find(|step| i128::from(*step) == slope)?;
        if !is_host(&rest) {
            return None;
        }
        let literal = rest.terms().find(|(atoms, _)| atoms.is_empty());
        let at = literal.map_or(0, |(_, c)| c.rem_euclid(slope));
        Some(Form {
            step,
            start: rest.minus(&Poly::constant(at)),
            at: u8::try_from(at).expect("a rest is below the divisor"),
        })
    }

    /// The form as an expression.
    pub(super) fn written(&self, lane: LocalId, kernel: &Kernel) -> Expr {
        let mut lane = number(ExprKind::Local(lane));
        if self.step > 1 {
            lane = binary(Binary::Mul, int(self.step.into()), lane);
        }
        let rest = self.start.plus(&Poly::constant(self.at.into()));
        match written(&rest, kernel) {
            Some(rest) => binary(Binary::Add, lane, rest),
            None => lane,
        }
    }
}

/// A polynomial of what is known on the host as an expression; `None` for 0.
pub(super) fn written(poly: &Poly, kernel: &Kernel) -> Option<Expr> {
    let (added, subtracted): (Vec<_>, Vec<_>) = poly.terms().partition(|(_, c)| *c > 0);
    let sum = added
        .into_iter()
        .map(|(atoms, c)| product(atoms, c, kernel))
        .reduce(|a, b| binary(Binary::Add, a, b));
    subtracted.into_iter().fold(sum, |sum, (atoms, c)| {
        let sum = sum.unwrap_or_else(|| int(0));
        Some(binary(Binary::Sub, sum, product(atoms, -c, kernel)))
    })
}

fn product(atoms: &[Atom], coefficient: i128, kernel: &Kernel) -> Expr {
    let times = (coefficient != 1 || atoms.is_empty()).then(|| int(coefficient));
    let atoms = atoms.iter().map(|atom| factor(atom, kernel));
    times
        .into_iter()
        .chain(atoms)
        .reduce(|a, b| binary(Binary::Mul, a, b))
        .expect("a product without atoms is a number")
}

fn factor(atom: &Atom, kernel: &Kernel) -> Expr {
    let (kind, ty) = match atom {
        Atom::Param(id) => match kernel.params[*id].kind {
            ParamKind::Scalar(ty) => (ExprKind::Param(*id), ty),
            ParamKind::Buffer(_) => unreachable!("indices are numbers"),
        },
        Atom::Const(id) => (ExprKind::Const(*id), kernel.consts[*id].ty),
        Atom::Quotient(numerator, divisor) => {
            let numerator = written(numerator, kernel).unwrap_or_else(|| int(0));
            return binary(Binary::Div, numerator, int((*divisor).into()));
        }
        Atom::Local(_)
        | Atom::Item(_)
        | Atom::Rounds(_)
        | Atom::Element(..)
        | Atom::Operation(_)
        | Atom::Unknown(..) => unreachable!("only what is known on the host is written"),
    };
    let factor = value(kind, ty);
    match ty {
        Scalar::I64 => factor,
        _ => number(ExprKind::Cast(Box::new(factor))),
    }
}

/// Whether a number is known on the host.
pub(super) fn is_host(poly: &Poly) -> bool {
    poly.terms().flat_map(|(atoms, _)| atoms).all(|atom| match atom {
        Atom::Param(_) | Atom::Const(_) => true,
        Atom::Quotient(numerator, _) => is_host(numerator),
        Atom::Local(_)
        | Atom::Item(_)
        | Atom::Rounds(_)
        | Atom::Element(..)
        | Atom::Operation(_)
        | Atom::Unknown(..) => false,
    })
}

fn number(kind: ExprKind) -> Expr {
    value(kind, Scalar::I64)
}

/// An expression that nobody wrote, and that nothing is said about.
fn value(kind: ExprKind, ty: Scalar) -> Expr {
    Expr {
        kind,
        ty: Type::Scalar(ty),
        span: Span::call_site(),
    }
}

fn int(value: i128) -> Expr {
    number(ExprKind::Int(value))
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    number(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

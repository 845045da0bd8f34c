//! Every integer expression has in C++ the value that it has in Rust, for every type, operator and form of operand.

use std::collections::BTreeMap;

use fastrand::Rng;
use proc_macro2::Span;

use super::cpp::{Ty, Typed, evaluate};
use crate::diagnostics::Errors;
use crate::emit::helper::Helpers;
use crate::emit::printer::{Level, Printer, Spelling};
use crate::front::{self, Externals};
use crate::ir::{Binary, Expr, ExprKind, Kernel, Local, Math, Scalar, Type, Unary};
use crate::program::{self, values};

const INTEGERS: [Scalar; 8] = [
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
];

const ARITHMETIC: [Binary; 8] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::BitAnd,
    Binary::BitOr,
    Binary::BitXor,
];

const COMPARISONS: [Binary; 6] = [
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
];

const MATH: [Math; 7] = [
    Math::Max,
    Math::Min,
    Math::SaturatingAdd,
    Math::SaturatingSub,
    Math::WrappingAdd,
    Math::WrappingMul,
    Math::WrappingSub,
];

/// Variables with their types and values; the printer is told that a variable's value may be anything.
#[derive(Default)]
struct Scope {
    locals: Vec<(Scalar, i128)>,
    spelling: Spelling,
    variables: BTreeMap<String, Typed>,
}

impl Scope {
    fn local(&mut self, ty: Scalar, value: i128) -> Expr {
        let id = self.locals.len();
        let name = format!("x{id}");
        self.locals.push((ty, value));
        self.variables
            .insert(name.clone(), Typed::new(cpp_type(ty), value));
        self.spelling.locals.push(name);
        expr(ExprKind::Local(id), ty)
    }

    /// Checks that the C++ of expressions has their values, wherever they stand. Gives how many have one in Rust.
    fn agree(&self, exprs: &[Expr]) -> usize {
        let valued: Vec<(Expr, i128)> = exprs
            .iter()
            .filter_map(|e| Some((e.clone(), self.value(e)?)))
            .collect();
        let (exprs, expected): (Vec<Expr>, Vec<i128>) = valued.into_iter().unzip();
        let locals: Vec<Local> = self.locals.iter().map(|(ty, _)| local(*ty)).collect();
        for (e, value) in values(&kernel(), &locals, &exprs).iter().zip(&expected) {
            self.agrees(e, *value);
        }
        expected.len()
    }

    fn agrees(&self, e: &program::Expr, value: i128) {
        let helpers = Helpers::default();
        let printer = Printer {
            spelling: &self.spelling,
            helpers: &helpers,
        };
        let text = printer.value(e);
        let found = evaluate(&text, &self.variables).converted(cpp_type(e.ty));
        assert_eq!(found, Ok(value), "{text}, a {}, of {}", e.ty, self.given(&text));
        if e.ty.is_integer() && e.ty.bits() >= 32 {
            // As a term it has its own type, which its inverse tells.
            let inverse = format!("~{}", printer.term(e, Level::Unary));
            let found = evaluate(&inverse, &self.variables).exact();
            let expected = cpp_type(e.ty).wrap(!value);
            assert_eq!(
                found,
                Ok(expected),
                "{inverse}, a {}, of {}",
                e.ty,
                self.given(&inverse)
            );
        }
    }

    /// The variables in a text with their values.
    fn given(&self, text: &str) -> String {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let named = self
            .variables
            .iter()
            .filter(|(name, _)| words.contains(&name.as_str()));
        named.map(|given| format!("{given:?} ")).collect()
    }

    /// The value that Rust gives an expression; `None` where it panics.
    fn value(&self, e: &Expr) -> Option<i128> {
        let Type::Scalar(ty) = e.ty else { unreachable!() };
        let (low, high) = ty.range().unwrap_or((0, 1));
        let fitting = |value: i128| (low..=high).contains(&value).then_some(value);
        let wrapped = |value: i128| Ty::named(ty.cpp()).expect("a type").wrap(value);
        match &e.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Bool(value) => Some((*value).into()),
            ExprKind::Local(id) => Some(self.locals[*id].1),
            ExprKind::Unary(Unary::Neg, a) => fitting(-self.value(a)?),
            ExprKind::Unary(Unary::Not, a) if ty == Scalar::Bool => Some(1 - self.value(a)?),
            ExprKind::Unary(Unary::Not, a) => Some(wrapped(!self.value(a)?)),
            ExprKind::Cast(a) => Some(wrapped(self.value(a)?)),
            ExprKind::Select(cond, a, b) => self.value(if self.value(cond)? != 0 { a } else { b }),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                match op {
                    Binary::Add => fitting(a + b),
                    Binary::Sub => fitting(a - b),
                    Binary::Mul => fitting(a.checked_mul(b)?),
                    Binary::Div => fitting(a.checked_div(b)?),
                    Binary::Rem => a.checked_div(b).and_then(fitting).map(|_| a % b),
                    Binary::BitAnd => Some(a & b),
                    Binary::BitOr => Some(a | b),
                    Binary::BitXor => Some(a ^ b),
                    Binary::Shl | Binary::Shr if !(0..ty.bits().into()).contains(&b) => None,
                    Binary::Shl => Some(wrapped(a << b)),
                    Binary::Shr => Some(a >> b),
                    Binary::Eq => Some((a == b).into()),
                    Binary::Ne => Some((a != b).into()),
                    Binary::Lt => Some((a < b).into()),
                    Binary::Le => Some((a <= b).into()),
                    Binary::Gt => Some((a > b).into()),
                    Binary::Ge => Some((a >= b).into()),
                    Binary::And | Binary::Or => unreachable!(),
                }
            }
            ExprKind::Math(math, args) => {
                let args: Option<Vec<i128>> = args.iter().map(|arg| self.value(arg)).collect();
                match (math, &args?[..]) {
                    (Math::Abs, [a]) => fitting(a.abs()),
                    (Math::WrappingNeg, [a]) => Some(wrapped(-a)),
                    (Math::Max, [a, b]) => Some(*a.max(b)),
                    (Math::Min, [a, b]) => Some(*a.min(b)),
                    (Math::SaturatingAdd, [a, b]) => Some((a + b).clamp(low, high)),
                    (Math::SaturatingSub, [a, b]) => Some((a - b).clamp(low, high)),
                    (Math::WrappingAdd, [a, b]) => Some(wrapped(a + b)),
                    (Math::WrappingMul, [a, b]) => Some(wrapped(a.wrapping_mul(*b))),
                    (Math::WrappingSub, [a, b]) => Some(wrapped(a - b)),
                    _ => unreachable!(),
                }
            }
            _ => unreachable!(),
        }
    }
}

/// Any kernel.
fn kernel() -> Kernel {
    let item = syn::parse_quote! {
        fn kernel(a: &mut [f32], n: i64) {
            for i in elements(n) {
                a.store(i, 0.0);
            }
        }
    };
    let nothing = Externals::Known {
        calls: &[],
        constants: &[],
    };
    let mut errors = Errors::default();
    front::kernel(quote::quote!(shapes(a = [n])), &item, nothing, &mut errors).0
}

fn local(ty: Scalar) -> Local {
    Local {
        name: "x".to_owned(),
        ty: Type::Scalar(ty),
        mutable: false,
        span: Span::call_site(),
    }
}

fn cpp_type(ty: Scalar) -> Ty {
    Ty::named(ty.cpp()).expect("an integer or bool")
}

fn expr(kind: ExprKind, ty: Scalar) -> Expr {
    Expr {
        kind,
        ty: Type::Scalar(ty),
        span: Span::call_site(),
    }
}

/// A literal as the front end reads it: its sign is an operator, but a constant's is not.
fn literal(value: i128, ty: Scalar, constant: bool) -> Expr {
    if value >= 0 || constant {
        return expr(ExprKind::Int(value), ty);
    }
    expr(
        ExprKind::Unary(Unary::Neg, Box::new(literal(-value, ty, false))),
        ty,
    )
}

fn unary(op: Unary, a: Expr) -> Expr {
    let ty = a.ty;
    Expr {
        kind: ExprKind::Unary(op, Box::new(a)),
        ty,
        span: Span::call_site(),
    }
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    let ty = if op.is_comparison() {
        Type::Scalar(Scalar::Bool)
    } else {
        a.ty
    };
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty,
        span: Span::call_site(),
    }
}

fn select(cond: Expr, a: Expr, b: Expr) -> Expr {
    let ty = a.ty;
    Expr {
        kind: ExprKind::Select(Box::new(cond), Box::new(a), Box::new(b)),
        ty,
        span: Span::call_site(),
    }
}

fn cast(a: Expr, ty: Scalar) -> Expr {
    expr(ExprKind::Cast(Box::new(a)), ty)
}

/// Numbers at which some type ends, and a few others.
fn numbers(ty: Scalar) -> Vec<i128> {
    let (low, high) = ty.range().expect("an integer type");
    let mut numbers: Vec<i128> = vec![0, 1, 2, 3, 7, -1, -5, 100_000, low, low + 1, high, high - 1];
    for bits in [7, 8, 15, 16, 31, 32, 63] {
        numbers.extend([(1 << bits) - 1, 1 << bits, -(1 << bits)]);
    }
    numbers.retain(|value| (low..=high).contains(value));
    numbers.sort();
    numbers.dedup();
    numbers
}

/// Operands of a type in all forms.
fn operands(ty: Scalar, scope: &mut Scope) -> Vec<Expr> {
    let numbers = numbers(ty);
    let mut all = Vec::new();
    for (at, value) in numbers.iter().enumerate() {
        let other = numbers[(at + 3) % numbers.len()];
        all.push(literal(*value, ty, at % 2 == 0));
        all.push(scope.local(ty, *value));
        for truth in [0, 1] {
            let cond = scope.local(Scalar::Bool, truth);
            all.push(select(
                cond.clone(),
                literal(*value, ty, true),
                literal(other, ty, false),
            ));
            let local = scope.local(ty, other);
            all.push(select(cond, literal(*value, ty, false), local));
        }
    }
    for from in INTEGERS {
        let value = *from
            .range()
            .map(|(low, high)| [low, high])
            .expect("a range")
            .last()
            .expect("two");
        all.push(cast(literal(value, from, true), ty));
        let local = scope.local(from, from.range().expect("a range").0);
        all.push(cast(local, ty));
        all.push(cast(unary(Unary::Not, literal(5, from, false)), ty));
    }
    all.push(cast(expr(ExprKind::Bool(true), Scalar::Bool), ty));
    all
}

#[test]
fn operators_on_two_operands_of_all_forms() {
    for ty in INTEGERS {
        let mut scope = Scope::default();
        let operands = operands(ty, &mut scope);
        let mut all = Vec::new();
        for (at, a) in operands.iter().enumerate() {
            all.extend([a.clone(), unary(Unary::Not, a.clone())]);
            if ty.is_signed() {
                all.push(unary(Unary::Neg, a.clone()));
                all.push(expr(ExprKind::Math(Math::Abs, vec![a.clone()]), ty));
            }
            for b in operands.iter().skip(at % 37).step_by(37) {
                for op in ARITHMETIC.into_iter().chain(COMPARISONS) {
                    all.push(binary(op, a.clone(), b.clone()));
                }
                for math in MATH {
                    all.push(expr(ExprKind::Math(math, vec![a.clone(), b.clone()]), ty));
                }
            }
        }
        let valued = scope.agree(&all);
        assert!(valued > 2_000, "{ty}: {valued}");
    }
}

#[test]
fn shifts_by_amounts_of_all_types() {
    for ty in INTEGERS {
        let mut scope = Scope::default();
        let operands = operands(ty, &mut scope);
        let mut all = Vec::new();
        for by in INTEGERS {
            for amount in [0, i128::from(ty.bits()) - 1] {
                let local = scope.local(by, amount);
                for amount in [literal(amount, by, false), local] {
                    for a in operands.iter() {
                        all.push(binary(Binary::Shl, a.clone(), amount.clone()));
                        all.push(binary(Binary::Shr, a.clone(), amount.clone()));
                    }
                }
            }
        }
        assert_eq!(scope.agree(&all), all.len());
    }
}

/// Draws expressions of a type.
struct Author {
    rng: Rng,
    scope: Scope,
}

impl Author {
    fn expr(&mut self, ty: Scalar, depth: u32) -> Expr {
        if depth == 0 {
            let all = numbers(ty);
            let value = all[self.rng.usize(..all.len())];
            return match self.rng.u32(0..5) {
                0 => self.scope.local(ty, value),
                1 => literal(value, ty, true),
                _ => literal(value, ty, false),
            };
        }
        let depth = depth - 1;
        match self.rng.u32(0..12) {
            0 => unary(Unary::Not, self.expr(ty, depth)),
            1 if ty.is_signed() => unary(Unary::Neg, self.expr(ty, depth)),
            1..6 => {
                let op = ARITHMETIC[self.rng.usize(..ARITHMETIC.len())];
                binary(op, self.expr(ty, depth), self.expr(ty, depth))
            }
            6 => {
                let by = INTEGERS[self.rng.usize(..8)];
                let amount = literal(self.rng.i128(0..ty.bits().into()), by, false);
                let op = if self.rng.bool() { Binary::Shl } else { Binary::Shr };
                binary(op, self.expr(ty, depth), amount)
            }
            7 | 8 => {
                let of = INTEGERS[self.rng.usize(..8)];
                let op = COMPARISONS[self.rng.usize(..COMPARISONS.len())];
                let cond = binary(op, self.expr(of, depth), self.expr(of, depth));
                select(cond, self.expr(ty, depth), self.expr(ty, depth))
            }
            9 => {
                let math = MATH[self.rng.usize(..MATH.len())];
                let both = vec![self.expr(ty, depth), self.expr(ty, depth)];
                expr(ExprKind::Math(math, both), ty)
            }
            _ => {
                let from = INTEGERS[self.rng.usize(..8)];
                cast(self.expr(from, depth), ty)
            }
        }
    }
}

#[test]
fn random_expressions() {
    let mut valued = 0;
    for seed in 0..200 {
        let mut author = Author {
            rng: Rng::with_seed(seed),
            scope: Scope::default(),
        };
        let mut expr = |at: usize| {
            let depth = author.rng.u32(2..5);
            author.expr(INTEGERS[at % 8], depth)
        };
        // One kernel has them all: lowering it takes longer than to compare an expression.
        let exprs: Vec<Expr> = (0..40).map(&mut expr).collect();
        valued += author.scope.agree(&exprs);
    }
    assert!(valued > 1_500, "{valued} have a value");
}

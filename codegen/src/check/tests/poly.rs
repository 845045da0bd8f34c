use std::collections::BTreeSet;

use crate::check::known::{Around, Facts, Known};
use crate::check::poly::{Atom, Poly};
use crate::ir::{Binary, Expr, ExprKind, Scalar, Type, Unary};

fn number(value: i128) -> Poly {
    Poly::constant(value)
}

/// Sizes `n` and `m`, and a loop index `i`.
fn n() -> Poly {
    Poly::atom(Atom::Param(0))
}

fn m() -> Poly {
    Poly::atom(Atom::Param(1))
}

fn i() -> Poly {
    Poly::local(0)
}

fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind,
        ty: Type::Scalar(Scalar::I64),
        span: proc_macro2::Span::call_site(),
    }
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

fn int(value: i128) -> Expr {
    expr(ExprKind::Int(value))
}

fn param(id: usize) -> Expr {
    expr(ExprKind::Param(id))
}

fn local(id: usize) -> Expr {
    expr(ExprKind::Local(id))
}

#[test]
fn equal_numbers_are_equal_however_they_are_written() {
    let known = Known::default();
    // (n + i) · 2 - i, and 2n + i.
    let doubled = binary(Binary::Mul, binary(Binary::Add, param(0), local(0)), int(2));
    let written = binary(Binary::Sub, doubled, local(0));
    assert_eq!(known.poly(&written), n().times(&number(2)).plus(&i()));
    let negated = expr(ExprKind::Unary(Unary::Neg, Box::new(written)));
    assert_eq!(
        known.poly(&negated).plus(&n().times(&number(2))),
        number(0).minus(&i())
    );
    assert_eq!(n().times(&m()), m().times(&n()));
    assert_eq!(n().minus(&n()).as_constant(), Some(0));
    assert_eq!(n().as_constant(), None);
}

#[test]
fn a_line_has_a_slope_and_a_rest() {
    let line = i().times(&n()).plus(&i().times(&number(3))).plus(&m());
    let (slope, rest) = line.linear_in(0).expect("linear");
    assert_eq!((slope, rest), (n().plus(&number(3)), m()));
    assert_eq!(i().times(&i()).linear_in(0), None);
}

#[test]
fn sums_of_sizes_are_not_negative() {
    assert!(n().times(&m()).plus(&i()).is_nonnegative());
    assert!(number(0).is_nonnegative());
    assert!(!number(-1).is_nonnegative());
    assert!(!n().minus(&number(1)).is_nonnegative());
    assert!(!n().minus(&m()).is_nonnegative());
}

#[test]
fn what_is_not_known_may_be_negative() {
    let unknown = Known::default().unknown(BTreeSet::new());
    assert!(!unknown.is_nonnegative());
    assert!(unknown.minus(&unknown).is_nonnegative());
    let signed = Known::new(Facts {
        signed: BTreeSet::from([1]),
        ..Facts::default()
    })
    .poly(&param(1));
    assert!(!signed.is_nonnegative());
}

#[test]
fn twice_the_half_is_at_most_the_whole() {
    let half = n().divided_by(2).expect("a size");
    assert!(n().minus(&half.times(&number(2))).is_nonnegative());
    assert!(!half.times(&number(2)).minus(&n()).is_nonnegative());
    assert!(!n().minus(&half.times(&number(3))).is_nonnegative());
    assert!(n().minus(&half).is_nonnegative());
    assert!(
        n().times(&number(2))
            .minus(&half.times(&number(3)))
            .is_nonnegative()
    );
    assert!(!half.minus(&n()).is_nonnegative());
    // With n at least 1: 2 · (n / 2) may be n itself.
    let last = n().minus(&half.times(&number(2))).minus(&number(1));
    assert!(!last.counted_from_one(&n().factors()).is_nonnegative());
}

#[test]
fn division_rounds_down_only_what_is_not_negative() {
    assert_eq!(number(7).divided_by(2).map(|p| p.is_nonnegative()), Some(true));
    assert_eq!(n().times(&number(6)).divided_by(3), Some(n().times(&number(2))));
    assert_eq!(
        n().minus(&m()).times(&number(4)).divided_by(2),
        Some(n().minus(&m()).times(&number(2)))
    );
    assert_eq!(n().minus(&m()).divided_by(2), None);
    assert_eq!(n().divided_by(0), None);
    assert_eq!(n().divided_by(-2), None);
}

#[test]
fn only_products_have_factors() {
    assert_eq!(n().times(&m()).factors(), [Atom::Param(0), Atom::Param(1)]);
    assert_eq!(n().plus(&m()).factors(), []);
    assert_eq!(number(0).factors(), []);
}

#[test]
fn changing_variables_are_never_compared() {
    let mut known = Known::new(Facts {
        changing: BTreeSet::from([0]),
        ..Facts::default()
    });
    assert_ne!(known.poly(&local(0)), known.poly(&local(0)));
    known.let_be(0, None);
    known.enter(Around::Rounds(7), &number(0), &n());
    known.enter(Around::Together(8), &number(0), &n());
    assert!(known.poly(&local(0)).depends_on(7), "it may change in each round");
    assert!(!known.poly(&local(0)).depends_on(8), "lanes do not change it");
    known.let_be(0, None);
    assert!(
        known.poly(&local(0)).depends_on(8),
        "each lane has a variable of its own"
    );
}

#[test]
fn an_index_that_starts_below_zero_is_no_size() {
    let mut known = Known::default();
    known.enter(Around::Rounds(0), &number(-1), &n());
    assert!(!known.poly(&local(0)).is_nonnegative());
    assert!(known.poly(&local(0)).depends_on(0));
    assert!(Known::default().poly(&local(0)).is_nonnegative());
}

#[test]
fn casts_that_keep_the_value_are_looked_through() {
    let cast = |ty| {
        let inner = Expr {
            ty: Type::Scalar(ty),
            ..param(0)
        };
        Known::default().poly(&expr(ExprKind::Cast(Box::new(inner))))
    };
    assert_eq!(cast(Scalar::U32), n());
    assert_eq!(cast(Scalar::I32), n());
    assert!(!cast(Scalar::U64).is_nonnegative());
    assert!(!cast(Scalar::F32).is_nonnegative());
    assert_eq!(cast(Scalar::Bool), n(), "`false` and `true` are 0 and 1");
}

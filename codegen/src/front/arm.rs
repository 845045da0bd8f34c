//! `match`: a chain of `if`s, whose last arm is the `else`, since rustc sees to it that every value has an arm.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Arm, Expr as SynExpr, ExprMatch, Pat, RangeLimits};

use super::lower::{Lower, plain};
use super::scope::Binding;
use crate::ir::{Binary, Expr, ExprKind, Scalar, StmtKind, Type, Unary};

const PATTERNS: &str = "a pattern in a kernel is an integer, `true`, `false`, a range, a constant, several of them with `|`, or `_`; for anything else write an `if`";

impl Lower<'_> {
    /// A `match` whose arms give no value.
    pub(super) fn match_stmt(&mut self, e: &ExprMatch) {
        let matched = self.matched(&e.expr);
        self.arm_stmts(&matched, &e.arms, e.match_token.span());
    }

    fn arm_stmts(&mut self, matched: &Expr, arms: &[Arm], at: Span) {
        let Some((arm, others)) = arms.split_first() else {
            return;
        };
        let Some(cond) = self.pattern(matched, &arm.pat).filter(|_| !others.is_empty()) else {
            return self.expr_stmt(&arm.body);
        };
        let (then, ()) = self.in_block(|lower| lower.expr_stmt(&arm.body));
        let (otherwise, ()) = self.in_block(|lower| lower.arm_stmts(matched, others, at));
        self.push(StmtKind::If(cond, then, otherwise), at);
    }

    /// The `count` values that a `match` gives.
    pub(super) fn match_values(&mut self, e: &ExprMatch, count: usize) -> Vec<Expr> {
        let matched = self.matched(&e.expr);
        self.arm_values(&matched, &e.arms, count, e)
    }

    fn arm_values(&mut self, matched: &Expr, arms: &[Arm], count: usize, e: &ExprMatch) -> Vec<Expr> {
        let Some((arm, others)) = arms.split_first() else {
            // rustc asks for the arms.
            return vec![super::grid::placeholder(e.span()); count];
        };
        let Some(cond) = self.pattern(matched, &arm.pat).filter(|_| !others.is_empty()) else {
            return self.values(&arm.body, count);
        };
        let then = self.in_block(|lower| lower.values(&arm.body, count));
        let otherwise = self.in_block(|lower| lower.arm_values(matched, others, count, e));
        self.chosen(cond, then, otherwise, e.span(), e.match_token.span())
    }

    /// What is matched: evaluated once, before any arm.
    fn matched(&mut self, e: &SynExpr) -> Expr {
        if let SynExpr::Tuple(tuple) = e {
            return self.invalid(
                tuple.span(),
                "a `match` in a kernel looks at one integer or `bool`; write an `if`",
            );
        }
        let value = self.value(e);
        let ty = self.infer.shallow(value.ty);
        if ty == Type::Scalar(Scalar::F32) {
            return self.invalid(
                e.span(),
                "a `match` in a kernel looks at one integer or `bool`, and this is an `f32`; write an `if`",
            );
        }
        let is_name = matches!(
            value.kind,
            ExprKind::Local(_) | ExprKind::Param(_) | ExprKind::Invalid
        );
        if is_name || is_constant(&value) {
            return value;
        }
        let span = value.span;
        let id = self.local(&syn::Ident::new("matched", span), false, value.ty);
        if let Some(size) = self.on_host(value.clone()) {
            self.sizes.insert(id, size);
        }
        self.push(StmtKind::Let(id, Some(value)), span);
        Expr {
            kind: ExprKind::Local(id),
            ty,
            span,
        }
    }

    /// When a pattern fits; `None` if always.
    fn pattern(&mut self, matched: &Expr, pat: &Pat) -> Option<Expr> {
        let span = pat.span();
        let constant = match pat {
            Pat::Wild(_) => return None,
            Pat::Paren(paren) => return self.pattern(matched, &paren.pat),
            Pat::Guard(guarded) => {
                self.error(
                    guarded.if_token.span(),
                    "a `match` in a kernel has no guards; write an `if`",
                );
                return self.pattern(matched, &guarded.pat);
            }
            Pat::Or(or) => {
                let cases = or.cases.iter().map(|case| self.pattern(matched, case));
                // All of them are looked into, whichever fits always.
                let cases: Vec<Option<Expr>> = cases.collect();
                return cases
                    .into_iter()
                    .reduce(|a, b| Some(test(Binary::Or, a?, b?, span)))?;
            }
            // Said once, of what is matched.
            _ if matches!(matched.kind, ExprKind::Invalid) => return Some(super::grid::placeholder(span)),
            Pat::Range(range) => return self.range(matched, range),
            Pat::Lit(lit) => self.literal(&lit.lit),
            Pat::Path(path) => self.path(path),
            Pat::Ident(name) => match self.constant_name(name) {
                Some(path) => self.path(&path),
                None => return Some(super::grid::placeholder(span)),
            },
            _ => return Some(self.invalid(span, PATTERNS)),
        };
        self.compared(matched, &constant);
        Some(match constant.kind {
            ExprKind::Float(_) => self.invalid(span, PATTERNS),
            ExprKind::Bool(true) => matched.clone(),
            ExprKind::Bool(false) => Expr {
                kind: ExprKind::Unary(Unary::Not, Box::new(matched.clone())),
                ..constant
            },
            _ => test(Binary::Eq, matched.clone(), constant, span),
        })
    }

    /// A name in a pattern, if it is that of a constant; others would be bound.
    fn constant_name(&mut self, name: &syn::PatIdent) -> Option<syn::ExprPath> {
        let plain_name = plain(&name.ident);
        let odd = name.by_ref.is_some() || name.mutability.is_some() || name.subpat.is_some();
        let is_constant = match self.scopes.find(&plain_name) {
            Some(Binding::Local(id)) => self.constants.contains(&id),
            Some(Binding::Invalid) => return None,
            Some(Binding::Const(_)) => true,
            Some(_) => false,
            // As rustc tells them apart for its own warnings.
            None => !plain_name.contains(char::is_lowercase),
        };
        if odd || !is_constant {
            self.error(
                name.span(),
                format_args!(
                    "a pattern in a kernel binds no name; write `_`, or an `if` in place of the `match`"
                ),
            );
            self.scopes.bind(plain_name, Binding::Invalid);
            return None;
        }
        Some(syn::ExprPath {
            attrs: vec![],
            qself: None,
            path: name.ident.clone().into(),
        })
    }

    /// `a..=b`, with either end left out or the last one not in it.
    fn range(&mut self, matched: &Expr, range: &syn::PatRange) -> Option<Expr> {
        let span = range.span();
        let last = match range.limits {
            RangeLimits::Closed(_) => Binary::Le,
            RangeLimits::HalfOpen(_) => Binary::Lt,
        };
        let ends = [(&range.start, Binary::Ge), (&range.end, last)];
        let mut tests = ends.into_iter().filter_map(|(end, op)| {
            let end = self.value(end.as_deref()?);
            self.compared(matched, &end);
            (!is_always(op, &end, self.infer.shallow(matched.ty)))
                .then(|| test(op, matched.clone(), end, span))
        });
        let tests: Vec<Expr> = tests.by_ref().collect();
        tests.into_iter().reduce(|a, b| test(Binary::And, a, b, span))
    }

    /// A literal in a pattern is of the type of what is matched.
    fn compared(&mut self, matched: &Expr, constant: &Expr) {
        self.same(matched.ty, constant.ty, constant.span);
    }
}

/// Whether every value of a type passes a test, of which compilers would warn.
fn is_always(op: Binary, end: &Expr, ty: Type) -> bool {
    let (Type::Scalar(ty), ExprKind::Int(end)) = (ty, &end.kind) else {
        return false;
    };
    ty.range().is_some_and(|(low, high)| match op {
        Binary::Ge => *end == low,
        _ => op == Binary::Le && *end == high,
    })
}

fn test(op: Binary, a: Expr, b: Expr, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty: Type::Scalar(Scalar::Bool),
        span,
    }
}

/// Whether evaluating it again for every arm costs nothing, and hides nothing.
fn is_constant(e: &Expr) -> bool {
    !e.any(&mut |part| {
        !matches!(
            part.kind,
            ExprKind::Int(_)
                | ExprKind::Bool(_)
                | ExprKind::Const(_)
                | ExprKind::Item(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Cast(_)
        )
    })
}

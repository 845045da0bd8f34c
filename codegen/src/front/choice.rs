//! `specialize(..)` and `optional(..)`: what the launcher decides from its arguments.

use syn::spanned::Spanned;
use syn::{Expr, Ident, Lit, UnOp};

use super::attribute::Arguments;
use super::lower::{Lower, plain};
use super::scope::Binding;
use crate::ir::{ParamId, ParamKind, Scalar};

impl Lower<'_> {
    /// The values of each parameter in `specialize(..)`, and which buffers may be null.
    pub(super) fn choices(&mut self, arguments: &Arguments) {
        for name in &arguments.optional {
            self.optional(name);
        }
        for (name, list) in &arguments.specialize {
            if let Some((id, ty)) = self.chosen_param(name) {
                self.params[id].values = self.listed(name, ty, list);
            }
        }
    }

    /// Marks the buffers in `optional(..)`.
    fn optional(&mut self, name: &Ident) {
        let Some(id) = self.buffer_named(name) else {
            return;
        };
        let buffer = self.buffer_mut(id);
        let refusal = if buffer.mutable {
            format!("`{name}` is written; `optional(..)` is for `&[T]` parameters")
        } else if buffer.optional {
            format!("`{name}` is listed twice")
        } else {
            buffer.optional = true;
            return;
        };
        self.error(name.span(), refusal);
    }

    /// The parameter that `specialize(..)` names.
    fn chosen_param(&mut self, name: &Ident) -> Option<(ParamId, Scalar)> {
        let what = match self.scopes.find(&plain(name)) {
            Some(Binding::Param(id)) => match self.params[id].kind {
                ParamKind::Scalar(Scalar::F32) => "an `f32`",
                ParamKind::Scalar(ty) => return Some((id, ty)),
                ParamKind::Buffer(_) => unreachable!("buffers are bound as buffers"),
            },
            Some(Binding::Buffer(_)) => "a buffer",
            Some(Binding::Const(_)) => "a constant already",
            Some(Binding::Invalid) => return None,
            _ => {
                self.error(
                    name.span(),
                    format_args!("`{name}` is no parameter of this kernel"),
                );
                return None;
            }
        };
        self.error(
            name.span(),
            format_args!("`{name}` is {what}; `specialize(..)` is for integers and `bool`"),
        );
        None
    }

    fn listed(&mut self, name: &Ident, ty: Scalar, list: &[Expr]) -> Vec<i64> {
        let mut values = Vec::new();
        for e in list {
            match listed_value(e, ty) {
                Some(value) if values.contains(&value) => {
                    self.error(
                        e.span(),
                        format_args!("{} is listed twice", value_text(value, ty)),
                    );
                }
                Some(value) => values.push(value),
                None => self.error(
                    e.span(),
                    format_args!("a value of `{name}` is a literal that a `{ty}` holds"),
                ),
            }
        }
        if list.is_empty() {
            self.error(
                name.span(),
                format_args!("which values may `{name}` have? List them, as in `{name} in [0, 1]`"),
            );
        }
        values
    }
}

/// A value as Rust writes it.
fn value_text(value: i64, ty: Scalar) -> String {
    match ty {
        Scalar::Bool => (value != 0).to_string(),
        _ => value.to_string(),
    }
}

/// The value that `e` lists for a parameter of type `ty`; `bool` as 0 or 1.
fn listed_value(e: &Expr, ty: Scalar) -> Option<i64> {
    match e {
        Expr::Paren(paren) => listed_value(&paren.expr, ty),
        Expr::Lit(lit) => match &lit.lit {
            Lit::Bool(value) if ty == Scalar::Bool => Some(value.value.into()),
            _ => in_range(integer(lit, ty)?, ty),
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
            Expr::Lit(lit) => in_range(-integer(lit, ty)?, ty),
            _ => None,
        },
        _ => None,
    }
}

fn integer(lit: &syn::ExprLit, ty: Scalar) -> Option<i128> {
    let Lit::Int(lit) = &lit.lit else { return None };
    let fits = lit.suffix().is_empty() || lit.suffix() == ty.rust();
    lit.base10_parse().ok().filter(|_| fits)
}

fn in_range(value: i128, ty: Scalar) -> Option<i64> {
    let (low, high) = ty.range()?;
    i64::try_from(value)
        .ok()
        .filter(|_| (low..=high).contains(&value))
}

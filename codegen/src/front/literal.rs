//! Literals, and constants: those of primitive types, and the user's.

use proc_macro2::Span;
use syn::Lit;
use syn::spanned::Spanned;

use super::Externals;
use super::lower::Lower;
use crate::ir::{Expr, ExprKind, Scalar, Type};
use crate::source::Constant;

impl Lower<'_> {
    pub(super) fn literal(&mut self, lit: &Lit) -> Expr {
        let span = lit.span();
        let (kind, ty) = match lit {
            Lit::Bool(lit) => (ExprKind::Bool(lit.value), Type::Scalar(Scalar::Bool)),
            Lit::Int(lit) if lit.suffix() == "f32" => {
                return self.float(lit.base10_digits(), Type::Scalar(Scalar::F32), span);
            }
            Lit::Int(lit) => {
                let ty = match (lit.suffix(), Scalar::from_rust(lit.suffix())) {
                    ("", _) => self.infer.integer(),
                    (_, Some(ty)) => Type::Scalar(ty),
                    (suffix, None) => {
                        return self.invalid(
                            span,
                            format_args!(
                                "there is no `{suffix}` in a kernel; use a sized integer such as `i64`"
                            ),
                        );
                    }
                };
                match lit.base10_parse::<i128>() {
                    Ok(value) => (ExprKind::Int(value), ty),
                    Err(error) => return self.invalid(span, error),
                }
            }
            Lit::Float(lit) => {
                let ty = match lit.suffix() {
                    "" => self.infer.float(),
                    "f32" => Type::Scalar(Scalar::F32),
                    suffix => {
                        return self.invalid(
                            span,
                            format_args!("there is no `{suffix}` in a kernel; floats are `f32`"),
                        );
                    }
                };
                return self.float(lit.base10_digits(), ty, span);
            }
            Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) | Lit::Char(_) => {
                return self.invalid(span, "there is no text in a kernel");
            }
            _ => return self.invalid(span, "a byte is written as a number here"),
        };
        Expr { kind, ty, span }
    }

    fn float(&mut self, digits: &str, ty: Type, span: Span) -> Expr {
        match digits.parse::<f32>() {
            Ok(value) => Expr {
                kind: ExprKind::Float(value),
                ty,
                span,
            },
            Err(error) => self.invalid(span, error),
        }
    }

    /// A constant item: one of a primitive type, or the user's.
    pub(super) fn constant(&mut self, path: &syn::ExprPath) -> Expr {
        let span = path.span();
        let name = super::path_name(path);
        match primitive_constant(&name) {
            Primitive::Known(kind, ty) => {
                return Expr {
                    kind,
                    ty: Type::Scalar(ty),
                    span,
                };
            }
            Primitive::Unknown(message) => return self.invalid(span, message),
            Primitive::Not => {}
        }
        if !self.paths.constants.contains(path) {
            self.paths.constants.push(path.clone());
        }
        let Externals::Known { constants, .. } = self.externals else {
            return Expr {
                kind: ExprKind::Item(name),
                ty: Type::Opaque,
                span,
            };
        };
        let Some((_, constant)) = constants.iter().find(|(path, _)| *path == name) else {
            return self.invalid(span, format_args!("`{name}` is not known"));
        };
        let (kind, ty) = match constant() {
            Constant::Bool(value) => (ExprKind::Bool(value), Scalar::Bool),
            Constant::Integer(ty, value) => (ExprKind::Int(value), ty),
            Constant::F32(value) => (ExprKind::Float(value), Scalar::F32),
        };
        Expr {
            kind,
            ty: Type::Scalar(ty),
            span,
        }
    }
}

/// What a path that may begin with a primitive type stands for.
enum Primitive {
    Known(ExprKind, Scalar),
    /// Nothing that kernels have.
    Unknown(String),
    /// It is some other item.
    Not,
}

/// `f32::INFINITY`, `i64::MAX`, `std::f32::consts::PI` and the like.
fn primitive_constant(path: &str) -> Primitive {
    let path = path.trim_start_matches("::");
    let path = path
        .strip_prefix("std::")
        .or_else(|| path.strip_prefix("core::"))
        .unwrap_or(path);
    let Some((ty, name)) = path.split_once("::") else {
        return Primitive::Not;
    };
    let Some(scalar) = Scalar::from_rust(ty) else {
        return match ty {
            "f64" | "usize" | "isize" | "u128" | "i128" => Primitive::Unknown(format!(
                "there is no `{ty}` in a kernel; values are `f32`, `bool` and sized integers such as `i64`"
            )),
            _ => Primitive::Not,
        };
    };
    let known = match (scalar.range(), name) {
        (Some((low, _)), "MIN") => Some((ExprKind::Int(low), scalar)),
        (Some((_, high)), "MAX") => Some((ExprKind::Int(high), scalar)),
        (Some(_), "BITS") => Some((ExprKind::Int(scalar.bits().into()), Scalar::U32)),
        (Some(_), _) => None,
        (None, _) => float_constant(name).map(|value| (ExprKind::Float(value), scalar)),
    };
    match known {
        Some((kind, scalar)) => Primitive::Known(kind, scalar),
        None => Primitive::Unknown(format!("there is no `{ty}::{name}` in a kernel; write its value")),
    }
}

fn float_constant(name: &str) -> Option<f32> {
    use std::f32::consts;
    Some(match name {
        "INFINITY" => f32::INFINITY,
        "NEG_INFINITY" => f32::NEG_INFINITY,
        "NAN" => f32::NAN,
        "MAX" => f32::MAX,
        "MIN" => f32::MIN,
        "MIN_POSITIVE" => f32::MIN_POSITIVE,
        "EPSILON" => f32::EPSILON,
        "consts::PI" => consts::PI,
        "consts::TAU" => consts::TAU,
        "consts::E" => consts::E,
        "consts::LN_2" => consts::LN_2,
        "consts::LN_10" => consts::LN_10,
        "consts::LOG2_E" => consts::LOG2_E,
        "consts::SQRT_2" => consts::SQRT_2,
        "consts::FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "consts::FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        "consts::FRAC_1_PI" => consts::FRAC_1_PI,
        "consts::FRAC_2_PI" => consts::FRAC_2_PI,
        "consts::FRAC_PI_2" => consts::FRAC_PI_2,
        _ => return None,
    })
}

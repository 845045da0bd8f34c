//! `drop_in(..)`: a second export with a signature that others fixed.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Expr as SynExpr, Ident, UnOp};

use super::Externals;
use super::attribute::{Arguments, DropInArg, DropInSyntax};
use super::lower::{Lower, finish_type, plain};
use super::scope::Binding;
use crate::diagnostics::Errors;
use crate::instance::symbol_pattern;
use crate::ir::{
    DropIn, Expr, ExprKind, Given, Kernel, Param, ParamId, ParamKind, Scalar, StmtKind, Type, walk,
    walk_exprs,
};

/// What a parameter is set to.
const ARITHMETIC: &str = "a drop-in sets parameters to arithmetic on literals, const parameters and numbers in `args(..)`, or to `unbounded`";

impl Lower<'_> {
    /// `drop_in(..)`, beside an export that is called `symbol`.
    pub(super) fn drop_in(&mut self, arguments: &Arguments, symbol: &str) -> Option<DropIn> {
        let syntax = arguments.drop_in.as_ref()?;
        let own = self.drop_in_symbol(syntax, symbol)?;
        let Some((args, list)) = &syntax.args else {
            let at = syntax.name.span();
            self.error(at, "a drop-in lists its parameters: `args(input, output, n)`");
            return None;
        };
        let mut params = Vec::new();
        let mut given: Vec<Option<Given>> = vec![None; self.params.len()];
        for arg in list {
            let (id, param) = self.drop_in_param(arg, &params)?;
            if let Some(id) = id {
                given[id] = Some(Given::Passed(params.len()));
            }
            params.push(param);
        }
        for (name, value) in &syntax.set {
            let id = self.set_param(name, &given)?;
            given[id] = Some(self.set_value(id, value, &params)?);
        }
        self.all_given(&given, args.span())?;
        Some(DropIn {
            symbol: own,
            params,
            given: given.into_iter().flatten().collect(),
        })
    }

    fn drop_in_symbol(&mut self, syntax: &DropInSyntax, other: &str) -> Option<String> {
        let Some(lit) = &syntax.symbol else {
            let at = syntax.name.span();
            self.error(at, "a drop-in has a symbol of its own: `symbol = \"name\"`");
            return None;
        };
        let symbol = self.symbol(Some(lit), &self.name.clone(), lit.span());
        let pattern = |symbol: &str| symbol_pattern(symbol, &self.types, &self.consts);
        let others = self.expansions(other);
        let shared = self
            .expansions(&symbol)
            .iter()
            .any(|symbol| others.contains(symbol));
        if pattern(&symbol) == pattern(other) || shared {
            self.error(
                lit.span(),
                format_args!("the kernel exports `{symbol}` already; a drop-in has a symbol of its own"),
            );
        }
        Some(symbol)
    }

    /// A parameter of a drop-in, and which of the kernel's it is.
    fn drop_in_param(&mut self, arg: &DropInArg, before: &[Param]) -> Option<(Option<ParamId>, Param)> {
        let (at, name) = (arg.name.span(), plain(&arg.name));
        if before.iter().any(|param| param.name == name) {
            self.error(at, format_args!("`{name}` is listed twice"));
            return None;
        }
        let Some(ty) = &arg.ty else {
            let Some(id) = self.params.iter().position(|param| param.name == name) else {
                self.error(
                    at,
                    format_args!("`{name}` is no parameter of this kernel; a number of the drop-in's own has a type, `{name}: i64`"),
                );
                return None;
            };
            return Some((Some(id), self.params[id].clone()));
        };
        let of_the_kernel = self.types.iter().map(|t| &t.name);
        if of_the_kernel
            .chain(self.consts.iter().map(|c| &c.name))
            .any(|other| *other == name)
        {
            self.error(
                at,
                format_args!("`{name}` is a type or const parameter of this kernel"),
            );
            return None;
        }
        let Some(scalar) = self.scalar_type(ty) else {
            self.error(
                ty.span(),
                "a drop-in's own parameters are numbers: `f32`, `bool` and sized integers such as `i64`",
            );
            return None;
        };
        let kind = ParamKind::Scalar(scalar);
        Some((
            None,
            Param {
                name,
                kind,
                values: vec![],
                span: at,
            },
        ))
    }

    /// The parameter that is to be set, if it is one that can be.
    fn set_param(&mut self, name: &Ident, given: &[Option<Given>]) -> Option<ParamId> {
        let id = self.params.iter().position(|param| name == &param.name);
        let message = match id {
            None => format!("`{name}` is no parameter of this kernel"),
            Some(id) if matches!(self.params[id].kind, ParamKind::Buffer(_)) => {
                format!("`{name}` is a buffer, which a drop-in has from its caller: list it in `args(..)`")
            }
            Some(id) => match given[id] {
                None => return Some(id),
                Some(Given::Passed(_)) => format!("`{name}` is what the caller passes by `args(..)`"),
                Some(_) => format!("`{name}` is set twice"),
            },
        };
        self.error(name.span(), message);
        None
    }

    fn set_value(&mut self, id: ParamId, value: &SynExpr, params: &[Param]) -> Option<Given> {
        let Param { name, kind, .. } = &self.params[id];
        let ParamKind::Scalar(ty) = *kind else {
            unreachable!("only numbers are set");
        };
        if super::stmt::ident(value).is_some_and(|word| word == "unbounded") {
            if ty != Scalar::I64 {
                let message = format!("`{name}` is `{ty}`, and only an `i64` can be unbounded");
                self.error(value.span(), message);
                return None;
            }
            return Some(Given::Unbounded(value.span()));
        }
        let name = name.clone();
        let nothing = Externals::Known {
            calls: &[],
            constants: &[],
        };
        // It sees what the drop-in is passed, and nothing else of the kernel.
        let mut lower = Lower::new(nothing, &mut *self.errors);
        lower.params = params.to_vec();
        lower.consts = self.consts.clone();
        for (id, constant) in self.consts.iter().enumerate() {
            lower.scopes.bind(constant.name.clone(), Binding::Const(id));
        }
        for (id, param) in params.iter().enumerate() {
            let binding = match param.kind {
                ParamKind::Scalar(_) => Binding::Param(id),
                ParamKind::Buffer(_) => Binding::Buffer(id),
            };
            lower.scopes.bind(param.name.clone(), binding);
        }
        lower.is_arithmetic(value)?;
        let mut set = lower.value(value);
        if lower.infer.unify(set.ty, Type::Scalar(ty)).is_err() {
            let at = value.span();
            lower.error(at, format_args!("`{name}` is `{ty}`; convert with `as {ty}`"));
            return None;
        }
        set.walk_mut(&mut |e| finish_type(&lower.infer, e));
        lower.fits(&set)?;
        Some(Given::Value(set))
    }

    /// Refuses what a parameter is not set to.
    fn is_arithmetic(&mut self, e: &SynExpr) -> Option<()> {
        match e {
            SynExpr::Lit(_) => Some(()),
            SynExpr::Paren(e) => self.is_arithmetic(&e.expr),
            SynExpr::Cast(e) => self.is_arithmetic(&e.expr),
            SynExpr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => self.is_arithmetic(&e.expr),
            SynExpr::Binary(e) if is_arithmetic(&e.op) => {
                self.is_arithmetic(&e.left)?;
                self.is_arithmetic(&e.right)
            }
            _ => {
                let Some(name) = super::stmt::ident(e) else {
                    self.error(e.span(), ARITHMETIC);
                    return None;
                };
                let message = match self.scopes.find(&plain(name)) {
                    Some(Binding::Param(_) | Binding::Const(_)) => return Some(()),
                    Some(_) => format!("`{name}` is a buffer, and no number"),
                    None => {
                        format!("`{name}` is neither in `args(..)` nor a const parameter of this kernel")
                    }
                };
                self.error(name.span(), message);
                None
            }
        }
    }

    /// Refuses what rustc would refuse, which does not see it.
    fn fits(&mut self, e: &Expr) -> Option<()> {
        let Type::Scalar(ty) = e.ty else {
            // A problem that was told.
            return None;
        };
        match &e.kind {
            ExprKind::Int(value) => self.in_range(*value, ty, e.span),
            ExprKind::Unary(_, inner) => {
                if !(ty.is_signed() || ty == Scalar::F32) {
                    self.error(e.span, format_args!("a `{ty}` has no negative"));
                    return None;
                }
                match inner.kind {
                    ExprKind::Int(value) => self.in_range(-value, ty, e.span),
                    _ => self.fits(inner),
                }
            }
            ExprKind::Cast(inner) => {
                let from = inner.ty;
                if ty == Scalar::Bool || (from, ty) == (Type::Scalar(Scalar::Bool), Scalar::F32) {
                    self.error(e.span, format_args!("there is no such conversion to `{ty}`"));
                    return None;
                }
                match inner.kind {
                    // Its cast decides what it is.
                    ExprKind::Int(value) if ty.is_integer() => self.in_range(value, ty, e.span),
                    _ => self.fits(inner),
                }
            }
            ExprKind::Binary(_, a, b) => {
                if ty == Scalar::Bool {
                    self.error(e.span, "there is no arithmetic on `bool`");
                    return None;
                }
                self.fits(a)?;
                self.fits(b)
            }
            _ => Some(()),
        }
    }

    fn in_range(&mut self, value: i128, ty: Scalar, at: Span) -> Option<()> {
        if ty
            .range()
            .is_some_and(|(low, high)| (low..=high).contains(&value))
        {
            return Some(());
        }
        self.error(at, format_args!("no `{ty}` is {value}"));
        None
    }

    fn all_given(&mut self, given: &[Option<Given>], args: Span) -> Option<()> {
        let mut missing = Vec::new();
        for (param, _) in self.params.iter().zip(given).filter(|(_, given)| given.is_none()) {
            let name = &param.name;
            missing.push(match param.kind {
                ParamKind::Buffer(_) => format!("the drop-in lacks the buffer `{name}`; list it here"),
                ParamKind::Scalar(_) => {
                    format!("the drop-in lacks `{name}`; list it here, or write `{name} = ..` behind it")
                }
            });
        }
        for message in &missing {
            self.error(args, message);
        }
        missing.is_empty().then_some(())
    }
}

fn is_arithmetic(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
    )
}

/// Refuses an unbounded parameter that steps or counts work: only how much memory there is may be left to the caller.
pub(super) fn only_extents_are_unbounded(kernel: &Kernel, errors: &mut Errors) {
    let mut counting = BTreeSet::new();
    let mut look = |e: &Expr| {
        e.walk(&mut |part| {
            if let ExprKind::Param(id) = part.kind {
                counting.insert(id);
            }
        });
    };
    for (_, buffer) in kernel.buffers() {
        buffer
            .shape
            .iter()
            .filter_map(|dim| dim.stride.as_ref())
            .for_each(&mut look);
    }
    kernel
        .grid
        .axes()
        .into_iter()
        .for_each(|(_, extent)| look(extent));
    walk_exprs(&kernel.host, &mut look);
    walk(&kernel.body, &mut |stmt| match &stmt.kind {
        StmtKind::Lanes(lanes) => look(&lanes.extent),
        StmtKind::For(f) => look(&f.end),
        _ => {}
    });
    for (id, at) in kernel.unbounded() {
        if counting.contains(&id) {
            let name = &kernel.params[id].name;
            errors.at(
                at,
                format_args!("`{name}` steps through memory or counts work, so a drop-in has to tell it; only the number of positions in a shape can be unbounded"),
            );
        }
    }
}

//! The twin that computes in `f64` with a running error bound: the same text with `f32` taken for `Real`.

use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_for_loop_mut, visit_expr_mut, visit_type_mut};
use syn::{Arm, Block, Expr, ExprForLoop, Ident, Item, ItemConst, Lit, Stmt, Type, parse_quote};

use super::words::{Gathering, accumulators, callee, gathering, is_lanes};
use crate::front::{Paths, path_name};
use crate::ir::{Reduce, SCAN_SUM};

/// Rewrites a function's body.
pub(super) fn rewrite(body: &Block, paths: &Paths) -> Block {
    let mut body = body.clone();
    Shadow {
        paths,
        gathered: Vec::new(),
        lifted: Vec::new(),
    }
    .visit_block_mut(&mut body);
    body
}

/// The type that stands for `ty`.
pub(super) fn ty(ty: &Type) -> Type {
    if is_f32(ty) {
        parse_quote!(::oxysycl::native::Real)
    } else {
        ty.clone()
    }
}

fn is_literal(e: &Expr) -> bool {
    matches!(e, Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)))
}

/// Whether a type that is already rewritten stands for `f32`.
fn is_real(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Real"))
}

/// The name of a function of `f32` itself.
fn of_f32(function: &Expr) -> Option<Ident> {
    let Expr::Path(path) = function else { return None };
    let mut segments = path.path.segments.iter().rev();
    let (name, owner) = (segments.next()?, segments.next()?);
    (owner.ident == "f32").then(|| name.ident.clone())
}

/// Whether `ty` is `f32`.
pub(super) fn is_f32(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("f32"))
}

struct Shadow<'a> {
    paths: &'a Paths,
    /// Variables that the surrounding `lanes` loop gathers into.
    gathered: Vec<(Ident, Gathering)>,
    /// Constants of `f32` that the blocks around declare.
    lifted: Vec<Ident>,
}

impl Shadow<'_> {
    fn constant(&self, path: &syn::ExprPath) -> Option<Expr> {
        let name = path_name(path);
        if path.path.segments.iter().any(|s| s.ident == "f32") {
            return Some(parse_quote!(::oxysycl::native::Real::from(#path)));
        }
        if path
            .path
            .get_ident()
            .is_some_and(|name| self.lifted.contains(name))
        {
            return Some(parse_quote!(::oxysycl::native::Real::from(#path)));
        }
        let known = self.paths.constants.iter().any(|p| path_name(p) == name);
        known.then(|| parse_quote!(::oxysycl::native::Lift::lift(#path)))
    }

    /// A sum's accumulator, the function that adds to it, and the term.
    fn sum(&self, e: &Expr) -> Option<(Ident, Ident, Expr)> {
        let (target, Gathering::Combined(Reduce::Sum)) = gathering(e)? else {
            return None;
        };
        if !self.gathered.iter().any(|(name, _)| *name == target) {
            return None;
        }
        let Expr::Binary(binary) = e else { return None };
        let how = match binary.op {
            syn::BinOp::SubAssign(_) => "gather_negative",
            _ => "gather",
        };
        Some((
            target,
            Ident::new(how, Span::call_site()),
            (*binary.right).clone(),
        ))
    }
}

impl VisitMut for Shadow<'_> {
    /// A constant of `f32` has no constant for a shadow, so that it is lifted where it is read.
    fn visit_block_mut(&mut self, node: &mut Block) {
        let outer = self.lifted.len();
        self.lifted
            .extend(node.stmts.iter().filter_map(|stmt| match stmt {
                Stmt::Item(Item::Const(item)) if is_f32(&item.ty) => Some(item.ident.clone()),
                _ => None,
            }));
        // What is asserted the function itself asserts.
        node.stmts.retain(|stmt| !matches!(stmt, Stmt::Macro(_)));
        visit_block_mut(self, node);
        self.lifted.truncate(outer);
    }

    /// Constants stay as they are: patterns name them.
    fn visit_item_const_mut(&mut self, _: &mut ItemConst) {}

    /// Patterns of a `match` stay as they are: what is matched is no `f32`.
    fn visit_arm_mut(&mut self, node: &mut Arm) {
        self.visit_expr_mut(&mut node.body);
    }

    fn visit_type_mut(&mut self, node: &mut Type) {
        visit_type_mut(self, node);
        *node = ty(node);
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut ExprForLoop) {
        let gathered = if is_lanes(node) {
            accumulators(&node.body)
        } else {
            self.gathered.clone()
        };
        let outer = std::mem::replace(&mut self.gathered, gathered);
        visit_expr_for_loop_mut(self, node);
        self.gathered = outer;
    }

    fn visit_expr_mut(&mut self, node: &mut Expr) {
        if let Some((target, how, mut term)) = self.sum(node) {
            self.visit_expr_mut(&mut term);
            *node = parse_quote!(::oxysycl::native::Gathers::#how(&mut #target, #term));
            return;
        }
        if let Expr::Call(call) = node {
            call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            let word = callee(node);
            if let Expr::Call(call) = node
                && !matches!(word.as_deref(), Some("groups" | "elements" | "lanes"))
            {
                let function = &call.func;
                // The sum learns in what order it is added up.
                if word.as_deref() == Some(SCAN_SUM) {
                    call.args
                        .iter_mut()
                        .for_each(|sum| *sum = parse_quote!(&mut #sum));
                }
                *call.func = match of_f32(function) {
                    Some(name) => parse_quote!(::oxysycl::native::Real::#name),
                    None => parse_quote!(#function::shadow),
                };
            }
            return;
        }
        if let Expr::Path(path) = node {
            if let Some(constant) = self.constant(path) {
                *node = constant;
            }
            return;
        }
        visit_expr_mut(self, node);
        match node {
            Expr::Lit(lit) => {
                let digits = match &lit.lit {
                    Lit::Float(lit) => lit.base10_digits().to_owned(),
                    Lit::Int(lit) if lit.suffix() == "f32" => lit.base10_digits().to_owned(),
                    _ => return,
                };
                // `10.` is a float; `10.f32` is not.
                let digits = digits.trim_end_matches('.');
                let literal = syn::LitFloat::new(&format!("{digits}f32"), lit.lit.span());
                *node = parse_quote!(::oxysycl::native::Real::from(#literal));
            }
            // A literal takes its type from the cast.
            Expr::Cast(cast) if is_literal(&cast.expr) && !is_real(&cast.ty) => {}
            Expr::Cast(cast) => {
                let (value, target) = (&cast.expr, &cast.ty);
                *node = parse_quote!(::oxysycl::native::cast::<_, #target>(#value));
            }
            _ => {}
        }
    }
}

/// The prologue that turns an `f32` parameter into a `Real`.
pub(super) fn prologue(name: &Ident) -> proc_macro2::TokenStream {
    let name = name.to_token_stream();
    quote!(let #name = ::oxysycl::native::Real::from(#name);)
}

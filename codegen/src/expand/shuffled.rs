//! The twin that runs work-items in a shuffled order, each with its own part of what lanes gather.
//!
//! What the checks accept must not notice; tests compare it with the function itself.

use proc_macro2::Span;
use quote::quote;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Block, Expr, ExprForLoop, Ident, parse_quote};

use super::words::{accumulators, callee, is_lanes, name};
use crate::ir::Reduce;

/// Rewrites a kernel's body.
pub(super) fn rewrite(body: &Block) -> Block {
    let mut body = body.clone();
    Shuffled {
        gathered: Ident::new("gathered", Span::mixed_site()),
    }
    .visit_block_mut(&mut body);
    body
}

struct Shuffled {
    /// Name of the parts gathered so far.
    gathered: Ident,
}

impl Shuffled {
    fn lanes(&self, node: &ExprForLoop) -> Expr {
        let Expr::Call(call) = &*node.expr else {
            unreachable!("`is_lanes` looks for a call")
        };
        let extent = &call.args;
        let (pat, body, gathered) = (&node.pat, &node.body, &self.gathered);
        let item = Ident::new("item", Span::mixed_site());
        let parts = accumulators(&node.body);
        let starts = parts.iter().map(|(name, reduce)| {
            let reduce = reduce_path(*reduce);
            quote!(let mut #name = ::oxysycl::native::Gathered::start(#reduce);)
        });
        let ends = parts.iter().map(|(name, reduce)| {
            let (key, reduce) = (name.to_string(), reduce_path(*reduce));
            quote!(#gathered.add(#key, #reduce, #name);)
        });
        parse_quote! {
            for #item in ::oxysycl::native::work_items(#extent) {
                #(#starts)*
                for #pat in #item #body
                #(#ends)*
            }
        }
    }
}

impl VisitMut for Shuffled {
    fn visit_expr_mut(&mut self, node: &mut Expr) {
        visit_expr_mut(self, node);
        match node {
            Expr::ForLoop(for_loop) if is_lanes(for_loop) => *node = self.lanes(for_loop),
            Expr::ForLoop(for_loop) if callee(&for_loop.expr).as_deref() == Some("groups") => {
                let gathered = &self.gathered;
                let fresh = parse_quote!(let mut #gathered = ::oxysycl::native::Gathered::new(););
                for_loop.body.stmts.insert(0, fresh);
            }
            Expr::Call(call) => {
                let reduce = callee(&Expr::Call(call.clone())).and_then(|word| Reduce::from_word(&word));
                let variable = call.args.first().and_then(name);
                if let (Some(reduce), Some(variable)) = (reduce, variable) {
                    let (gathered, key, reduce) = (&self.gathered, variable.to_string(), reduce_path(reduce));
                    *node = parse_quote!(#gathered.take(#key, #reduce, #variable));
                }
            }
            _ => {}
        }
    }
}

fn reduce_path(reduce: Reduce) -> Expr {
    let variant = Ident::new(&format!("{reduce:?}"), Span::call_site());
    parse_quote!(::oxysycl::native::Reduce::#variant)
}

//! The twin that runs work-items in a shuffled order, each with its own part of what lanes gather.
//!
//! What the checks accept must not notice; tests compare it with the function itself.

use proc_macro2::Span;
use quote::quote;
use syn::visit_mut::{VisitMut, visit_block_mut, visit_expr_mut};
use syn::{Block, Expr, ExprForLoop, Ident, Stmt, parse_quote};

use super::words::{Gathering, accumulators, bound, callee, gathered, is_lanes, name, scans};
use crate::ir::{GroupWord, Reduce};

/// Rewrites a kernel's body.
pub(super) fn rewrite(body: &Block) -> Block {
    let mut body = body.clone();
    Shuffled {
        gathered: gathered(&body),
    }
    .visit_block_mut(&mut body);
    body
}

struct Shuffled {
    /// Names that some loop over lanes gathers into.
    gathered: Vec<Ident>,
}

impl Shuffled {
    fn lanes(&self, node: &ExprForLoop) -> Expr {
        let Expr::Call(call) = &*node.expr else {
            unreachable!("`is_lanes` looks for a call")
        };
        let extent = &call.args;
        let (pat, body) = (&node.pat, &node.body);
        let item = Ident::new("item", Span::mixed_site());
        let gathered = accumulators(&node.body);
        let starts = gathered.iter().map(|(name, how)| match how {
            Gathering::Combined(reduce) => {
                let reduce = reduce_path(*reduce);
                quote!(let mut #name = ::oxysycl::native::Gathered::start(#reduce, #name);)
            }
            Gathering::Searched => quote!(let mut #name = #name;),
        });
        let ends = gathered.iter().map(|(name, _)| {
            let (parts, key) = (parts(name), name.to_string());
            quote!(#parts.add(#key, #name);)
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
    /// Beside each variable that lanes gather into stands what their work-items gathered.
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_block_mut(self, block);
        let mut stmts = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            let names = match &stmt {
                Stmt::Local(local) => bound(&local.pat),
                _ => vec![],
            };
            stmts.push(stmt);
            for name in names.iter().filter(|name| self.gathered.contains(name)) {
                let parts = parts(name);
                stmts.push(parse_quote!(let mut #parts = ::oxysycl::native::Gathered::new();));
            }
        }
        block.stmts = stmts;
    }

    fn visit_expr_mut(&mut self, node: &mut Expr) {
        visit_expr_mut(self, node);
        match node {
            // The sum up to a lane is that of the lanes before it.
            Expr::ForLoop(for_loop) if is_lanes(for_loop) && scans(&for_loop.body) => {}
            Expr::ForLoop(for_loop) if is_lanes(for_loop) => *node = self.lanes(for_loop),
            Expr::Call(call) => {
                let args: Option<Vec<Ident>> = call.args.iter().map(name).collect();
                let word = callee(node).and_then(|word| GroupWord::named(&word));
                if let (Some(word), Some(args)) = (word, args) {
                    *node = taken(word, &args).unwrap_or_else(|| node.clone());
                }
            }
            _ => {}
        }
    }
}

/// What work-items gathered, combined. A copy is, since more loops may gather into the same variable.
fn taken(word: GroupWord, args: &[Ident]) -> Option<Expr> {
    Some(match (word, args) {
        (GroupWord::Reduce(reduce), [variable]) => {
            let (parts, key, reduce) = (parts(variable), variable.to_string(), reduce_path(reduce));
            parse_quote!(#parts.clone().take(#key, #reduce, #variable))
        }
        (GroupWord::Place(reduce), [extreme, place]) => {
            let (extremes, places, reduce) = (parts(extreme), parts(place), reduce_path(reduce));
            parse_quote!(#extremes.place(&#places, #reduce, #extreme, #place))
        }
        _ => return None,
    })
}

/// The variable that holds what work-items gathered for the variable `name`.
fn parts(name: &Ident) -> Ident {
    let name = name.to_string();
    Ident::new(
        &format!("{}_parts", name.trim_start_matches("r#")),
        Span::mixed_site(),
    )
}

fn reduce_path(reduce: Reduce) -> Expr {
    let variant = Ident::new(&format!("{reduce:?}"), Span::call_site());
    parse_quote!(::oxysycl::native::Reduce::#variant)
}

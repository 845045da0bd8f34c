//! Fragments of `macro_rules!` come in groups that no text shows. A kernel is kept as text, so they become parentheses.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::token::Paren;
use syn::visit_mut::{VisitMut, visit_expr_mut, visit_type_mut};
use syn::{Expr, ExprParen, ItemFn, Type};

/// Parenthesises the fragments in a function.
pub(super) fn show(function: &mut ItemFn) {
    Show.visit_item_fn_mut(function);
}

/// Parenthesises the fragments in an attribute's arguments.
pub(super) fn show_tokens(tokens: TokenStream) -> TokenStream {
    let shown = |tree: TokenTree| -> TokenStream {
        let TokenTree::Group(group) = tree else {
            return tree.into();
        };
        let inner = show_tokens(group.stream());
        if group.delimiter() == Delimiter::None && inner.clone().into_iter().count() == 1 {
            return inner;
        }
        let delimiter = match group.delimiter() {
            Delimiter::None => Delimiter::Parenthesis,
            shown => shown,
        };
        let mut shown = Group::new(delimiter, inner);
        shown.set_span(group.span());
        TokenTree::from(shown).into()
    };
    tokens.into_iter().map(shown).collect()
}

struct Show;

impl VisitMut for Show {
    fn visit_expr_mut(&mut self, node: &mut Expr) {
        visit_expr_mut(self, node);
        if let Expr::Group(group) = node {
            let inner = std::mem::replace(&mut *group.expr, Expr::PLACEHOLDER);
            *node = match inner {
                Expr::Lit(_) | Expr::Path(_) | Expr::Paren(_) => inner,
                inner => Expr::Paren(ExprParen {
                    attrs: vec![],
                    paren_token: Paren(group.group_token.span),
                    expr: Box::new(inner),
                }),
            };
        }
    }

    fn visit_type_mut(&mut self, node: &mut Type) {
        visit_type_mut(self, node);
        if let Type::Group(group) = node {
            *node = (*group.elem).clone();
        }
    }
}

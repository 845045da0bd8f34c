//! Finding the words of the language in syntax.

use syn::visit::Visit;
use syn::{Block, Expr, ExprForLoop, Ident};

use crate::ir::Reduce;

/// The last name of a called path.
pub(super) fn callee(e: &Expr) -> Option<String> {
    let Expr::Call(call) = e else { return None };
    let Expr::Path(path) = &*call.func else {
        return None;
    };
    path.path.segments.last().map(|s| s.ident.to_string())
}

/// Whether a loop runs over `lanes(n)`.
pub(super) fn is_lanes(for_loop: &ExprForLoop) -> bool {
    callee(&for_loop.expr).as_deref() == Some("lanes")
}

/// Variables from outside that the body of a `lanes` loop gathers into, in the order met.
pub(super) fn accumulators(body: &Block) -> Vec<(Ident, Reduce)> {
    let mut search = Search::default();
    search.visit_block(body);
    let Search { declared, assigned } = search;
    let mut found: Vec<(Ident, Reduce)> = Vec::new();
    for (name, reduce) in assigned {
        if !declared.contains(&name) && !found.iter().any(|(n, _)| *n == name) {
            found.push((name, reduce));
        }
    }
    found
}

#[derive(Default)]
struct Search {
    declared: Vec<Ident>,
    assigned: Vec<(Ident, Reduce)>,
}

impl<'ast> Visit<'ast> for Search {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.declared.push(pat.ident.clone());
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        self.assigned.extend(gathering(e));
        syn::visit::visit_expr(self, e);
    }
}

/// The variable that an assignment gathers into, and how.
pub(super) fn gathering(e: &Expr) -> Option<(Ident, Reduce)> {
    match e {
        Expr::Binary(binary) => match binary.op {
            syn::BinOp::AddAssign(_) | syn::BinOp::SubAssign(_) => Some((name(&binary.left)?, Reduce::Sum)),
            _ => None,
        },
        Expr::Assign(assign) => {
            let Expr::MethodCall(call) = &*assign.right else {
                return None;
            };
            let reduce = match call.method.to_string().as_str() {
                "max" => Reduce::Max,
                "min" => Reduce::Min,
                _ => return None,
            };
            let target = name(&assign.left)?;
            (name(&call.receiver)? == target).then_some((target, reduce))
        }
        _ => None,
    }
}

/// The name that an expression is.
pub(super) fn name(e: &Expr) -> Option<Ident> {
    match e {
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}

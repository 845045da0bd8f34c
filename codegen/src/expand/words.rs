//! Finding the words of the language in syntax.

use syn::visit::Visit;
use syn::{Block, Expr, ExprForLoop, Ident, Local, Pat};

use crate::ir::{Reduce, SCAN_SUM};

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

/// Whether the body of a `lanes` loop reads what lanes have added up so far.
pub(super) fn scans(body: &Block) -> bool {
    #[derive(Default)]
    struct Scans(bool);

    impl<'a> Visit<'a> for Scans {
        fn visit_expr(&mut self, e: &'a Expr) {
            self.0 |= callee(e).as_deref() == Some(SCAN_SUM);
            syn::visit::visit_expr(self, e);
        }
    }

    let mut scans = Scans::default();
    scans.visit_block(body);
    scans.0
}

/// How lanes gather into a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gathering {
    /// Each work-item has a part of its own.
    Combined(Reduce),
    /// Each work-item goes on from what the variable held. Only searches assign what is from outside.
    Searched,
}

/// Variables from outside that the body of a `lanes` loop gathers into, each once.
pub(super) fn accumulators(body: &Block) -> Vec<(Ident, Gathering)> {
    let mut search = Search::default();
    search.visit_block(body);
    let mut found: Vec<(Ident, Gathering)> = Vec::new();
    for (name, how) in search.found {
        if !found.iter().any(|(known, _)| *known == name) {
            found.push((name, how));
        }
    }
    found
}

/// Names that the `lanes` loops of a kernel gather into.
pub(super) fn gathered(body: &Block) -> Vec<Ident> {
    #[derive(Default)]
    struct Loops(Vec<Ident>);

    impl<'a> Visit<'a> for Loops {
        fn visit_expr_for_loop(&mut self, node: &'a ExprForLoop) {
            if is_lanes(node) {
                self.0
                    .extend(accumulators(&node.body).into_iter().map(|(name, _)| name));
            } else {
                syn::visit::visit_expr_for_loop(self, node);
            }
        }
    }

    let mut loops = Loops::default();
    loops.visit_block(body);
    loops.0
}

/// Gatherings of variables that are not declared in the blocks around them.
#[derive(Default)]
struct Search {
    /// Names declared so far in the blocks around.
    declared: Vec<Ident>,
    found: Vec<(Ident, Gathering)>,
}

impl<'a> Visit<'a> for Search {
    fn visit_block(&mut self, block: &'a Block) {
        let outer = self.declared.len();
        syn::visit::visit_block(self, block);
        self.declared.truncate(outer);
    }

    fn visit_local(&mut self, local: &'a Local) {
        syn::visit::visit_local(self, local);
        self.declared.extend(bound(&local.pat));
    }

    fn visit_expr_for_loop(&mut self, node: &'a ExprForLoop) {
        let outer = self.declared.len();
        self.visit_expr(&node.expr);
        self.declared.extend(bound(&node.pat));
        self.visit_block(&node.body);
        self.declared.truncate(outer);
    }

    fn visit_expr(&mut self, e: &'a Expr) {
        let gathered = gathering(e).filter(|(name, _)| !self.declared.contains(name));
        self.found.extend(gathered);
        syn::visit::visit_expr(self, e);
    }
}

/// Names that a pattern binds.
pub(super) fn bound(pat: &Pat) -> Vec<Ident> {
    match pat {
        Pat::Ident(pat) => vec![pat.ident.clone()],
        Pat::Type(pat) => bound(&pat.pat),
        Pat::Paren(pat) => bound(&pat.pat),
        Pat::Tuple(pat) => pat.elems.iter().flat_map(bound).collect(),
        _ => vec![],
    }
}

/// The variable that an assignment gathers into, and how.
pub(super) fn gathering(e: &Expr) -> Option<(Ident, Gathering)> {
    let (target, reduce) = match e {
        Expr::Binary(binary) => {
            let reduce = match binary.op {
                syn::BinOp::AddAssign(_) | syn::BinOp::SubAssign(_) => Reduce::Sum,
                syn::BinOp::BitOrAssign(_) => Reduce::Any,
                syn::BinOp::BitAndAssign(_) => Reduce::All,
                _ => return None,
            };
            (&binary.left, Some(reduce))
        }
        Expr::Assign(assign) => (&assign.left, extremum(&assign.left, &assign.right)),
        _ => return None,
    };
    let how = reduce.map_or(Gathering::Searched, Gathering::Combined);
    Some((name(target)?, how))
}

/// `x.max(..)` or `x.min(..)` of the variable `x` itself.
fn extremum(target: &Expr, value: &Expr) -> Option<Reduce> {
    let Expr::MethodCall(call) = value else {
        return None;
    };
    let reduce = match call.method.to_string().as_str() {
        "max" => Reduce::Max,
        "min" => Reduce::Min,
        _ => return None,
    };
    (name(&call.receiver)? == name(target)?).then_some(reduce)
}

/// The name that an expression is.
pub(super) fn name(e: &Expr) -> Option<Ident> {
    match e {
        Expr::Path(path) => path.path.get_ident().cloned(),
        Expr::Paren(paren) => name(&paren.expr),
        _ => None,
    }
}

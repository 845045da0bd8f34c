//! `let`: variables, and rows of buffers.

use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Block, Expr as SynExpr, ExprIf, Local, Pat, Stmt as SynStmt};

use super::lower::{Context, Lower, plain};
use super::scope::Binding;
use super::stmt::ident;
use crate::ir::{Expr, ParamId, ParamKind, Row, Start, StmtKind, Type};

impl Lower<'_> {
    pub(super) fn let_stmt(&mut self, local: &Local) {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            return self.declare(pat, ty);
        };
        if let Some((token, _)) = &init.diverge {
            self.error(token.span(), "`let .. else` leaves the loop early; write an `if`");
            return self.bind_invalid(pat);
        }
        if is_row(&init.expr) {
            return self.row_stmts(pat, &init.expr);
        }
        match pat {
            Pat::Tuple(tuple) => {
                let pats: Vec<&Pat> = tuple.elems.iter().collect();
                let mut values = self.values(&init.expr, pats.len());
                if let Some(syn::Type::Tuple(types)) = ty {
                    for (value, ty) in values.iter_mut().zip(&types.elems) {
                        value.ty = self.annotated(ty, value.ty);
                    }
                }
                let bound: Vec<_> = pats
                    .iter()
                    .zip(values)
                    .filter_map(|(pat, value)| self.bound(pat, value))
                    .collect();
                for (name, binding) in bound {
                    self.scopes.bind(name, binding);
                }
            }
            pat => {
                let mut value = self.value(&init.expr);
                if let Some(ty) = ty {
                    value.ty = self.annotated(ty, value.ty);
                }
                if let Some((name, binding)) = self.bound(pat, value) {
                    self.scopes.bind(name, binding);
                }
            }
        }
    }

    /// `let x;` or `let x: f32;`
    fn declare(&mut self, pat: &Pat, ty: Option<&syn::Type>) {
        let Pat::Ident(name) = pat else {
            self.error(pat.span(), "a declaration without a value is one name");
            return self.bind_invalid(pat);
        };
        let any = self.infer.any();
        let ty = ty.map_or(any, |ty| self.annotated(ty, any));
        let id = self.bind_local(&name.ident, true, ty);
        self.push(StmtKind::Let(id, None), name.span());
    }

    /// A `let` of one pattern: pushes it, and gives the name to bind once all values of the statement are known.
    fn bound(&mut self, pat: &Pat, value: Expr) -> Option<(String, Binding)> {
        match pat {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let id = self.local(&name.ident, name.mutability.is_some(), value.ty);
                let binding = if value.is_invalid() {
                    Binding::Invalid
                } else {
                    Binding::Local(id)
                };
                if let Some(size) = self.on_host(value.clone()).filter(|_| name.mutability.is_none()) {
                    self.sizes.insert(id, size);
                }
                self.push(StmtKind::Let(id, Some(value)), name.ident.span());
                Some((plain(&name.ident), binding))
            }
            Pat::Wild(_) => None,
            pat => {
                self.error(
                    pat.span(),
                    "this pattern has no meaning in a kernel; use names, or a tuple of names",
                );
                self.bind_invalid(pat);
                None
            }
        }
    }

    /// Binds the names of a pattern that was refused, so that their uses say nothing more.
    pub(super) fn bind_invalid(&mut self, pat: &Pat) {
        let mut names = Names::default();
        names.visit_pat(pat);
        for name in names.found {
            self.scopes.bind(plain(name), Binding::Invalid);
        }
    }

    /// The type that an annotation gives a value.
    pub(super) fn annotated(&mut self, ty: &syn::Type, value: Type) -> Type {
        match self.scalar_type(ty) {
            Some(scalar) => self.same(value, Type::Scalar(scalar), ty.span()),
            None => {
                self.error(
                    ty.span(),
                    "values in kernels are `f32`, `bool` and sized integers such as `i64`",
                );
                value
            }
        }
    }

    /// Rows, each bound to one name: of one expression, or of a tuple in each branch of an `if`.
    fn row_stmts(&mut self, pat: &Pat, e: &SynExpr) {
        let pats: Vec<&Pat> = match pat {
            Pat::Tuple(tuple) => tuple.elems.iter().collect(),
            pat => vec![pat],
        };
        let starts = self.starts(e, pats.len());
        for (pat, start) in pats.into_iter().zip(starts) {
            let Pat::Ident(name) = pat else {
                self.error(pat.span(), "a row is bound to one name");
                continue;
            };
            let name = &name.ident;
            let Some(start) = start.filter(|start| self.are_alike(start)) else {
                self.scopes.bind(plain(name), Binding::Invalid);
                continue;
            };
            let id = self.rows.len();
            self.rows.push(Row {
                name: plain(name),
                buffers: start.places().into_iter().map(|(buffer, _)| buffer).collect(),
                span: name.span(),
            });
            self.scopes.bind(plain(name), Binding::Row(id));
            self.push(StmtKind::Row(id, start), name.span());
        }
    }

    /// Where `count` rows begin; `None` for each that was refused.
    fn starts(&mut self, e: &SynExpr, count: usize) -> Vec<Option<Start>> {
        match e {
            SynExpr::Paren(paren) => self.starts(&paren.expr, count),
            SynExpr::Tuple(tuple) if tuple.elems.len() == count => {
                let starts = tuple.elems.iter().map(|e| self.starts(e, 1).pop().flatten());
                starts.collect()
            }
            SynExpr::If(choice) => self.either(choice, count),
            SynExpr::Block(block) if block.label.is_none() => self.starts_of(&block.block, count),
            _ => match row_call(e) {
                Some((call, receiver)) if count == 1 => {
                    let place = self.row(call, receiver);
                    vec![place.map(|(buffer, offset)| Start::At(buffer, offset))]
                }
                _ => {
                    let what = if count == 1 {
                        "a row is expected here: `buffer.row(offset)`".to_owned()
                    } else {
                        format!("a tuple of {count} rows is expected here")
                    };
                    self.error(e.span(), what);
                    vec![None; count]
                }
            },
        }
    }

    fn starts_of(&mut self, block: &Block, count: usize) -> Vec<Option<Start>> {
        match &block.stmts[..] {
            [SynStmt::Expr(e, None)] => self.starts(e, count),
            _ => {
                self.error(
                    block.span(),
                    "a branch that chooses a row holds nothing but it; compute offsets before the `if`",
                );
                vec![None; count]
            }
        }
    }

    /// Rows that a condition chooses from.
    fn either(&mut self, choice: &ExprIf, count: usize) -> Vec<Option<Start>> {
        let cond = self.condition(&choice.cond);
        let then = self.starts_of(&choice.then_branch, count);
        let Some((_, otherwise)) = &choice.else_branch else {
            self.error(
                choice.if_token.span(),
                "an `if` that gives a value needs an `else`",
            );
            return vec![None; count];
        };
        let other = self.starts(otherwise, count);
        let both = |(a, b): (Option<Start>, Option<Start>)| {
            Some(Start::Either(cond.clone(), Box::new(a?), Box::new(b?)))
        };
        then.into_iter().zip(other).map(both).collect()
    }

    /// Whether rows that are chosen from are alike; rustc checks what they are.
    fn are_alike(&self, start: &Start) -> bool {
        let buffers: Vec<ParamId> = start.places().into_iter().map(|(buffer, _)| buffer).collect();
        let alike = |a: &ParamId, b: &ParamId| match (&self.params[*a].kind, &self.params[*b].kind) {
            (ParamKind::Buffer(a), ParamKind::Buffer(b)) => a.element == b.element,
            _ => false,
        };
        buffers.windows(2).all(|pair| alike(&pair[0], &pair[1]))
    }

    /// The buffer and the first element of a row.
    fn row(&mut self, call: &syn::ExprMethodCall, receiver: &syn::Ident) -> Option<(ParamId, Expr)> {
        let buffer = match self.scopes.find(&plain(receiver)) {
            Some(Binding::Buffer(buffer)) => buffer,
            Some(Binding::Invalid) => return None,
            Some(Binding::Row(_)) => {
                self.error(
                    receiver.span(),
                    "a row of a row; take it from the buffer, with both offsets added",
                );
                return None;
            }
            _ => {
                self.error(receiver.span(), format_args!("`{receiver}` is no buffer"));
                return None;
            }
        };
        if self.context == Context::Host {
            self.device_memory_on_host(call.method.span());
            return None;
        }
        let [offset] = call.args.iter().collect::<Vec<_>>()[..] else {
            self.error(
                call.method.span(),
                format_args!(
                    "`{}(offset)` takes the row's first element, and nothing else: the buffer's shape bounds it",
                    call.method
                ),
            );
            return None;
        };
        Some((buffer, self.extent(offset)))
    }
}

#[derive(Default)]
struct Names<'a> {
    found: Vec<&'a syn::Ident>,
}

impl<'a> Visit<'a> for Names<'a> {
    fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
        self.found.push(&pat.ident);
        syn::visit::visit_pat_ident(self, pat);
    }
}

/// Whether an expression gives rows: some part that it may come to is a call of `row` or `row_mut`.
fn is_row(e: &SynExpr) -> bool {
    let tail = |block: &Block| matches!(block.stmts.last(), Some(SynStmt::Expr(e, None)) if is_row(e));
    match e {
        SynExpr::Paren(paren) => is_row(&paren.expr),
        SynExpr::Tuple(tuple) => tuple.elems.iter().any(is_row),
        SynExpr::Block(block) => tail(&block.block),
        SynExpr::If(choice) => {
            tail(&choice.then_branch) || choice.else_branch.iter().any(|(_, other)| is_row(other))
        }
        _ => row_call(e).is_some(),
    }
}

/// `buffer.row(offset)` or `buffer.row_mut(offset)`, with the buffer's name.
fn row_call(e: &SynExpr) -> Option<(&syn::ExprMethodCall, &syn::Ident)> {
    match e {
        SynExpr::MethodCall(call) if call.method == "row" || call.method == "row_mut" => {
            ident(&call.receiver).map(|name| (call, name))
        }
        _ => None,
    }
}

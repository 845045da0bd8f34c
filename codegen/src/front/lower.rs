//! The state of lowering one function, and the blocks in it.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Ident, ItemFn};

use super::attribute::Arguments;
use super::infer::Infer;
use super::scope::{Binding, Scopes};
use super::{Externals, Paths};
use crate::diagnostics::Errors;
use crate::ir::{
    ConstParam, Expr, ExprKind, Function, Kernel, Local, LocalId, Param, Row, Scalar, Stmt, StmtKind, Type,
    TypeGroup, TypeParam, Valued, walk, walk_exprs_mut,
};

/// What kind of code is being lowered: the words mean something only in some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Before the grid.
    Host,
    /// In `groups`, outside `lanes`.
    Group,
    /// In `lanes`.
    Lanes,
    /// In `elements`.
    Elements,
    /// In a `#[sycl_fn]`.
    Function,
}

/// Lowers one function.
pub(super) struct Lower<'a> {
    pub(super) externals: Externals<'a>,
    pub(super) errors: &'a mut Errors,
    pub(super) infer: Infer,
    pub(super) scopes: Scopes,
    pub(super) context: Context,
    /// Name of the function.
    pub(super) name: String,
    pub(super) types: Vec<TypeParam>,
    pub(super) type_groups: Vec<TypeGroup>,
    pub(super) consts: Vec<ConstParam>,
    pub(super) params: Vec<Param>,
    pub(super) locals: Vec<Local>,
    pub(super) rows: Vec<Row>,
    pub(super) paths: Paths,
    /// How many locals are the host's.
    pub(super) host_locals: usize,
    /// Variables that are bound once to what the host can work out, with their values.
    pub(super) sizes: BTreeMap<LocalId, Expr>,
    /// Locals that are constants declared in the function.
    pub(super) constants: BTreeSet<LocalId>,
    /// Inside a loop, variables that `continue` sets to `false`; `None` where no statement may end early.
    pub(super) unfinished: Option<Vec<LocalId>>,
    block: Vec<Stmt>,
    next_stmt: u32,
}

impl<'a> Lower<'a> {
    pub(super) fn new(externals: Externals<'a>, errors: &'a mut Errors) -> Self {
        Lower {
            externals,
            errors,
            infer: Infer::default(),
            scopes: Scopes::new(),
            context: Context::Host,
            name: String::new(),
            types: Vec::new(),
            type_groups: Vec::new(),
            consts: Vec::new(),
            params: Vec::new(),
            locals: Vec::new(),
            rows: Vec::new(),
            paths: Paths::default(),
            host_locals: 0,
            sizes: BTreeMap::new(),
            constants: BTreeSet::new(),
            unfinished: None,
            block: Vec::new(),
            next_stmt: 0,
        }
    }

    pub(super) fn kernel(mut self, arguments: &Arguments, item: &ItemFn) -> (Kernel, Paths) {
        self.no_attributes(item);
        self.name = plain(&item.sig.ident);
        self.kernel_signature(arguments, item);
        self.type_groups
            .sort_by_key(|group| group.params.first().copied());
        let mut attributes = self.attributes(arguments, item);
        attributes.drop_in = self.drop_in(arguments, &attributes.symbol);
        self.choices(arguments);
        self.shapes(arguments);
        let (mut host, grid, mut body) = self.grid(&item.block);
        self.finish(&mut [&mut host, &mut body]);
        let mut kernel = Kernel {
            name: plain(&item.sig.ident),
            docs: docs(&item.attrs),
            attributes,
            types: self.types,
            type_groups: self.type_groups,
            consts: self.consts,
            params: self.params,
            locals: self.locals,
            rows: self.rows,
            host,
            grid,
            body,
            functions: Vec::new(),
            barriers: BTreeSet::new(),
        };
        finish_outside_blocks(&mut kernel, &self.infer);
        super::drop_in::only_extents_are_unbounded(&kernel, self.errors);
        (kernel, self.paths)
    }

    pub(super) fn function(mut self, path: &str, item: &ItemFn) -> (Function, Paths) {
        self.context = Context::Function;
        self.no_attributes(item);
        self.name = plain(&item.sig.ident);
        let (params, returns) = self.function_signature(item);
        let (mut stmts, mut value) = self.in_block(|lower| match returns {
            Some(_) => lower.tail(&item.block),
            None => lower.without_value(&item.block),
        });
        // What stands in for a type that was refused is never seen.
        let returns = returns.unwrap_or(Scalar::F32);
        let value_span = value.span;
        self.same(value.ty, Type::Scalar(returns), value_span);
        self.finish(&mut [&mut stmts]);
        value.walk_mut(&mut |e| finish_type(&self.infer, e));
        let function = Function {
            path: path.to_owned(),
            name: plain(&item.sig.ident),
            docs: docs(&item.attrs),
            params,
            locals: self.locals,
            returns,
            body: Valued { stmts, value },
        };
        (function, self.paths)
    }

    /// Replaces inferred types by final ones in blocks and locals.
    fn finish(&mut self, blocks: &mut [&mut Vec<Stmt>]) {
        for block in blocks {
            walk_exprs_mut(block, &mut |e| match self.infer.finish(e.ty) {
                Some(ty) => e.ty = ty,
                None => {
                    e.ty = Type::Scalar(Scalar::F32);
                    if matches!(e.kind, ExprKind::Float(_)) {
                        self.errors.at(e.span, "nothing decides the type of this literal, so natively it is `f64`, which kernels do not have; write it with `_f32`");
                    }
                }
            });
        }
        for local in &mut self.locals {
            local.ty = self.infer.finish(local.ty).unwrap_or(Type::Scalar(Scalar::F32));
        }
    }

    /// Lowers in a block of its own; gives its statements and what `lower` returned.
    pub(super) fn in_block<R>(&mut self, lower: impl FnOnce(&mut Self) -> R) -> (Vec<Stmt>, R) {
        let outer = std::mem::take(&mut self.block);
        self.scopes.enter();
        let result = lower(self);
        self.scopes.leave();
        (std::mem::replace(&mut self.block, outer), result)
    }

    /// Like [`in_block`](Self::in_block), where code of another kind stands.
    pub(super) fn in_context<R>(
        &mut self,
        context: Context,
        lower: impl FnOnce(&mut Self) -> R,
    ) -> (Vec<Stmt>, R) {
        let outer = std::mem::replace(&mut self.context, context);
        let result = self.in_block(lower);
        self.context = outer;
        result
    }

    /// Appends a statement to the current block.
    pub(super) fn push(&mut self, kind: StmtKind, span: Span) {
        let id = self.next_stmt;
        self.next_stmt += 1;
        self.block.push(Stmt { id, kind, span });
    }

    /// Takes the current block's statements so far.
    pub(super) fn take_block(&mut self) -> Vec<Stmt> {
        std::mem::take(&mut self.block)
    }

    /// A new local; visible only once it is bound.
    pub(super) fn local(&mut self, name: &Ident, mutable: bool, ty: Type) -> LocalId {
        self.locals.push(Local {
            name: plain(name),
            ty,
            mutable,
            span: name.span(),
        });
        self.locals.len() - 1
    }

    /// A new local, bound to its name from here on.
    pub(super) fn bind_local(&mut self, name: &Ident, mutable: bool, ty: Type) -> LocalId {
        let id = self.local(name, mutable, ty);
        self.scopes.bind(plain(name), Binding::Local(id));
        id
    }

    /// Binds a value to a name of our own, so that it is worked out once.
    pub(super) fn bind_value(&mut self, value: Expr, name: &str) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let id = self.local(&Ident::new(name, span), false, ty);
        self.push(StmtKind::Let(id, Some(value)), span);
        Expr {
            kind: ExprKind::Local(id),
            ty,
            span,
        }
    }

    /// Reports a problem.
    pub(super) fn error(&mut self, at: Span, message: impl std::fmt::Display) {
        self.errors.at(at, message);
    }

    /// Reports a problem and stands in for the expression.
    pub(super) fn invalid(&mut self, at: Span, message: impl std::fmt::Display) -> Expr {
        self.error(at, message);
        Expr {
            kind: ExprKind::Invalid,
            ty: Type::Opaque,
            span: at,
        }
    }

    /// Makes two types one. While other items are unknown a mismatch is rustc's to report.
    pub(super) fn same(&mut self, a: Type, b: Type, at: Span) -> Type {
        let unified = self.infer.unify(a, b);
        match (unified, self.externals) {
            (Ok(ty), _) => ty,
            (Err(_), Externals::Unknown) => Type::Opaque,
            (Err(_), Externals::Known { .. }) => {
                self.error(at, "the types here do not fit together");
                Type::Opaque
            }
        }
    }

    /// Refuses attributes on parts of a function: the device would not see what they do.
    fn no_attributes(&mut self, item: &ItemFn) {
        let mut inside = Attributes::default();
        inside.visit_signature(&item.sig);
        inside.visit_block(&item.block);
        for attribute in inside.found {
            let path = attribute.path();
            if !LINTS.iter().any(|lint| path.is_ident(lint)) {
                self.error(
                    attribute.span(),
                    "attributes have no meaning inside a kernel; put them on the function",
                );
            }
        }
    }

    /// Lowers a block inside an expression. Its statements come before the whole expression, so they only compute.
    pub(super) fn computing<R>(&mut self, lower: impl FnOnce(&mut Self) -> R) -> R {
        let (stmts, locals) = (self.block.len(), self.locals.len());
        let unfinished = self.unfinished.take();
        let result = lower(self);
        self.unfinished = unfinished;
        let errors = &mut *self.errors;
        walk(&self.block[stmts..], &mut |stmt| match stmt.kind {
            StmtKind::Store(..) => errors.at(
                stmt.span,
                "a block that gives a value stores nothing; store before or after it",
            ),
            StmtKind::Assign(id, _) | StmtKind::Update(id, ..) if id < locals => errors.at(
                stmt.span,
                "a block that gives a value changes no variable outside it; assign before or after it",
            ),
            _ => {}
        });
        result
    }
}

/// Attributes that change nothing about what a function does.
const LINTS: [&str; 4] = ["allow", "expect", "warn", "deny"];

#[derive(Default)]
struct Attributes<'a> {
    found: Vec<&'a syn::Attribute>,
}

impl<'a> Visit<'a> for Attributes<'a> {
    fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
        self.found.push(attribute);
    }
}

/// A name without `r#`.
pub(super) fn plain(name: &Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

pub(super) fn finish_type(infer: &Infer, e: &mut Expr) {
    e.ty = infer.finish(e.ty).unwrap_or(Type::Scalar(Scalar::F32));
}

/// Finishes the types of expressions that stand in no block: shapes and the grid.
fn finish_outside_blocks(kernel: &mut Kernel, infer: &Infer) {
    let mut finish = |e: &mut Expr| e.walk_mut(&mut |e| finish_type(infer, e));
    match &mut kernel.grid {
        crate::ir::Grid::Groups { extents, .. } => extents.iter_mut().for_each(&mut finish),
        crate::ir::Grid::Elements { extent, .. } => finish(extent),
    }
    for param in &mut kernel.params {
        if let crate::ir::ParamKind::Buffer(buffer) = &mut param.kind {
            for dim in &mut buffer.shape {
                finish(&mut dim.extent);
                dim.stride.iter_mut().for_each(&mut finish);
            }
        }
    }
}

/// The lines of a doc comment, with the text of links alone: their targets are paths in Rust.
pub(super) fn docs(attributes: &[syn::Attribute]) -> Vec<String> {
    let text = attributes
        .iter()
        .filter(|a| a.path().is_ident("doc"))
        .filter_map(|a| {
            let syn::Meta::NameValue(meta) = &a.meta else {
                return None;
            };
            let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) = &meta.value
            else {
                return None;
            };
            Some(text.value())
        });
    let text = text.collect::<Vec<_>>().join("\n");
    without_links(&text)
        .lines()
        .map(|line| line.trim().to_owned())
        .collect()
}

/// The text with `[x](target)` and ``[`x`]`` as `x`.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("[`") {
        let Some(close) = rest[open..].find("`]").map(|at| open + at + 1) else {
            break;
        };
        plain.push_str(&rest[..open]);
        plain.push_str(&rest[open + 1..close]);
        rest = &rest[close + 1..];
        if rest.starts_with('(')
            && let Some(end) = rest.find(')')
        {
            rest = &rest[end + 1..];
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_leave_their_text() {
        assert_eq!(without_links("as [`a`](fn@b::a) does"), "as `a` does");
        assert_eq!(
            without_links("0 for [`a`], 1 ([`b`](fn@b)) and x[i]"),
            "0 for `a`, 1 (`b`) and x[i]"
        );
        assert_eq!(without_links("`q[i]`, [`open"), "`q[i]`, [`open");
    }
}

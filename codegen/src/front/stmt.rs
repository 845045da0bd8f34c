//! Statements.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Block, Expr as SynExpr, ExprAssign, ExprIf, Stmt as SynStmt, Token};

use super::grid::placeholder;
use super::lower::{Context, Lower, plain};
use super::scope::Binding;
use crate::ir::{Assertion, Binary, Expr, LocalId, Place, Scalar, StmtKind, Type, Update};

impl Lower<'_> {
    /// The statements of a block that ends in a value, and the value.
    pub(super) fn tail(&mut self, block: &Block) -> Expr {
        match block.stmts.split_last() {
            Some((SynStmt::Expr(value, None), stmts)) => {
                self.stmts(stmts);
                self.value(value)
            }
            _ => {
                self.stmts(&block.stmts);
                self.invalid(block.span(), "this block should end in a value")
            }
        }
    }

    /// The statements of a function whose value is of no type that kernels have.
    pub(super) fn without_value(&mut self, block: &Block) -> Expr {
        match block.stmts.split_last() {
            Some((SynStmt::Expr(value, None), stmts)) => {
                self.stmts(stmts);
                placeholder(value.span())
            }
            _ => {
                self.stmts(&block.stmts);
                placeholder(block.span())
            }
        }
    }

    pub(super) fn stmt(&mut self, stmt: &SynStmt) {
        match stmt {
            SynStmt::Local(local) => self.let_stmt(local),
            SynStmt::Expr(e, _) => self.expr_stmt(e),
            SynStmt::Item(syn::Item::Const(item)) => {
                let value = self.value(&item.expr);
                let ty = self.annotated(&item.ty, value.ty);
                let id = self.bind_local(&item.ident, false, ty);
                self.constants.insert(id);
                self.push(StmtKind::Let(id, Some(value)), item.span());
            }
            SynStmt::Item(item) => self.error(
                item.span(),
                "only constants are declared in here; move this outside",
            ),
            SynStmt::Macro(mac) => self.macro_call(&mac.mac),
        }
    }

    pub(super) fn macro_call(&mut self, mac: &syn::Macro) {
        if mac.path.is_ident("assert") {
            return self.assert(mac);
        }
        let name = super::path_name(&syn::ExprPath {
            attrs: vec![],
            qself: None,
            path: mac.path.clone(),
        });
        self.error(
            mac.path.span(),
            format_args!("`{name}!` cannot run on a device; kernels call no macros"),
        );
    }

    /// `assert!(c);` or `assert!(c, "reason");`: what the launcher refuses.
    fn assert(&mut self, mac: &syn::Macro) {
        if self.context != Context::Host {
            return self.error(
                mac.path.span(),
                "a device cannot stop a launch; `assert!` stands before the grid, where the launcher checks it",
            );
        }
        let args = match mac.parse_body_with(Punctuated::<SynExpr, Token![,]>::parse_terminated) {
            Ok(args) => args,
            Err(error) => return self.errors.syntax(error),
        };
        let args: Vec<&SynExpr> = args.iter().collect();
        let (cond, reason) = match args[..] {
            [cond] => (cond, None),
            [
                cond,
                SynExpr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(reason),
                    ..
                }),
            ] => (cond, Some(reason.value())),
            _ => {
                return self.error(
                    mac.path.span(),
                    "write `assert!(condition)` or `assert!(condition, \"reason\")`, with a plain text",
                );
            }
        };
        let condition = text(cond);
        let cond = self.condition(cond);
        let assertion = Assertion { condition, reason };
        self.push(StmtKind::Assert(cond, assertion), mac.path.span());
    }

    pub(super) fn expr_stmt(&mut self, e: &SynExpr) {
        match e {
            SynExpr::ForLoop(for_loop) => self.for_loop(for_loop),
            SynExpr::If(e) => self.if_stmt(e),
            SynExpr::Match(e) => self.match_stmt(e),
            SynExpr::Continue(e) => self.continue_stmt(e),
            SynExpr::Block(block) if block.label.is_none() => {
                self.scopes.enter();
                self.stmts(&block.block.stmts);
                self.scopes.leave();
            }
            SynExpr::Paren(paren) => self.expr_stmt(&paren.expr),
            // What an arm of a `match` does where there is nothing to do.
            SynExpr::Tuple(tuple) if tuple.elems.is_empty() => {}
            SynExpr::Assign(assign) => self.assign(assign),
            SynExpr::Binary(binary) => match compound(&binary.op) {
                Some(op) => self.compound(&binary.left, op, &binary.right),
                None => {
                    self.value(e);
                }
            },
            SynExpr::MethodCall(call) if call.method == "store" => self.store(call),
            SynExpr::Macro(mac) => self.macro_call(&mac.mac),
            _ => {
                self.value(e);
            }
        }
    }

    fn store(&mut self, call: &syn::ExprMethodCall) {
        let Some(place) = self.place(&call.receiver) else {
            return;
        };
        let [index, value] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.error(call.method.span(), "`store(i, value)` takes an index and a value");
        };
        if matches!(self.context, Context::Host) {
            return self.device_memory_on_host(call.method.span());
        }
        let index = self.extent(index);
        let value = self.value(value);
        let element = self.element_value(place);
        self.same(value.ty, element, value.span);
        self.push(StmtKind::Store(place, index, value), call.method.span());
    }

    pub(super) fn device_memory_on_host(&mut self, at: proc_macro2::Span) {
        self.error(
            at,
            "code before the grid runs on the host, where buffers are device memory; move this into the loop",
        );
    }

    /// What `load` and `store` are called on, if it is a buffer or a row.
    pub(super) fn place(&mut self, receiver: &SynExpr) -> Option<Place> {
        let name = ident(receiver);
        match name.and_then(|name| self.scopes.find(&plain(name))) {
            Some(Binding::Buffer(id)) => Some(Place::Buffer(id)),
            Some(Binding::Row(id)) => Some(Place::Row(id)),
            Some(Binding::Invalid) => None,
            _ => {
                self.error(
                    receiver.span(),
                    "`load` and `store` are methods of buffers and of rows bound by `let`",
                );
                None
            }
        }
    }

    fn assign(&mut self, assign: &ExprAssign) {
        let Some(target) = self.target(&assign.left) else {
            return;
        };
        if let Some((update, value)) = extremum(&assign.left, &assign.right) {
            let value = self.value(value);
            self.same(self.locals[target].ty, value.ty, value.span);
            return self.push(StmtKind::Update(target, update, value), assign.left.span());
        }
        let value = self.value(&assign.right);
        self.same(self.locals[target].ty, value.ty, value.span);
        self.push(StmtKind::Assign(target, value), assign.left.span());
    }

    fn compound(&mut self, left: &SynExpr, op: Binary, right: &SynExpr) {
        let Some(target) = self.target(left) else { return };
        let value = self.value(right);
        if !matches!(op, Binary::Shl | Binary::Shr) {
            self.same(self.locals[target].ty, value.ty, value.span);
        }
        self.push(StmtKind::Update(target, Update::Operator(op), value), left.span());
    }

    /// The variable on the left of an assignment.
    fn target(&mut self, left: &SynExpr) -> Option<LocalId> {
        let Some(name) = ident(left) else {
            let refusal = match left {
                SynExpr::Tuple(_) => {
                    "one variable is assigned at a time; bind the values first, `let (c, d) = (b, a);`, then write `a = c; b = d;`"
                }
                _ => "only variables are assigned; memory is written with `store`",
            };
            self.error(left.span(), refusal);
            return None;
        };
        let message = match self.scopes.find(&plain(name)) {
            Some(Binding::Local(id)) => return Some(id),
            Some(Binding::Invalid) => return None,
            Some(Binding::Param(_)) => {
                format!("parameters keep their value; bind a variable, `let mut {name} = {name};`")
            }
            Some(Binding::Buffer(_) | Binding::Row(_)) => {
                "only variables are assigned; memory is written with `store`".to_owned()
            }
            Some(Binding::Const(_)) | None => format!("`{name}` is no variable of this function"),
        };
        self.error(left.span(), message);
        None
    }

    fn if_stmt(&mut self, e: &ExprIf) {
        let cond = self.condition(&e.cond);
        let (then, ()) = self.in_block(|lower| lower.stmts(&e.then_branch.stmts));
        let (otherwise, ()) = self.in_block(|lower| {
            if let Some((_, branch)) = &e.else_branch {
                lower.expr_stmt(branch);
            }
        });
        self.push(StmtKind::If(cond, then, otherwise), e.if_token.span());
    }

    /// A condition; `if let` is refused.
    pub(super) fn condition(&mut self, e: &SynExpr) -> Expr {
        let cond = self.value(e);
        self.same(cond.ty, Type::Scalar(Scalar::Bool), e.span());
        cond
    }
}

/// An expression as Rust writes it: `N % 2 == 0`.
fn text(e: &SynExpr) -> String {
    let tokens = e.to_token_stream().to_string();
    // Tokens come with spaces between them. A parenthesis behind a word is that of a call.
    let mut text = String::new();
    for part in tokens.split_inclusive(" (") {
        let (before, opens) = part
            .strip_suffix(" (")
            .map_or((part, false), |before| (before, true));
        text += before;
        if opens {
            let is_call = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            text += if is_call { "(" } else { " (" };
        }
    }
    text.replace("( ", "(").replace(" )", ")").replace(" . ", ".")
}

/// The name that an expression is, if it is one.
pub(super) fn ident(e: &SynExpr) -> Option<&syn::Ident> {
    match e {
        SynExpr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        SynExpr::Paren(paren) => ident(&paren.expr),
        _ => None,
    }
}

/// `x = x.max(e)` and `x = x.min(e)`: the update and `e`.
fn extremum<'a>(left: &SynExpr, right: &'a SynExpr) -> Option<(Update, &'a SynExpr)> {
    let SynExpr::MethodCall(call) = right else {
        return None;
    };
    let update = match call.method.to_string().as_str() {
        "max" => Update::Max,
        "min" => Update::Min,
        _ => return None,
    };
    let same = ident(left).is_some() && ident(left) == ident(&call.receiver);
    call.args
        .first()
        .filter(|_| same && call.args.len() == 1)
        .map(|value| (update, value))
}

fn compound(op: &syn::BinOp) -> Option<Binary> {
    Some(match op {
        syn::BinOp::AddAssign(_) => Binary::Add,
        syn::BinOp::SubAssign(_) => Binary::Sub,
        syn::BinOp::MulAssign(_) => Binary::Mul,
        syn::BinOp::DivAssign(_) => Binary::Div,
        syn::BinOp::RemAssign(_) => Binary::Rem,
        syn::BinOp::BitAndAssign(_) => Binary::BitAnd,
        syn::BinOp::BitOrAssign(_) => Binary::BitOr,
        syn::BinOp::BitXorAssign(_) => Binary::BitXor,
        syn::BinOp::ShlAssign(_) => Binary::Shl,
        syn::BinOp::ShrAssign(_) => Binary::Shr,
        _ => return None,
    })
}

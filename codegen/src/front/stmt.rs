//! Statements.

use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Block, Expr as SynExpr, ExprAssign, ExprForLoop, ExprIf, Local, Pat, RangeLimits, Stmt as SynStmt,
};

use super::call::word_call;
use super::grid::placeholder;
use super::lower::{Context, Lower, plain};
use super::scope::Binding;
use crate::ir::{
    Binary, Expr, ExprKind, For, Lanes, LocalId, ParamId, Place, Row, Scalar, StmtKind, Type, Update,
};

impl Lower<'_> {
    /// The statements of a block, none of which gives a value.
    pub(super) fn stmts(&mut self, stmts: &[SynStmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

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

    fn let_stmt(&mut self, local: &Local) {
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
        if let Some((row, method)) = row_call(&init.expr) {
            return self.row_stmt(pat, row, method);
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
    fn annotated(&mut self, ty: &syn::Type, value: Type) -> Type {
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

    fn row_stmt(&mut self, pat: &Pat, call: &syn::ExprMethodCall, receiver: &syn::Ident) {
        let name = match pat {
            Pat::Ident(name) => &name.ident,
            pat => return self.error(pat.span(), "a row is bound to one name"),
        };
        let Some((buffer, offset)) = self.row(call, receiver) else {
            return self.scopes.bind(plain(name), Binding::Invalid);
        };
        let id = self.rows.len();
        self.rows.push(Row {
            name: plain(name),
            buffer,
            offset,
            span: name.span(),
        });
        self.scopes.bind(plain(name), Binding::Row(id));
        self.push(StmtKind::Row(id), name.span());
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

    fn expr_stmt(&mut self, e: &SynExpr) {
        match e {
            SynExpr::ForLoop(for_loop) => self.for_loop(for_loop),
            SynExpr::If(e) => self.if_stmt(e),
            SynExpr::Block(block) if block.label.is_none() => {
                self.scopes.enter();
                self.stmts(&block.block.stmts);
                self.scopes.leave();
            }
            SynExpr::Paren(paren) => self.expr_stmt(&paren.expr),
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
            self.error(
                left.span(),
                "only variables are assigned; memory is written with `store`",
            );
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

    fn for_loop(&mut self, for_loop: &ExprForLoop) {
        self.no_label(for_loop);
        if let Some((word, args)) = word_call(&for_loop.expr) {
            return self.word_loop(for_loop, &word, &args);
        }
        let mut expr = &*for_loop.expr;
        while let SynExpr::Paren(paren) = expr {
            expr = &paren.expr;
        }
        let SynExpr::Range(range) = expr else {
            return self.error(
                for_loop.expr.span(),
                "a loop runs over `lanes(n)` or over a range `a..b`",
            );
        };
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            return self.error(range.span(), "a range in a kernel has both ends");
        };
        let start = self.value(start);
        let mut end = self.value(end);
        let ty = self.same(start.ty, end.ty, range.span());
        if let RangeLimits::Closed(_) = range.limits {
            let one = Expr {
                kind: ExprKind::Int(1),
                ty,
                span: end.span,
            };
            let span = end.span;
            end = Expr {
                kind: ExprKind::Binary(Binary::Add, Box::new(end), Box::new(one)),
                ty,
                span,
            };
        }
        let end = self.settled(end);
        let (body, index) = self.in_block(|lower| {
            let index = lower.index(&for_loop.pat, ty);
            lower.stmts(&for_loop.body.stmts);
            index
        });
        self.push(
            StmtKind::For(For {
                index,
                start,
                end,
                body,
            }),
            for_loop.for_token.span(),
        );
    }

    /// An end of a range that stays what it was when the loop began, as in Rust.
    fn settled(&mut self, end: Expr) -> Expr {
        let may_change = |e: &Expr| match e.kind {
            ExprKind::Load(..) | ExprKind::Reduce(..) | ExprKind::Call(..) => true,
            ExprKind::Local(id) => self.locals[id].mutable,
            _ => false,
        };
        if !end.any(&mut |e| may_change(e)) {
            return end;
        }
        let (ty, span) = (end.ty, end.span);
        let id = self.local(&syn::Ident::new("end", span), false, ty);
        self.push(StmtKind::Let(id, Some(end)), span);
        Expr {
            kind: ExprKind::Local(id),
            ty,
            span,
        }
    }

    fn word_loop(&mut self, for_loop: &ExprForLoop, word: &str, args: &[&SynExpr]) {
        let at = for_loop.expr.span();
        let refusal = match (word, self.context) {
            ("lanes", Context::Group) => None,
            ("lanes", Context::Lanes) => Some(
                "`lanes` inside `lanes`: the work-items of a row are split once; make the inner loop `for s in 0..n`",
            ),
            ("lanes", Context::Elements) => Some(
                "`lanes` inside `elements`, where each element is a lane of its own; use `groups` for rows",
            ),
            ("lanes", Context::Host) => {
                Some("`lanes` splits a row over its work-items, so it stands inside `groups`")
            }
            ("lanes", Context::Function) => {
                Some("a `#[sycl_fn]` works on scalars; `lanes` belongs in the kernel")
            }
            ("groups" | "elements", _) => Some("a kernel has one grid, and it is not inside anything else"),
            _ => Some("a loop runs over `lanes(n)` or over a range `a..b`"),
        };
        let extent = match args {
            [extent] => self.extent(extent),
            _ => self.invalid(at, format_args!("`{word}(n)` takes the number of elements")),
        };
        if let Some(refusal) = refusal {
            self.error(at, refusal);
            return self.refused_loop(for_loop, word, extent);
        }
        let (body, index) = self.in_context(Context::Lanes, |lower| {
            let index = lower.index(&for_loop.pat, Type::Scalar(Scalar::I64));
            lower.stmts(&for_loop.body.stmts);
            index
        });
        self.push(
            StmtKind::Lanes(Lanes { index, extent, body }),
            for_loop.for_token.span(),
        );
    }

    /// Looks into a loop that stands where it may not, as if it were a sequential one.
    fn refused_loop(&mut self, for_loop: &ExprForLoop, word: &str, end: Expr) {
        let context = match word {
            "groups" => Context::Group,
            "elements" => Context::Elements,
            _ => self.context,
        };
        let (body, index) = self.in_context(context, |lower| {
            let index = lower.index(&for_loop.pat, Type::Scalar(Scalar::I64));
            lower.stmts(&for_loop.body.stmts);
            index
        });
        let start = Expr {
            kind: ExprKind::Int(0),
            ..end.clone()
        };
        let repeated = For {
            index,
            start,
            end,
            body,
        };
        self.push(StmtKind::For(repeated), for_loop.for_token.span());
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

/// The name that an expression is, if it is one.
pub(super) fn ident(e: &SynExpr) -> Option<&syn::Ident> {
    match e {
        SynExpr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        SynExpr::Paren(paren) => ident(&paren.expr),
        _ => None,
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

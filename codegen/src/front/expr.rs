//! Expressions.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Block, Expr as SynExpr, ExprIf, UnOp};

use super::lower::{Lower, plain};
use super::scope::Binding;
use super::stmt::ident;
use crate::ir::{Binary, Expr, ExprKind, LocalId, Scalar, Stmt, StmtKind, Type, Unary};

impl Lower<'_> {
    /// The value of an expression. Statements that it needs first go to the current block.
    pub(super) fn value(&mut self, e: &SynExpr) -> Expr {
        let span = e.span();
        match e {
            SynExpr::Lit(lit) => self.literal(&lit.lit),
            SynExpr::Paren(paren) => self.value(&paren.expr),
            SynExpr::Group(group) => self.value(&group.expr),
            SynExpr::Path(path) => self.path(path),
            SynExpr::Unary(unary) => self.unary(unary),
            SynExpr::Binary(binary) => self.binary(binary),
            SynExpr::Cast(cast) => self.cast(cast),
            SynExpr::If(_) | SynExpr::Match(_) => self.one(e),
            SynExpr::Block(block) if block.label.is_none() => self.block_value(&block.block),
            SynExpr::Call(call) => self.call(call),
            SynExpr::MethodCall(call) => self.method(call),
            SynExpr::Macro(mac) => {
                self.macro_call(&mac.mac);
                super::grid::placeholder(span)
            }
            SynExpr::Assign(_) => self.invalid(span, "an assignment is a statement of its own here"),
            SynExpr::Tuple(_) => self.invalid(
                span,
                "a tuple is only taken apart at once: `let (a, b) = (x, y);`",
            ),
            _ => self.refused(e, span),
        }
    }

    /// What has no meaning on a device, by name.
    fn refused(&mut self, e: &SynExpr, span: Span) -> Expr {
        let (at, message) = match e {
            SynExpr::Return(e) => (
                e.return_token.span(),
                "`return` leaves the kernel early, and other work-items may wait at a barrier; use `if`",
            ),
            SynExpr::Break(e) => (
                e.break_token.span(),
                "`break` leaves a loop early; the loops of a kernel run to their end, use `if`",
            ),
            SynExpr::Continue(e) => (
                e.continue_token.span(),
                "`continue` stands among the statements of a loop, in an `if` or `match` that gives no value",
            ),
            SynExpr::Try(e) => (
                e.question_token.span(),
                "`?` returns early; a kernel has no errors to return",
            ),
            SynExpr::Closure(e) => (
                e.inputs_begin.span(),
                "closures cannot run on a device; write a `#[sycl_fn]`",
            ),
            SynExpr::While(e) => (
                e.while_token.span(),
                "`while` has no bound that a device compiler could see; use `for s in a..b`",
            ),
            SynExpr::Loop(e) => (
                e.loop_token.span(),
                "`loop` has no bound that a device compiler could see; use `for s in a..b`",
            ),
            SynExpr::Index(e) => (
                e.bracket_token.span.open(),
                "elements are read with `load(i)` and written with `store(i, value)`",
            ),
            SynExpr::Reference(e) => (
                e.and_token.span(),
                "there are no references in a kernel besides its buffers",
            ),
            SynExpr::Array(e) => (
                e.bracket_token.span.open(),
                "there are no arrays in a kernel; use separate variables",
            ),
            SynExpr::Repeat(e) => (
                e.bracket_token.span.open(),
                "there are no arrays in a kernel; use separate variables",
            ),
            SynExpr::Let(e) => (
                e.let_token.span(),
                "`if let` has no meaning here; compare with `==`",
            ),
            SynExpr::Unsafe(e) => (e.unsafe_token.span(), "a kernel is safe code"),
            SynExpr::Field(e) => (
                e.dot_token.span(),
                "values in kernels are scalars, which have no fields",
            ),
            SynExpr::Block(e) => (
                e.label.as_ref().map_or(span, Spanned::span),
                "labels have no use here: the loops of a kernel always run to their end",
            ),
            SynExpr::Range(e) => (e.limits.span(), "a range stands only after `in`: `for s in a..b`"),
            SynExpr::ForLoop(e) => (e.for_token.span(), "a loop is a statement and gives no value"),
            _ => (span, "this expression has no meaning in a kernel"),
        };
        self.invalid(at, message)
    }

    pub(super) fn path(&mut self, path: &syn::ExprPath) -> Expr {
        let span = path.span();
        let bound = path
            .path
            .get_ident()
            .and_then(|name| self.scopes.find(&plain(name)));
        let (kind, ty) = match bound {
            Some(Binding::Local(id)) => (ExprKind::Local(id), self.locals[id].ty),
            Some(Binding::Param(id)) => match self.params[id].kind {
                crate::ir::ParamKind::Scalar(ty) => (ExprKind::Param(id), Type::Scalar(ty)),
                crate::ir::ParamKind::Buffer(_) => unreachable!("buffers are bound as buffers"),
            },
            Some(Binding::Const(id)) => (ExprKind::Const(id), Type::Scalar(self.consts[id].ty)),
            Some(Binding::Buffer(_) | Binding::Row(_)) => {
                return self.invalid(span, "a buffer or row is used through `load`, `store` and `row`");
            }
            Some(Binding::Invalid) => (ExprKind::Invalid, Type::Opaque),
            None => return self.constant(path),
        };
        Expr { kind, ty, span }
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Expr {
        let span = unary.op.span();
        let op = match unary.op {
            UnOp::Neg(_) => Unary::Neg,
            UnOp::Not(_) => Unary::Not,
            _ => return self.invalid(span, "there are no references in a kernel besides its buffers"),
        };
        let value = self.value(&unary.expr);
        let ty = value.ty;
        Expr {
            kind: ExprKind::Unary(op, Box::new(value)),
            ty,
            span: unary.span(),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Expr {
        let Some(op) = operator(&binary.op) else {
            return self.invalid(binary.op.span(), "an assignment is a statement of its own here");
        };
        let left = self.value(&binary.left);
        let right = if op.is_lazy() {
            self.lazy(&binary.right)
        } else {
            self.value(&binary.right)
        };
        let ty = match op {
            Binary::Shl | Binary::Shr => left.ty,
            _ => self.same(left.ty, right.ty, binary.op.span()),
        };
        let ty = if op.is_comparison() || op.is_lazy() {
            Type::Scalar(Scalar::Bool)
        } else {
            ty
        };
        Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty,
            span: binary.span(),
        }
    }

    /// An operand that is evaluated only sometimes, so nothing in it may move before the expression.
    fn lazy(&mut self, e: &SynExpr) -> Expr {
        let (stmts, value) = self.in_block(|lower| lower.value(e));
        if stmts.is_empty() {
            return value;
        }
        self.invalid(e.span(), "bind this block to a name with `let` first")
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Expr {
        let value = self.value(&cast.expr);
        let Some(ty) = self.scalar_type(&cast.ty) else {
            return self.invalid(
                cast.ty.span(),
                "values in kernels are `f32`, `bool` and sized integers such as `i64`",
            );
        };
        Expr {
            kind: ExprKind::Cast(Box::new(value)),
            ty: Type::Scalar(ty),
            span: cast.span(),
        }
    }

    fn block_value(&mut self, block: &Block) -> Expr {
        self.scopes.enter();
        let value = self.computing(|lower| lower.tail(block));
        self.scopes.leave();
        value
    }

    fn one(&mut self, e: &SynExpr) -> Expr {
        self.values(e, 1).pop().expect("as many values as asked for")
    }

    /// The `count` values of a tuple, or of an `if` or block that ends in one.
    pub(super) fn values(&mut self, e: &SynExpr, count: usize) -> Vec<Expr> {
        match e {
            SynExpr::Tuple(tuple) if tuple.elems.len() == count => {
                tuple.elems.iter().map(|e| self.value(e)).collect()
            }
            SynExpr::Paren(paren) => self.values(&paren.expr, count),
            SynExpr::If(e) => self.if_values(e, count),
            SynExpr::Match(e) => self.match_values(e, count),
            SynExpr::MethodCall(call) if count == 2 && call.method == "sin_cos" => self.sin_cos(call),
            SynExpr::Block(block) if count > 1 => {
                self.scopes.enter();
                let values = self.tail_values(&block.block, count);
                self.scopes.leave();
                values
            }
            _ if count == 1 => vec![self.value(e)],
            _ => {
                let message = format_args!(
                    "this should be a tuple of {count} values, or an `if` or `match` with one in each branch"
                );
                let invalid = self.invalid(e.span(), message);
                vec![invalid; count]
            }
        }
    }

    fn tail_values(&mut self, block: &Block, count: usize) -> Vec<Expr> {
        match block.stmts.split_last() {
            Some((syn::Stmt::Expr(value, None), stmts)) => self.computing(|lower| {
                lower.stmts(stmts);
                lower.values(value, count)
            }),
            _ => {
                let invalid = self.invalid(block.span(), "this block should end in a value");
                vec![invalid; count]
            }
        }
    }

    fn if_values(&mut self, e: &ExprIf, count: usize) -> Vec<Expr> {
        let span = e.span();
        let cond = self.condition(&e.cond);
        let Some((_, otherwise)) = &e.else_branch else {
            let invalid = self.invalid(e.if_token.span(), "an `if` that gives a value needs an `else`");
            return vec![invalid; count];
        };
        let then = self.in_block(|lower| lower.tail_values(&e.then_branch, count));
        let otherwise = self.in_block(|lower| lower.values(otherwise, count));
        self.chosen(cond, then, otherwise, span, e.if_token.span())
    }

    /// The values of one of two branches, each with the statements that it needs first.
    pub(super) fn chosen(
        &mut self,
        cond: Expr,
        (mut then_stmts, then): (Vec<Stmt>, Vec<Expr>),
        (mut else_stmts, other): (Vec<Stmt>, Vec<Expr>),
        span: Span,
        token: Span,
    ) -> Vec<Expr> {
        if cond.is_invalid() {
            // What takes these values was told of enough.
            for value in then.iter().chain(&other) {
                self.same(value.ty, Type::Opaque, span);
            }
        }
        let pairs = then.into_iter().zip(other);
        if then_stmts.is_empty() && else_stmts.is_empty() {
            let select = |(a, b): (Expr, Expr)| {
                let ty = self.same(a.ty, b.ty, span);
                Expr {
                    kind: ExprKind::Select(Box::new(cond.clone()), Box::new(a), Box::new(b)),
                    ty,
                    span,
                }
            };
            return pairs.map(select).collect();
        }
        let mut values = Vec::new();
        for (a, b) in pairs {
            let ty = self.same(a.ty, b.ty, span);
            let id = self.local(&syn::Ident::new("value", span), true, ty);
            self.push(StmtKind::Let(id, None), span);
            then_stmts.push(self.assignment(id, a));
            else_stmts.push(self.assignment(id, b));
            values.push(Expr {
                kind: ExprKind::Local(id),
                ty,
                span,
            });
        }
        self.push(StmtKind::If(cond, then_stmts, else_stmts), token);
        values
    }

    fn assignment(&mut self, id: LocalId, value: Expr) -> Stmt {
        let span = value.span;
        let (mut stmts, ()) = self.in_block(|lower| lower.push(StmtKind::Assign(id, value), span));
        stmts.pop().expect("one statement was pushed")
    }

    /// The name that an expression is, if it is a scalar variable's.
    pub(super) fn is_scalar_name(&self, e: &SynExpr) -> bool {
        let bound = ident(e).and_then(|name| self.scopes.find(&plain(name)));
        matches!(
            bound,
            Some(Binding::Local(_) | Binding::Param(_) | Binding::Const(_))
        )
    }
}

fn operator(op: &syn::BinOp) -> Option<Binary> {
    Some(match op {
        syn::BinOp::Add(_) => Binary::Add,
        syn::BinOp::Sub(_) => Binary::Sub,
        syn::BinOp::Mul(_) => Binary::Mul,
        syn::BinOp::Div(_) => Binary::Div,
        syn::BinOp::Rem(_) => Binary::Rem,
        syn::BinOp::And(_) => Binary::And,
        syn::BinOp::Or(_) => Binary::Or,
        syn::BinOp::BitXor(_) => Binary::BitXor,
        syn::BinOp::BitAnd(_) => Binary::BitAnd,
        syn::BinOp::BitOr(_) => Binary::BitOr,
        syn::BinOp::Shl(_) => Binary::Shl,
        syn::BinOp::Shr(_) => Binary::Shr,
        syn::BinOp::Eq(_) => Binary::Eq,
        syn::BinOp::Lt(_) => Binary::Lt,
        syn::BinOp::Le(_) => Binary::Le,
        syn::BinOp::Ne(_) => Binary::Ne,
        syn::BinOp::Ge(_) => Binary::Ge,
        syn::BinOp::Gt(_) => Binary::Gt,
        _ => return None,
    })
}

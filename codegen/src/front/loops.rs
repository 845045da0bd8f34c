//! Loops inside the grid.

use syn::spanned::Spanned;
use syn::{Expr as SynExpr, ExprForLoop, RangeLimits};

use super::call::word_call;
use super::lower::{Context, Lower};
use crate::ir::{Expr, ExprKind, For, Lanes, Scalar, StmtKind, Type};

impl Lower<'_> {
    pub(super) fn for_loop(&mut self, for_loop: &ExprForLoop) {
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
        let end = self.value(end);
        let ty = self.same(start.ty, end.ty, range.span());
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
                closed: matches!(range.limits, RangeLimits::Closed(_)),
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
            [extent] => {
                let extent = self.extent(extent);
                self.lane_extent(extent)
            }
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

    /// The number of lanes, as the host works it out when it plans a launch.
    fn lane_extent(&mut self, extent: Expr) -> Expr {
        let span = extent.span;
        self.on_host(extent).unwrap_or_else(|| {
            self.invalid(
                span,
                "all rows have as many lanes, from parameters, constants and variables before the grid; for rows of unlike lengths take the longest, and an `if` inside",
            )
        })
    }

    /// An expression by what the host knows, if it knows enough.
    pub(super) fn on_host(&self, mut e: Expr) -> Option<Expr> {
        e.walk_mut(&mut |part| {
            if let ExprKind::Local(id) = part.kind
                && let Some(value) = self.sizes.get(&id)
            {
                *part = value.clone();
            }
        });
        let is_known = |part: &Expr| match part.kind {
            ExprKind::Local(id) => id < self.host_locals,
            ExprKind::Load(..) | ExprKind::Reduce(..) | ExprKind::Call(..) => false,
            _ => true,
        };
        (!e.any(&mut |part| !is_known(part))).then_some(e)
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
            closed: false,
            body,
        };
        self.push(StmtKind::For(repeated), for_loop.for_token.span());
    }
}

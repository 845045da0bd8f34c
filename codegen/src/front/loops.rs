//! Loops inside the grid.

use syn::spanned::Spanned;
use syn::{Expr as SynExpr, ExprForLoop};

use super::call::word_call;
use super::lower::{Context, Lower};
use crate::ir::{Expr, ExprKind, For, Lanes, Scalar, StmtKind, Type};

impl Lower<'_> {
    pub(super) fn for_loop(&mut self, for_loop: &ExprForLoop) {
        self.no_label(for_loop);
        if let Some((word, args)) = word_call(&for_loop.expr) {
            return self.word_loop(for_loop, &word, &args);
        }
        let Some(sequence) = self.sequence(&for_loop.expr) else {
            return;
        };
        let ty = sequence.ty();
        let (body, counter) = self.in_block(|lower| {
            let counter = match sequence.is_plain() {
                true => lower.index(&for_loop.pat, ty),
                false => lower.computed_index(&for_loop.pat, &sequence),
            };
            lower.loop_stmts(&for_loop.body.stmts);
            counter
        });
        self.push(
            StmtKind::For(sequence.into_loop(counter, body)),
            for_loop.for_token.span(),
        );
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
            lower.loop_stmts(&for_loop.body.stmts);
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
            ExprKind::Load(..)
            | ExprKind::Reduce(..)
            | ExprKind::ReducePlace(..)
            | ExprKind::ScanSum(..)
            | ExprKind::Call(..) => false,
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
            lower.loop_stmts(&for_loop.body.stmts);
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

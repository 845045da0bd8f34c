//! What a sequential loop runs over: a range, in steps or from its end.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr as SynExpr, ExprMethodCall, Pat, RangeLimits};

use super::lower::Lower;
use crate::ir::{Binary, Expr, ExprKind, For, LocalId, Math, Scalar, Stmt, StmtKind, Type};

/// The numbers of a range, in the order in which a loop meets them.
pub(super) struct Sequence {
    start: Expr,
    end: Expr,
    closed: bool,
    /// Whether the last number of the range comes first.
    reversed: bool,
    steps: Option<Steps>,
}

/// Every so many'th number of a range.
struct Steps {
    /// From one number to the next.
    by: Expr,
    /// How many numbers there are.
    count: Expr,
    /// Whether the last of them comes first.
    reversed: bool,
}

/// `.rev()` and `.step_by(k)` around a range.
#[derive(Default)]
struct Adapters<'a> {
    before: bool,
    step: Option<&'a SynExpr>,
    after: bool,
}

impl Lower<'_> {
    /// What stands after `in`, unless it was refused.
    pub(super) fn sequence(&mut self, e: &SynExpr) -> Option<Sequence> {
        let (range, adapters) = match adapted(e) {
            Ok(found) => found,
            Err((at, message)) => {
                self.error(at, message);
                return None;
            }
        };
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.error(range.span(), "a range in a kernel has both ends");
            return None;
        };
        let (start, end) = (self.value(start), self.value(end));
        let ty = self.same(start.ty, end.ty, range.span());
        let is_adapted = adapters.before || adapters.step.is_some();
        let start = match is_adapted {
            true => self.settled(start, "start"),
            false => start,
        };
        let mut sequence = Sequence {
            start: Expr { ty, ..start },
            end: Expr {
                ty,
                ..self.settled(end, "end")
            },
            closed: matches!(range.limits, RangeLimits::Closed(_)),
            reversed: adapters.before,
            steps: None,
        };
        if let Some(step) = adapters.step {
            let by = self.step(step)?;
            let count = sequence.count(&by);
            let count = match count.kind {
                ExprKind::Int(_) => count,
                _ => self.bind_value(count, "count"),
            };
            sequence.steps = Some(Steps {
                by,
                count,
                reversed: adapters.after,
            });
        }
        Some(sequence)
    }

    /// How far `step_by` goes: a number above 0, or an integer `as usize`.
    fn step(&mut self, e: &SynExpr) -> Option<Expr> {
        let by = match e {
            SynExpr::Paren(paren) => return self.step(&paren.expr),
            SynExpr::Cast(cast) if is_usize(&cast.ty) => self.value(&cast.expr),
            e => self.value(e),
        };
        match by.kind {
            ExprKind::Invalid => None,
            ExprKind::Int(0) => {
                self.error(e.span(), "a step of 0 never ends");
                None
            }
            ExprKind::Int(_) => Some(by),
            _ if matches!(e, SynExpr::Cast(_)) => Some(self.settled(by, "step")),
            _ => {
                self.error(
                    e.span(),
                    "`step_by` takes a literal, or an integer above 0 with `as usize`",
                );
                None
            }
        }
    }

    /// A number that stays what it was when the loop began, as in Rust.
    fn settled(&mut self, e: Expr, name: &str) -> Expr {
        let may_change = |e: &Expr| match e.kind {
            ExprKind::Load(..)
            | ExprKind::Reduce(..)
            | ExprKind::ReducePlace(..)
            | ExprKind::ScanSum(..)
            | ExprKind::Call(..) => true,
            ExprKind::Local(id) => self.locals[id].mutable,
            _ => false,
        };
        match e.any(&mut |e| may_change(e)) {
            true => self.bind_value(e, name),
            false => e,
        }
    }

    /// Binds the loop's index to the number that its round has; gives what counts the rounds.
    pub(super) fn computed_index(&mut self, pat: &Pat, sequence: &Sequence) -> LocalId {
        let span = pat.span();
        let ty = sequence.counter();
        let counter = self.local(&syn::Ident::new("counter", span), false, ty);
        let value = sequence.value(Expr {
            kind: ExprKind::Local(counter),
            ty,
            span,
        });
        let index = self.index(pat, sequence.ty());
        self.push(StmtKind::Let(index, Some(value)), span);
        counter
    }
}

impl Sequence {
    /// The type of its numbers.
    pub(super) fn ty(&self) -> Type {
        self.start.ty
    }

    /// Whether it is a range as it stands.
    pub(super) fn is_plain(&self) -> bool {
        !self.reversed && self.steps.is_none()
    }

    /// The loop over it, whose body a counter, or the index itself, numbers.
    pub(super) fn into_loop(self, counter: LocalId, body: Vec<Stmt>) -> For {
        match self.steps {
            Some(steps) => For {
                index: counter,
                start: integer(0, steps.count.ty, steps.count.span),
                end: steps.count,
                closed: false,
                body,
            },
            None => For {
                index: counter,
                start: self.start,
                end: self.end,
                closed: self.closed,
                body,
            },
        }
    }

    /// The type that its rounds are counted in.
    fn counter(&self) -> Type {
        self.steps.as_ref().map_or(self.ty(), |steps| steps.count.ty)
    }

    /// Whether differences of its numbers are numbers of their type.
    fn is_short(&self) -> bool {
        matches!(self.start.kind, ExprKind::Int(start) if start >= 0)
    }

    /// The last number of the range, if it has any.
    fn last(&self) -> Expr {
        match self.closed {
            true => self.end.clone(),
            false => binary(
                Binary::Sub,
                self.end.clone(),
                integer(1, self.end.ty, self.end.span),
            ),
        }
    }

    /// How many numbers steps meet: none of an empty range.
    fn count(&self, by: &Expr) -> Expr {
        if let (ExprKind::Int(start), ExprKind::Int(end), ExprKind::Int(by_number)) =
            (&self.start.kind, &self.end.kind, &by.kind)
            && self.is_plainly_stepped(by)
        {
            let last = if self.closed { *end } else { end - 1 };
            let count = if *start <= last {
                (last - start) / by_number + 1
            } else {
                0
            };
            return integer(count, self.ty(), by.span);
        }
        let (start, last, span) = (self.start.clone(), self.last(), by.span);
        let (distance, by) = match self.is_plainly_stepped(by) {
            true => (less(last, start), of_type(by.clone(), self.ty())),
            false => {
                let distance = wrapping(
                    Math::WrappingSub,
                    cast(last, Scalar::I64),
                    cast(start, Scalar::I64),
                );
                (cast(distance, Scalar::U64), cast(by.clone(), Scalar::U64))
            }
        };
        let ty = distance.ty;
        let some = binary(
            Binary::Add,
            binary(Binary::Div, distance, by),
            integer(1, ty, span),
        );
        let within = if self.closed { Binary::Le } else { Binary::Lt };
        let is_some = Expr {
            ty: Type::Scalar(Scalar::Bool),
            ..binary(within, self.start.clone(), self.end.clone())
        };
        Expr {
            kind: ExprKind::Select(Box::new(is_some), Box::new(some), Box::new(integer(0, ty, span))),
            ty,
            span,
        }
    }

    /// Whether steps are counted and taken in the type of the numbers, where nothing overflows. Elsewhere all is counted
    /// without a sign in 64 bits, which hold every distance.
    fn is_plainly_stepped(&self, by: &Expr) -> bool {
        let i64 = Type::Scalar(Scalar::I64);
        let fits = match by.kind {
            ExprKind::Int(by) => (2..=i128::from(i8::MAX)).contains(&by),
            _ => self.ty() == i64 && by.ty == i64,
        };
        self.is_short() && fits
    }

    /// The number that a round has.
    fn value(&self, counter: Expr) -> Expr {
        let (start, last) = (self.start.clone(), self.last());
        let Some(steps) = &self.steps else {
            return match self.is_short() {
                true => less(last, less(counter, start)),
                false => {
                    let [last, counter, start] = [last, counter, start].map(|e| cast(e, Scalar::I64));
                    let distance = wrapping(Math::WrappingSub, counter, start);
                    of_type(wrapping(Math::WrappingSub, last, distance), self.ty())
                }
            };
        };
        let one = integer(1, counter.ty, counter.span);
        let at = match steps.reversed {
            true => less(less(steps.count.clone(), one), counter),
            false => counter,
        };
        if self.is_plainly_stepped(&steps.by) {
            let distance = binary(Binary::Mul, at, of_type(steps.by.clone(), self.ty()));
            return match self.reversed {
                true => less(last, distance),
                false => more(start, distance),
            };
        }
        let distance = binary(Binary::Mul, at, cast(steps.by.clone(), Scalar::U64));
        let distance = cast(distance, Scalar::I64);
        let value = match self.reversed {
            true => wrapping(Math::WrappingSub, cast(last, Scalar::I64), distance),
            false => wrapping(Math::WrappingAdd, cast(start, Scalar::I64), distance),
        };
        of_type(value, self.ty())
    }
}

/// A range with what is called on it.
fn adapted(e: &SynExpr) -> Result<(&syn::ExprRange, Adapters<'_>), (Span, &'static str)> {
    match e {
        SynExpr::Paren(paren) => adapted(&paren.expr),
        SynExpr::Range(range) => Ok((range, Adapters::default())),
        SynExpr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
            let (range, mut adapters) = adapted(&call.receiver)?;
            let reversed = match adapters.step {
                Some(_) => &mut adapters.after,
                None => &mut adapters.before,
            };
            *reversed = !*reversed;
            Ok((range, adapters))
        }
        SynExpr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
            let (range, mut adapters) = adapted(&call.receiver)?;
            match adapters.step.replace(&call.args[0]) {
                None => Ok((range, adapters)),
                Some(_) => Err((call.method.span(), "a range has one step; multiply them")),
            }
        }
        SynExpr::MethodCall(ExprMethodCall { method, receiver, .. }) if adapted(receiver).is_ok() => {
            Err((method.span(), "ranges in a kernel have `rev()` and `step_by(k)`"))
        }
        e => Err((e.span(), "a loop runs over `lanes(n)` or over a range `a..b`")),
    }
}

fn is_usize(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("usize"))
}

fn integer(value: i128, ty: Type, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Int(value),
        ty,
        span,
    }
}

fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty, a.span);
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty,
        span,
    }
}

fn is_zero(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Int(0))
}

/// `a - b`
fn less(a: Expr, b: Expr) -> Expr {
    if is_zero(&b) { a } else { binary(Binary::Sub, a, b) }
}

/// `a + b`
fn more(a: Expr, b: Expr) -> Expr {
    if is_zero(&a) { b } else { binary(Binary::Add, a, b) }
}

fn wrapping(math: Math, a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty, a.span);
    Expr {
        kind: ExprKind::Math(math, vec![a, b]),
        ty,
        span,
    }
}

fn cast(e: Expr, to: Scalar) -> Expr {
    of_type(e, Type::Scalar(to))
}

/// A literal, or what is converted, as an integer of type `ty`.
fn of_type(e: Expr, ty: Type) -> Expr {
    let span = e.span;
    let kind = match e.kind {
        // Of any type that is converted from or to.
        ExprKind::Int(value @ 0..=0x7f) => ExprKind::Int(value),
        _ if e.ty == ty => e.kind,
        _ => ExprKind::Cast(Box::new(e)),
    };
    Expr { kind, ty, span }
}

//! Expressions: which integer operations need a guard, and what an access reaches.

use super::data::is_data;
use super::{Lowering, scalar};
use crate::ir::{self, Binary, LocalId, Scalar, Unary};
use crate::program::{Expr, ExprKind, Memory, Place, Start};

/// What is lowered, and whether it is an index.
struct Context<'a> {
    lowering: &'a Lowering<'a>,
    index: bool,
}

impl Context<'_> {
    fn expr(&self, e: &ir::Expr) -> Expr {
        let ty = scalar(e.ty);
        let kind = match &e.kind {
            ir::ExprKind::Int(value) => ExprKind::Int(*value),
            ir::ExprKind::Float(value) => ExprKind::Float(*value),
            ir::ExprKind::Bool(value) => ExprKind::Bool(*value),
            ir::ExprKind::Local(id) => self.lowering.local(*id),
            ir::ExprKind::Param(id) => ExprKind::Param(*id),
            ir::ExprKind::Const(id) => ExprKind::Const(*id),
            ir::ExprKind::Unary(Unary::Neg, a) if ty.is_signed() && self.is_data(a) => {
                let zero = Expr {
                    kind: ExprKind::Int(0),
                    ty,
                };
                ExprKind::Guarded(Binary::Sub, Box::new(zero), self.part(a))
            }
            ir::ExprKind::Unary(op, a) => self.unary(*op, a),
            ir::ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ir::ExprKind::Cast(a) => ExprKind::Cast(self.part(a)),
            ir::ExprKind::Math(math, args) => ExprKind::Math(*math, self.parts(args)),
            ir::ExprKind::Call(path, args) => ExprKind::Call(path.clone(), self.parts(args)),
            ir::ExprKind::Select(cond, a, b) => ExprKind::Select(self.part(cond), self.part(a), self.part(b)),
            ir::ExprKind::IsEmpty(id) => ExprKind::IsNull(*id),
            ir::ExprKind::Load(place, index) => self.lowering.load(*place, index),
            ir::ExprKind::Reduce(..) | ir::ExprKind::ReducePlace(..) => {
                ExprKind::Local(self.lowering.reduced(e))
            }
            ir::ExprKind::ScanSum(sum) => ExprKind::Local(self.lowering.running(sum)),
            ir::ExprKind::Item(_) | ir::ExprKind::Invalid => unreachable!("only checked kernels are lowered"),
        };
        Expr { kind, ty }
    }

    fn part(&self, e: &ir::Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    fn parts(&self, args: &[ir::Expr]) -> Vec<Expr> {
        args.iter().map(|arg| self.expr(arg)).collect()
    }

    fn unary(&self, op: Unary, a: &ir::Expr) -> ExprKind {
        match (op, self.expr(a)) {
            // The sign of a literal is its own.
            (
                Unary::Neg,
                Expr {
                    kind: ExprKind::Int(value),
                    ..
                },
            ) if value > 0 => ExprKind::Int(-value),
            (op, a) => ExprKind::Unary(op, Box::new(a)),
        }
    }

    fn binary(&self, op: Binary, a: &ir::Expr, b: &ir::Expr) -> ExprKind {
        let (left, right) = (self.part(a), self.part(b));
        let literal = match right.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        };
        if self.needs_guard(op, a, b, literal) {
            ExprKind::Guarded(op, left, right)
        } else {
            ExprKind::Binary(op, left, right)
        }
    }

    /// Whether C++ leaves an integer operation undefined for operands that may come up. The right one may be a literal.
    fn needs_guard(&self, op: Binary, a: &ir::Expr, b: &ir::Expr, literal: Option<i128>) -> bool {
        let ty = scalar(a.ty);
        if !ty.is_integer() {
            return false;
        }
        match op {
            // Two `u16` are multiplied as `int`, which overflows.
            Binary::Mul if ty == Scalar::U16 => true,
            Binary::Add | Binary::Sub | Binary::Mul => {
                ty.is_signed() && ty.bits() >= 32 && (self.is_data(a) || self.is_data(b))
            }
            Binary::Div | Binary::Rem => literal.is_none_or(|by| by == 0 || by == -1),
            Binary::Shl | Binary::Shr => !literal.is_some_and(|by| (0..i128::from(ty.bits())).contains(&by)),
            _ => false,
        }
    }

    fn is_data(&self, e: &ir::Expr) -> bool {
        !self.index && is_data(e, &self.lowering.data)
    }
}

impl Lowering<'_> {
    pub(super) fn value(&self, e: &ir::Expr) -> Expr {
        let context = Context {
            lowering: self,
            index: false,
        };
        context.expr(e)
    }

    /// An index, or the offset of a row. One that overflows is that of no element, so that its arithmetic needs no guard.
    pub(super) fn index(&self, e: &ir::Expr) -> Expr {
        let context = Context {
            lowering: self,
            index: true,
        };
        context.expr(e)
    }

    fn local(&self, id: LocalId) -> ExprKind {
        let local = ExprKind::Local(self.local_of[id]);
        match &self.vector {
            Some(vector) if vector.index == id => {
                let position = Expr {
                    kind: ExprKind::Local(vector.position),
                    ty: Scalar::I32,
                };
                ExprKind::Binary(Binary::Add, Box::new(Expr::index(local)), Box::new(position))
            }
            _ => local,
        }
    }

    fn load(&self, place: ir::Place, at: &ir::Expr) -> ExprKind {
        let held = self.vector.as_ref().and_then(|vector| vector.held(place, at));
        match held {
            Some(held) => match held.value {
                Some(value) => ExprKind::Local(value),
                None => {
                    let memory = self.register_memory(held.register);
                    ExprKind::Load(memory, Box::new(held.element))
                }
            },
            None => ExprKind::Load(self.memory(place), Box::new(self.index(at))),
        }
    }

    pub(super) fn start(&self, start: &ir::Start) -> Start {
        match start {
            ir::Start::At(buffer, offset) => Start::At(*buffer, self.index(offset)),
            ir::Start::Either(condition, a, b) => Start::Either(
                self.value(condition),
                Box::new(self.start(a)),
                Box::new(self.start(b)),
            ),
        }
    }

    /// What a place in memory is.
    pub(super) fn memory(&self, place: ir::Place) -> Memory {
        Memory {
            place: match place {
                ir::Place::Buffer(id) => Place::Buffer(id),
                ir::Place::Row(id) => Place::Row(self.row_of[id]),
            },
            element: self.kernel.buffer_like(place).element,
        }
    }

    pub(super) fn register_memory(&self, id: usize) -> Memory {
        Memory {
            place: Place::Register(id),
            element: self.registers[id].element,
        }
    }
}

/// Values over variables that may be anything, as functions of `kernel` have them.
#[cfg(test)]
pub(crate) fn values(kernel: &ir::Kernel, locals: &[ir::Local], values: &[ir::Expr]) -> Vec<Expr> {
    let schedule = crate::schedule::schedule(kernel);
    let data = (0..locals.len()).collect();
    let mut lowering = Lowering::of(kernel, &schedule, locals, data);
    for id in 0..locals.len() {
        lowering.declare(id);
    }
    values.iter().map(|e| lowering.value(e)).collect()
}

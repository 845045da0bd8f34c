//! Sizes and strides as numbers, as they become known, and as text.

use oxysycl_codegen::eval::Known;
use oxysycl_codegen::ir::{Binary, Expr, ExprKind, Kernel as Ir, LocalId, ParamId};
use smallvec::SmallVec;

use super::derive::Symbol;

/// What is known of a call's numbers.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub(super) params: SmallVec<[Option<i64>; 24]>,
    pub(super) consts: SmallVec<[Option<i64>; 4]>,
}

impl Sizes {
    pub(super) fn new(ir: &Ir) -> Self {
        Self {
            params: SmallVec::from_elem(None, ir.params.len()),
            consts: SmallVec::from_elem(None, ir.consts.len()),
        }
    }

    pub(super) fn set(&mut self, symbol: Symbol, value: Option<i64>) {
        match symbol {
            Symbol::Param(id) => self.params[id] = value,
            Symbol::Const(at) => self.consts[at] = value,
        }
    }
}

impl Known for Sizes {
    fn param(&self, id: ParamId) -> Option<i64> {
        self.params[id]
    }

    fn constant(&self, at: usize) -> Option<i64> {
        self.consts[at]
    }

    fn local(&self, _: LocalId) -> Option<i64> {
        None
    }

    fn float_param(&self, _: ParamId) -> Option<f32> {
        None
    }

    fn float_local(&self, _: LocalId) -> Option<f32> {
        None
    }
}

/// A buffer's dimensions as its kernel writes them: `[num_tokens..., 2 * dim]`.
pub(super) fn shape(ir: &Ir, param: ParamId, batched: bool) -> String {
    let dims = ir.buffer(param).shape.iter().enumerate();
    let dims = dims.map(|(at, dim)| match text(ir, &dim.extent) {
        first if at == 0 && batched => format!("{first}..."),
        other => other,
    });
    format!("[{}]", dims.collect::<Vec<_>>().join(", "))
}

/// A size or stride as its kernel writes it, without casts.
pub(super) fn text(ir: &Ir, e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Param(id) => ir.params[*id].name.clone(),
        ExprKind::Const(at) => ir.consts[*at].name.clone(),
        ExprKind::Cast(inner) => text(ir, inner),
        ExprKind::Binary(op, a, b) => {
            let operand = |part: &Expr| match (&part.kind, op) {
                (ExprKind::Binary(Binary::Add, ..), Binary::Add) => text(ir, part),
                (ExprKind::Binary(..), _) => format!("({})", text(ir, part)),
                _ => text(ir, part),
            };
            format!("{} {} {}", operand(a), op.token(), operand(b))
        }
        _ => "?".to_owned(),
    }
}

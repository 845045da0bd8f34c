//! Sizes, strides and other host integers, worked out from the values of scalar arguments.

use std::collections::BTreeMap;

use crate::ir::{Binary, Expr, ExprKind, Kernel, LocalId, Math, ParamId, StmtKind, Unary};

/// Values of scalar arguments and const parameters.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Integer arguments by parameter.
    pub params: BTreeMap<ParamId, i64>,
    /// Const parameters in order; `bool` as 0 or 1.
    pub consts: Vec<i64>,
    /// Variables before the grid.
    pub locals: BTreeMap<LocalId, i64>,
}

/// Whether every `assert!` before the grid holds, as far as that can be worked out.
pub fn asserted(kernel: &Kernel, values: &Values) -> bool {
    let mut values = values.clone();
    kernel.host.iter().all(|stmt| match &stmt.kind {
        StmtKind::Let(id, Some(init)) => {
            if let Some(value) = integer(init, &values) {
                values.locals.insert(*id, value);
            }
            true
        }
        StmtKind::Assert(cond, _) => integer(cond, &values) != Some(0),
        _ => true,
    })
}

/// The value of an integer or boolean expression; `None` if it needs something that is not known on the host, overflows
/// or divides by zero.
pub fn integer(e: &Expr, values: &Values) -> Option<i64> {
    match &e.kind {
        ExprKind::Int(value) => i64::try_from(*value).ok(),
        ExprKind::Bool(value) => Some((*value).into()),
        ExprKind::Param(id) => values.params.get(id).copied(),
        ExprKind::Const(id) => values.consts.get(*id).copied(),
        ExprKind::Local(id) => values.locals.get(id).copied(),
        ExprKind::Unary(Unary::Neg, a) => integer(a, values)?.checked_neg(),
        ExprKind::Unary(Unary::Not, a) => Some((integer(a, values)? == 0).into()),
        ExprKind::Cast(a) => integer(a, values),
        ExprKind::Select(cond, a, b) => {
            let taken = if integer(cond, values)? != 0 { a } else { b };
            integer(taken, values)
        }
        ExprKind::Math(Math::Max, args) => Some(integer(&args[0], values)?.max(integer(&args[1], values)?)),
        ExprKind::Math(Math::Min, args) => Some(integer(&args[0], values)?.min(integer(&args[1], values)?)),
        ExprKind::Math(Math::Clamp, args) => {
            let (low, high) = (integer(&args[1], values)?, integer(&args[2], values)?);
            (low <= high).then_some(integer(&args[0], values)?.clamp(low, high))
        }
        ExprKind::Binary(op, a, b) => binary(*op, integer(a, values)?, integer(b, values)?),
        _ => None,
    }
}

fn binary(op: Binary, a: i64, b: i64) -> Option<i64> {
    match op {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div(b),
        Binary::Rem => a.checked_rem(b),
        Binary::Eq => Some((a == b).into()),
        Binary::Ne => Some((a != b).into()),
        Binary::Lt => Some((a < b).into()),
        Binary::Le => Some((a <= b).into()),
        Binary::Gt => Some((a > b).into()),
        Binary::Ge => Some((a >= b).into()),
        Binary::And | Binary::BitAnd => Some(a & b),
        Binary::Or | Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::Shl => a.checked_shl(u32::try_from(b).ok()?),
        Binary::Shr => a.checked_shr(u32::try_from(b).ok()?),
    }
}

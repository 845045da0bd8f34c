//! Sizes, strides and other numbers of the host, worked out from the values of scalar arguments.

use std::collections::BTreeMap;

use crate::ir::{
    Assertion, Binary, Expr, ExprKind, Kernel, LocalId, Math, ParamId, Scalar, StmtKind, Type, Unary,
};

/// What is known of the values of scalar arguments, const parameters and variables before the grid.
pub trait Known {
    /// The value of an integer argument.
    fn param(&self, id: ParamId) -> Option<i64>;

    /// The value of the const parameter at a position; `bool` as 0 or 1.
    fn constant(&self, at: usize) -> Option<i64>;

    /// The value of a variable before the grid.
    fn local(&self, id: LocalId) -> Option<i64>;

    /// The value of a float argument.
    fn float_param(&self, id: ParamId) -> Option<f32>;

    /// The value of a float variable before the grid.
    fn float_local(&self, id: LocalId) -> Option<f32>;
}

/// Values of scalar arguments and const parameters.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Integer arguments by parameter.
    pub params: BTreeMap<ParamId, i64>,
    /// Const parameters in order; `bool` as 0 or 1.
    pub consts: Vec<i64>,
    /// Variables before the grid.
    pub locals: BTreeMap<LocalId, i64>,
    /// Float arguments by parameter.
    pub float_params: BTreeMap<ParamId, f32>,
    /// Float variables before the grid.
    pub float_locals: BTreeMap<LocalId, f32>,
}

impl Values {
    /// Notes the value of a variable before the grid, as far as it can be worked out.
    fn declare(&mut self, id: LocalId, init: &Expr) {
        if is_float(init) {
            let value = float(init, self);
            value
                .into_iter()
                .for_each(|value| _ = self.float_locals.insert(id, value));
        } else {
            let value = integer(init, self);
            value
                .into_iter()
                .for_each(|value| _ = self.locals.insert(id, value));
        }
    }
}

impl Known for Values {
    fn param(&self, id: ParamId) -> Option<i64> {
        self.params.get(&id).copied()
    }

    fn constant(&self, at: usize) -> Option<i64> {
        self.consts.get(at).copied()
    }

    fn local(&self, id: LocalId) -> Option<i64> {
        self.locals.get(&id).copied()
    }

    fn float_param(&self, id: ParamId) -> Option<f32> {
        self.float_params.get(&id).copied()
    }

    fn float_local(&self, id: LocalId) -> Option<f32> {
        self.float_locals.get(&id).copied()
    }
}

/// Whether every `assert!` before the grid holds, as far as that can be worked out.
pub fn asserted(kernel: &Kernel, values: &Values) -> bool {
    broken(kernel, values).is_none()
}

/// The condition of the first `assert!` before the grid that does not hold.
pub fn broken<'a>(kernel: &'a Kernel, values: &Values) -> Option<&'a Assertion> {
    let values = before_grid(kernel, values);
    kernel.host.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Assert(cond, assertion) => (integer(cond, &values) == Some(0)).then_some(assertion),
        _ => None,
    })
}

/// The values with those of the variables before the grid, none of which changes.
pub fn before_grid(kernel: &Kernel, values: &Values) -> Values {
    let mut values = values.clone();
    for stmt in &kernel.host {
        if let StmtKind::Let(id, Some(init)) = &stmt.kind {
            values.declare(*id, init);
        }
    }
    values
}

/// The value of an integer or boolean expression; `None` if it needs something that is not known on the host, overflows
/// or divides by zero.
pub fn integer(e: &Expr, values: &impl Known) -> Option<i64> {
    match &e.kind {
        ExprKind::Int(value) => i64::try_from(*value).ok(),
        ExprKind::Bool(value) => Some((*value).into()),
        ExprKind::Param(id) => values.param(*id),
        ExprKind::Const(id) => values.constant(*id),
        ExprKind::Local(id) => values.local(*id),
        ExprKind::Unary(Unary::Neg, a) => integer(a, values)?.checked_neg(),
        ExprKind::Unary(Unary::Not, a) => Some((integer(a, values)? == 0).into()),
        ExprKind::Cast(a) if is_float(a) => truncated(float(a, values)?, e.ty),
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
        ExprKind::Math(Math::IsNan, args) => Some(float(&args[0], values)?.is_nan().into()),
        ExprKind::Math(Math::IsFinite, args) => Some(float(&args[0], values)?.is_finite().into()),
        ExprKind::Math(Math::IsInfinite, args) => Some(float(&args[0], values)?.is_infinite().into()),
        ExprKind::Binary(op, a, b) if is_float(a) => compare(*op, float(a, values)?, float(b, values)?),
        // What one side decides does not depend on the other.
        ExprKind::Binary(Binary::And, a, b) => both(integer(a, values), integer(b, values)),
        ExprKind::Binary(Binary::Or, a, b) => {
            let not = |value: Option<i64>| value.map(|value| (value == 0).into());
            not(both(not(integer(a, values)), not(integer(b, values))))
        }
        ExprKind::Binary(op, a, b) => binary(*op, integer(a, values)?, integer(b, values)?),
        _ => None,
    }
}

/// The value of a float expression, as the host computes it.
pub fn float(e: &Expr, values: &impl Known) -> Option<f32> {
    let of = |e: &Expr| float(e, values);
    match &e.kind {
        ExprKind::Float(value) => Some(*value),
        ExprKind::Param(id) => values.float_param(*id),
        ExprKind::Local(id) => values.float_local(*id),
        ExprKind::Unary(Unary::Neg, a) => Some(-of(a)?),
        ExprKind::Cast(a) if is_float(a) => of(a),
        ExprKind::Cast(a) => Some(integer(a, values)? as f32),
        ExprKind::Select(cond, a, b) => of(if integer(cond, values)? != 0 { a } else { b }),
        ExprKind::Binary(op, a, b) => arithmetic(*op, of(a)?, of(b)?),
        ExprKind::Math(math, args) => {
            let args: Vec<f32> = args.iter().map(of).collect::<Option<_>>()?;
            function(*math, &args)
        }
        _ => None,
    }
}

fn is_float(e: &Expr) -> bool {
    e.ty == Type::Scalar(Scalar::F32)
}

/// `value as ty`, with Rust's rules.
fn truncated(value: f32, ty: Type) -> Option<i64> {
    Some(match ty.scalar()? {
        Scalar::I8 => (value as i8).into(),
        Scalar::I16 => (value as i16).into(),
        Scalar::I32 => (value as i32).into(),
        Scalar::I64 => value as i64,
        Scalar::U8 => (value as u8).into(),
        Scalar::U16 => (value as u16).into(),
        Scalar::U32 => (value as u32).into(),
        Scalar::U64 => i64::try_from(value as u64).ok()?,
        Scalar::Bool | Scalar::F32 => return None,
    })
}

/// `a && b`
fn both(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (Some(_), Some(_)) => Some(1),
        _ => None,
    }
}

fn compare(op: Binary, a: f32, b: f32) -> Option<i64> {
    let holds = match op {
        Binary::Eq => a == b,
        Binary::Ne => a != b,
        Binary::Lt => a < b,
        Binary::Le => a <= b,
        Binary::Gt => a > b,
        Binary::Ge => a >= b,
        _ => return None,
    };
    Some(holds.into())
}

fn arithmetic(op: Binary, a: f32, b: f32) -> Option<f32> {
    match op {
        Binary::Add => Some(a + b),
        Binary::Sub => Some(a - b),
        Binary::Mul => Some(a * b),
        Binary::Div => Some(a / b),
        Binary::Rem => Some(a % b),
        _ => None,
    }
}

/// What a condition is likely to ask of a number.
fn function(math: Math, args: &[f32]) -> Option<f32> {
    match (math, args) {
        (Math::Abs, [a]) => Some(a.abs()),
        (Math::Ceil, [a]) => Some(a.ceil()),
        (Math::Floor, [a]) => Some(a.floor()),
        (Math::Fract, [a]) => Some(a.fract()),
        (Math::Trunc, [a]) => Some(a.trunc()),
        (Math::Round, [a]) => Some(a.round()),
        (Math::Sqrt, [a]) => Some(a.sqrt()),
        (Math::Recip, [a]) => Some(a.recip()),
        (Math::Exp, [a]) => Some(a.exp()),
        (Math::Log, [a]) => Some(a.ln()),
        (Math::Max, [a, b]) => Some(a.max(*b)),
        (Math::Min, [a, b]) => Some(a.min(*b)),
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

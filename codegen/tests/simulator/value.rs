//! Scalars and their arithmetic, with Rust's rules.

use oxysycl_codegen::ir::{Binary, Math, Scalar, Unary};

use crate::finding::Stop;

/// A value in a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Int(i128),
    Float(f32),
    Bool(bool),
    /// Declared, and not yet assigned.
    Unset,
}

impl Value {
    pub(crate) fn int(self) -> i128 {
        match self {
            Value::Int(value) => value,
            Value::Bool(value) => value.into(),
            other => panic!("{other:?} is no integer"),
        }
    }

    pub(crate) fn float(self) -> f32 {
        match self {
            Value::Float(value) => value,
            // A literal without a point.
            Value::Int(value) => value as f32,
            other => panic!("{other:?} is no float"),
        }
    }

    pub(crate) fn truth(self) -> bool {
        match self {
            Value::Bool(value) => value,
            other => panic!("{other:?} is no bool"),
        }
    }

    /// The value for a reader.
    pub(crate) fn said(self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::Float(value) => format!("{value:?}"),
            Value::Bool(value) => value.to_string(),
            Value::Unset => "nothing".to_owned(),
        }
    }

    /// Whether no kernel can tell the two apart: all NaN are one, and so are both zeros.
    pub(crate) fn is(self, other: Value) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Value::Unset, Value::Unset) => true,
            _ => false,
        }
    }
}

/// The numbers of an integer type.
fn range(ty: Scalar) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

fn fitting(ty: Scalar, value: i128) -> Result<Value, Stop> {
    let (low, high) = range(ty);
    if (low..=high).contains(&value) {
        Ok(Value::Int(value))
    } else {
        Err(Stop::Panic)
    }
}

/// The number of a type that has the same low bits.
pub(crate) fn wrapped(ty: Scalar, value: i128) -> i128 {
    let (low, high) = range(ty);
    let low_bits = value & ((1 << ty.bits()) - 1);
    if low_bits > high {
        low_bits - (high - low + 1)
    } else {
        low_bits
    }
}

pub(crate) fn unary(op: Unary, ty: Scalar, a: Value) -> Result<Value, Stop> {
    Ok(match (op, a) {
        (Unary::Not, Value::Bool(a)) => Value::Bool(!a),
        (Unary::Not, a) => Value::Int(wrapped(ty, !a.int())),
        (Unary::Neg, Value::Float(a)) => Value::Float(-a),
        (Unary::Neg, a) if ty == Scalar::F32 => Value::Float(-a.float()),
        (Unary::Neg, a) => return fitting(ty, -a.int()),
    })
}

/// `a op b`, both of type `ty`; shifts take any integer on the right.
pub(crate) fn binary(op: Binary, ty: Scalar, a: Value, b: Value) -> Result<Value, Stop> {
    match ty {
        Scalar::F32 => Ok(float_binary(op, a.float(), b.float())),
        Scalar::Bool => Ok(Value::Bool(bool_binary(op, a.truth(), b.truth()))),
        _ => int_binary(op, ty, a.int(), b.int()),
    }
}

fn float_binary(op: Binary, a: f32, b: f32) -> Value {
    match op {
        Binary::Add => Value::Float(a + b),
        Binary::Sub => Value::Float(a - b),
        Binary::Mul => Value::Float(a * b),
        Binary::Div => Value::Float(a / b),
        Binary::Rem => Value::Float(a % b),
        Binary::Eq => Value::Bool(a == b),
        Binary::Ne => Value::Bool(a != b),
        Binary::Lt => Value::Bool(a < b),
        Binary::Le => Value::Bool(a <= b),
        Binary::Gt => Value::Bool(a > b),
        Binary::Ge => Value::Bool(a >= b),
        _ => panic!("rustc refuses `{}` of floats", op.token()),
    }
}

fn bool_binary(op: Binary, a: bool, b: bool) -> bool {
    match op {
        Binary::And | Binary::BitAnd => a & b,
        Binary::Or | Binary::BitOr => a | b,
        Binary::BitXor | Binary::Ne => a != b,
        Binary::Eq => a == b,
        Binary::Lt => !a & b,
        Binary::Le => a <= b,
        Binary::Gt => a & !b,
        Binary::Ge => a >= b,
        _ => panic!("rustc refuses `{}` of bools", op.token()),
    }
}

fn int_binary(op: Binary, ty: Scalar, a: i128, b: i128) -> Result<Value, Stop> {
    let shift = |b: i128| {
        u32::try_from(b)
            .ok()
            .filter(|b| *b < ty.bits())
            .ok_or(Stop::Panic)
    };
    let value = match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a.checked_mul(b).ok_or(Stop::Panic)?,
        Binary::Div => a.checked_div(b).ok_or(Stop::Panic)?,
        Binary::Rem => a.checked_rem(b).ok_or(Stop::Panic)?,
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::Shl => return Ok(Value::Int(wrapped(ty, a << shift(b)?))),
        Binary::Shr => a >> shift(b)?,
        Binary::Eq => return Ok(Value::Bool(a == b)),
        Binary::Ne => return Ok(Value::Bool(a != b)),
        Binary::Lt => return Ok(Value::Bool(a < b)),
        Binary::Le => return Ok(Value::Bool(a <= b)),
        Binary::Gt => return Ok(Value::Bool(a > b)),
        Binary::Ge => return Ok(Value::Bool(a >= b)),
        Binary::And | Binary::Or => panic!("rustc refuses `{}` of integers", op.token()),
    };
    fitting(ty, value)
}

/// `a as ty`.
pub(crate) fn cast(ty: Scalar, a: Value) -> Value {
    match (ty, a) {
        (Scalar::Bool, a) => a,
        (Scalar::F32, a) => Value::Float(match a {
            Value::Float(a) => a,
            a => a.int() as f32,
        }),
        (ty, Value::Float(a)) => {
            let (low, high) = range(ty);
            Value::Int((a as i128).clamp(low, high))
        }
        (ty, a) => Value::Int(wrapped(ty, a.int())),
    }
}

/// A built-in function of arguments of type `ty`.
pub(crate) fn math(math: Math, ty: Scalar, args: &[Value]) -> Result<Value, Stop> {
    if ty == Scalar::F32 {
        let args: Vec<f32> = args.iter().map(|a| a.float()).collect();
        return float_math(math, &args);
    }
    let args: Vec<i128> = args.iter().map(|a| a.int()).collect();
    let (low, high) = range(ty);
    Ok(Value::Int(match (math, &args[..]) {
        (Math::Abs, [a]) => return fitting(ty, a.abs()),
        (Math::Max, [a, b]) => *a.max(b),
        (Math::Min, [a, b]) => *a.min(b),
        (Math::Clamp, [_, low, high]) if low > high => return Err(Stop::Panic),
        (Math::Clamp, [a, low, high]) => *a.clamp(low, high),
        (Math::SaturatingAdd, [a, b]) => (a + b).clamp(low, high),
        (Math::SaturatingSub, [a, b]) => (a - b).clamp(low, high),
        (Math::WrappingAdd, [a, b]) => wrapped(ty, a + b),
        (Math::WrappingSub, [a, b]) => wrapped(ty, a - b),
        (Math::WrappingMul, [a, b]) => wrapped(ty, a.checked_mul(*b).ok_or(Stop::Panic)?),
        (Math::WrappingNeg, [a]) => wrapped(ty, -a),
        _ => return Err(Stop::unknown(math)),
    }))
}

fn float_math(math: Math, args: &[f32]) -> Result<Value, Stop> {
    Ok(match (math, args) {
        (Math::IsNan, [a]) => Value::Bool(a.is_nan()),
        (Math::IsFinite, [a]) => Value::Bool(a.is_finite()),
        (Math::IsInfinite, [a]) => Value::Bool(a.is_infinite()),
        (Math::Abs, [a]) => Value::Float(a.abs()),
        (Math::Floor, [a]) => Value::Float(a.floor()),
        (Math::Max, [a, b]) => Value::Float(a.max(*b)),
        (Math::Min, [a, b]) => Value::Float(a.min(*b)),
        _ => return Err(Stop::unknown(math)),
    })
}

//! The types in which C++ computes: integer promotion and the usual arithmetic conversions.
//!
//! Rust computes `a + b` in the one type of both. C++ computes in `int` where both are narrower, and in the wider or unsigned
//! one where they differ.

use crate::ir::Scalar;

/// The type that C++ promotes an operand to.
pub(super) fn promoted(ty: Scalar) -> Scalar {
    match ty {
        Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => Scalar::I32,
        wide => wide,
    }
}

/// The type in which C++ computes with two operands.
pub(super) fn common(a: Scalar, b: Scalar) -> Scalar {
    let (a, b) = (promoted(a), promoted(b));
    match (a, b) {
        (Scalar::F32, _) | (_, Scalar::F32) => Scalar::F32,
        _ if a.bits() != b.bits() => {
            if a.bits() > b.bits() {
                a
            } else {
                b
            }
        }
        _ if a.is_signed() => b,
        _ => a,
    }
}

/// The type of a choice between two values.
pub(super) fn chosen(a: Scalar, b: Scalar) -> Scalar {
    if a == b { a } else { common(a, b) }
}

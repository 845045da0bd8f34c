//! How much memory a buffer's shape needs.

use oxysycl_codegen::eval::{self, Known};
use oxysycl_codegen::ir::{self, Buffer, Expr, ExprKind, ParamId};
use smallvec::SmallVec;

use super::LaunchError;

/// One dimension with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Number of positions.
    pub(crate) count: i64,
    /// Elements from one position to the next.
    pub(crate) stride: i64,
}

/// The dimensions of a buffer, outermost first. So few as there usually are take no allocation.
pub(crate) type Extents = SmallVec<[Extent; 4]>;

/// The dimensions of a buffer.
pub(crate) fn extents(
    ir: &ir::Kernel,
    id: ParamId,
    buffer: &Buffer,
    values: &impl Known,
) -> Result<Extents, LaunchError> {
    let uncountable = || LaunchError::Uncountable {
        kernel: ir.name.clone(),
        buffer: ir.params[id].name.clone(),
    };
    let size = |e: &Expr, what: &str| match eval::integer(e, values) {
        None => Err(uncountable()),
        Some(value @ 0..) => Ok(value),
        Some(value) => {
            let whole = || (format!("the {what} of `{}`", ir.params[id].name), value);
            let (what, value) = negative(ir, e, values).unwrap_or_else(whole);
            Err(LaunchError::Negative {
                kernel: ir.name.clone(),
                what,
                value,
            })
        }
    };
    let mut inner: i64 = 1;
    let mut extents = Extents::new();
    for dim in buffer.shape.iter().rev() {
        let count = size(&dim.extent, "extent")?;
        let stride = match &dim.stride {
            Some(stride) => size(stride, "stride")?,
            None => inner,
        };
        extents.push(Extent { count, stride });
        inner = count.checked_mul(stride).ok_or_else(uncountable)?;
    }
    extents.reverse();
    Ok(extents)
}

/// Elements from the first to the last that the dimensions reach, in elements; 0 if there are none.
pub(crate) fn span(extents: &[Extent]) -> i128 {
    if extents.iter().any(|extent| extent.count == 0) {
        return 0;
    }
    1 + extents
        .iter()
        .map(|extent| i128::from(extent.count - 1) * i128::from(extent.stride))
        .sum::<i128>()
}

/// Refuses a buffer of `len` elements that is too short for its shape.
pub(super) fn expect(
    ir: &ir::Kernel,
    id: ParamId,
    buffer: &Buffer,
    values: &impl Known,
    len: usize,
) -> Result<(), LaunchError> {
    let extents = extents(ir, id, buffer, values)?;
    let needed = span(&extents);
    if needed <= len as i128 {
        return Ok(());
    }
    Err(LaunchError::Short {
        kernel: ir.name.clone(),
        buffer: ir.params[id].name.clone(),
        given: len,
        needed,
        shape: describe(ir, buffer, &extents),
    })
}

/// A shape such as `[num_tokens = 2 @ input_stride = 4160, HIDDEN_SIZE = 4096]`.
fn describe(ir: &ir::Kernel, buffer: &Buffer, extents: &[Extent]) -> String {
    let number = |e: &Expr, value: i64| match name(ir, e) {
        Some(name) => format!("{name} = {value}"),
        None => value.to_string(),
    };
    let dims = buffer
        .shape
        .iter()
        .zip(extents)
        .map(|(dim, extent)| match &dim.stride {
            Some(stride) => format!(
                "{} @ {}",
                number(&dim.extent, extent.count),
                number(stride, extent.stride)
            ),
            None => number(&dim.extent, extent.count),
        });
    format!("[{}]", dims.collect::<Vec<_>>().join(", "))
}

/// The parameter below zero that a size is or is made of, and its value.
fn negative(ir: &ir::Kernel, e: &Expr, values: &impl Known) -> Option<(String, i64)> {
    match &e.kind {
        ExprKind::Param(_) | ExprKind::Const(_) => {
            let value = eval::integer(e, values).filter(|value| *value < 0)?;
            Some((format!("`{}`", name(ir, e)?), value))
        }
        ExprKind::Cast(inner) => negative(ir, inner, values),
        ExprKind::Binary(_, a, b) => negative(ir, a, values).or_else(|| negative(ir, b, values)),
        _ => None,
    }
}

/// The parameter that a size is, if it is one.
fn name<'a>(ir: &'a ir::Kernel, e: &Expr) -> Option<&'a str> {
    match &e.kind {
        ExprKind::Param(id) => Some(&ir.params[*id].name),
        ExprKind::Const(id) => Some(&ir.consts[*id].name),
        ExprKind::Cast(inner) => name(ir, inner),
        _ => None,
    }
}

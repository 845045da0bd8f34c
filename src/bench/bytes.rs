//! Useful bytes: what a kernel would move if memory gave and took every element once.
//!
//! An element of a buffer's shape counts once if the kernel loads from the buffer, and once more if it writes it. Of a buffer
//! whose rows are chosen by indices, as many rows count as there are indices. A buffer that is not given has none.

use oxysycl_codegen::Indices;
use oxysycl_codegen::eval::Values;
use oxysycl_codegen::ir::{DType, Element, ExprKind, Kernel as Ir, ParamId};

use crate::launch::{LaunchError, shape};

/// The bytes that `ir`, which has these `indices`, reads and writes with the arguments in `values`.
pub(crate) fn useful(
    ir: &Ir,
    indices: &[Indices],
    dtypes: &[DType],
    values: &Values,
) -> Result<u64, LaunchError> {
    let read = read(ir);
    let mut bytes = 0;
    for (id, buffer) in ir.buffers() {
        let extents = shape::extents(ir, id, buffer, values)?;
        let size = match buffer.element {
            Element::DType(dtype) => dtype.size(),
            Element::Param(at) => dtypes[at].size(),
        };
        let mut counts: Vec<u64> = extents.iter().map(|extent| extent.count as u64).collect();
        if let (Some(rows), Some(count)) = (chosen(ir, indices, id, values)?, counts.first_mut()) {
            *count = rows.min(*count);
        }
        let passes = u64::from(read.contains(&id)) + u64::from(buffer.mutable);
        bytes += counts.iter().product::<u64>() * size as u64 * passes;
    }
    Ok(bytes)
}

/// The buffers that the kernel loads from.
fn read(ir: &Ir) -> Vec<ParamId> {
    let mut read = Vec::new();
    ir.walk_exprs(&mut |e| {
        if let ExprKind::Load(place, _) = e.kind {
            read.extend(ir.buffers_of(place));
        }
    });
    read
}

/// How many rows of the buffer `id` indices choose; `None` if they choose none of it.
fn chosen(ir: &Ir, indices: &[Indices], id: ParamId, values: &Values) -> Result<Option<u64>, LaunchError> {
    let Some(outer) = ir.buffer(id).shape.first() else {
        return Ok(None);
    };
    let addresses = |indices: &&Indices| {
        let same = matches!((&indices.rows.kind, &outer.extent.kind), (ExprKind::Param(a), ExprKind::Param(b)) if a == b);
        indices.buffer != id && same
    };
    let Some(indices) = indices.iter().find(addresses) else {
        return Ok(None);
    };
    let extents = shape::extents(ir, indices.buffer, ir.buffer(indices.buffer), values)?;
    Ok(Some(extents.iter().map(|extent| extent.count as u64).product()))
}

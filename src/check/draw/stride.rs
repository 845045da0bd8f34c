//! Strides that follow from sizes and the layout.

use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{Expr, ExprKind, Kernel, ParamId};

use super::size::Role;
use crate::check::case::{Layout, Spacing};

/// Sizes, and strides that follow from them and the layout.
pub(super) fn values(ir: &Kernel, roles: &[Role], consts: &[i64], sizes: &[i64], layout: Layout) -> Values {
    let counted = (0..roles.len()).filter(|id| roles[*id] != Role::Other && roles[*id] != Role::Stride);
    let mut values = Values {
        consts: consts.to_vec(),
        params: counted.map(|id| (id, sizes[id])).collect(),
        ..Values::default()
    };
    for (_, buffer) in ir.buffers() {
        let mut inner: i64 = 1;
        for dim in buffer.shape.iter().rev() {
            let count = eval::integer(&dim.extent, &values).unwrap_or(1).max(1);
            if let Some(stride) = &dim.stride {
                give_strides(
                    stride,
                    roles,
                    spaced(inner, values.params.len() as i64, layout.spacing),
                    &mut values,
                );
            }
            let stride = dim
                .stride
                .as_ref()
                .and_then(|stride| eval::integer(stride, &values))
                .unwrap_or(inner);
            inner = count.saturating_mul(stride);
        }
    }
    if layout.in_place {
        share_strides(ir, &mut values);
    }
    values
}

/// Sets the stride parameters in `stride` to at least `spacing`.
fn give_strides(stride: &Expr, roles: &[Role], spacing: i64, values: &mut Values) {
    stride.walk(&mut |part| {
        if let ExprKind::Param(id) = part.kind
            && roles[id] == Role::Stride
        {
            let value = values.params.entry(id).or_insert(spacing);
            *value = spacing.max(*value);
        }
    });
}

/// A distance of rows of `width` elements; `nth` makes the strides of a kernel differ.
fn spaced(width: i64, nth: i64, spacing: Spacing) -> i64 {
    match spacing {
        Spacing::Dense => width,
        Spacing::Padded => (width as u64).next_multiple_of(8) as i64 + 8 * nth,
        Spacing::Odd => (width + 2 * nth) | 1,
    }
}

/// Buffers that are one have one layout.
fn share_strides(ir: &Kernel, values: &mut Values) {
    for (output, input) in aliases(ir) {
        let dims = ir.buffer(output).shape.iter().zip(&ir.buffer(input).shape);
        for (to, from) in dims.filter_map(|(output, input)| Some((param(input.stride.as_ref()?)?, output))) {
            let stride = from
                .stride
                .as_ref()
                .and_then(|stride| eval::integer(stride, values));
            stride
                .into_iter()
                .for_each(|stride| _ = values.params.insert(to, stride));
        }
    }
}

/// Pairs of buffers that may be one: the written one and the read one. Each written one goes with its first.
pub(in crate::check) fn aliases(ir: &Kernel) -> Vec<(ParamId, ParamId)> {
    ir.buffers()
        .filter_map(|(id, buffer)| Some((id, *buffer.aliases.first()?)))
        .collect()
}

fn param(e: &Expr) -> Option<ParamId> {
    match &e.kind {
        ExprKind::Param(id) => Some(*id),
        ExprKind::Cast(inner) => param(inner),
        _ => None,
    }
}

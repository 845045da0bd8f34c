//! Rule 5: groups write disjoint rows, and read what is written only in their own.

use super::access::{Access, Actor, Collector};
use super::known::Known;
use super::poly::Poly;
use crate::diagnostics::Errors;
use crate::ir::{self, Grid, Kernel, LocalId, ParamId};

/// One dimension of a shape.
#[derive(Clone, Debug)]
struct Dim {
    extent: Poly,
    stride: Poly,
}

/// A loop that moves an index.
struct Axis {
    index: LocalId,
    extent: Poly,
}

/// Checks every access to buffers that are written.
pub(crate) fn check(kernel: &Kernel, mut collector: Collector<'_>, errors: &mut Errors) {
    let axes = kernel.grid.axes();
    if axes.is_empty() || axes.iter().any(|(_, extent)| extent.is_invalid()) {
        return;
    }
    let grid: Vec<Axis> = match &kernel.grid {
        Grid::Groups { .. } => axes
            .into_iter()
            .map(|(index, extent)| Axis {
                index,
                extent: collector.known.poly(extent),
            })
            .collect(),
        Grid::Elements { .. } => Vec::new(),
    };
    let mut accesses = Vec::new();
    collector.block(&kernel.body, &mut accesses);
    let written: Vec<ParamId> = accesses.iter().filter(|a| a.write).map(|a| a.buffer).collect();
    for access in &accesses {
        if !errors.has(access.span)
            && has_shape(kernel, access.buffer)
            && written.iter().any(|w| kernel.may_alias(*w, access.buffer))
        {
            own_row(kernel, access, &grid, &mut collector.known, errors);
        }
    }
}

/// Whether the shape is there, and nothing in it was already reported.
fn has_shape(kernel: &Kernel, buffer: ParamId) -> bool {
    let shape = &kernel.buffer(buffer).shape;
    let invalid =
        |dim: &ir::Dim| dim.extent.is_invalid() || dim.stride.as_ref().is_some_and(ir::Expr::is_invalid);
    !shape.is_empty() && !shape.iter().any(invalid)
}

fn own_row(kernel: &Kernel, access: &Access, grid: &[Axis], known: &mut Known, errors: &mut Errors) {
    let name = kernel.place_name(access.place);
    let buffer = &kernel.params[access.buffer].name;
    let mut dims = dims(kernel, access.buffer, known);
    let mut index = access.index.clone();
    for axis in grid {
        if axis.extent.as_constant() == Some(1) {
            continue;
        }
        let Some((slope, rest)) = index.linear_in(axis.index) else {
            return errors.at(access.span, format_args!("the row of `{name}` depends on `{}` in a way that does not keep groups apart; write `{0} * stride`", kernel.locals[axis.index].name));
        };
        let Some(at) = dims
            .iter()
            .position(|dim| dim.stride == slope && dim.extent == axis.extent)
        else {
            let axis = &kernel.locals[axis.index].name;
            return errors.at(
                access.span,
                if slope == Poly::default() {
                    format!("every `{axis}` reaches this element of `{buffer}`, which is written; groups run at the same time and keep to elements of their own")
                } else {
                    format!("the step from one `{axis}` to the next is no dimension of `{buffer}` in `shapes(..)` with the grid's extent and that stride")
                },
            );
        };
        dims.remove(at);
        index = rest;
    }
    if !inside(access, index, dims) {
        let whole = match kernel.grid {
            Grid::Groups { .. } => format!("the group's own row of `{buffer}`"),
            Grid::Elements { .. } => format!("`{buffer}`"),
        };
        errors.at(
            access.span,
            format_args!(
                "this may lie outside {whole} by `shapes(..)`; written buffers are accessed only inside it"
            ),
        );
    }
}

/// Whether an index without its grid part stays inside the dimensions left.
fn inside(access: &Access, index: Poly, mut dims: Vec<Dim>) -> bool {
    let mut moving = Access {
        index,
        ..access.clone()
    };
    // Loops that step along an outer dimension.
    for repeat in access.rounds.iter().chain(&access.repeats) {
        let Some((slope, rest)) = moving.index.linear_in(repeat.index) else {
            return false;
        };
        let along = |dim: &Dim| dim.stride == slope && dim.stride != Poly::constant(1);
        let whole =
            |dim: &Dim| dim.extent.minus(&repeat.end).is_nonnegative() && repeat.start.is_nonnegative();
        if let Some(at) = dims.iter().position(|dim| along(dim) && whole(dim)) {
            dims.remove(at);
            moving.index = rest;
            moving.rounds.retain(|other| other != repeat);
            moving.repeats.retain(|other| other != repeat);
        }
    }
    let Some((low, high)) = moving.range() else {
        return false;
    };
    // The innermost dimensions that follow without a gap.
    let mut span = Poly::constant(1);
    for dim in dims.iter().rev() {
        if dim.stride == span {
            span = span.times(&dim.extent);
        }
    }
    // An access happens only where there is something: a loop over lanes has some then, and a launcher submits nothing for
    // empty buffers that the group itself accesses.
    let sizes = match &access.actor {
        Actor::Group => span.factors(),
        Actor::Lane(_, extent) | Actor::One(_, extent, _) => extent.factors(),
    };
    let holds = |poly: Poly| poly.counted_from_one(&sizes).is_nonnegative();
    holds(low) && holds(span.minus(&high).minus(&Poly::constant(1)))
}

/// The dimensions of a buffer, outermost first.
fn dims(kernel: &Kernel, buffer: ParamId, known: &mut Known) -> Vec<Dim> {
    let mut inner = Poly::constant(1);
    let mut dims = Vec::new();
    for dim in kernel.buffer(buffer).shape.iter().rev() {
        let extent = known.poly(&dim.extent);
        let stride = dim
            .stride
            .as_ref()
            .map_or(inner.clone(), |stride| known.poly(stride));
        inner = stride.times(&extent);
        dims.push(Dim { extent, stride });
    }
    dims.reverse();
    dims
}

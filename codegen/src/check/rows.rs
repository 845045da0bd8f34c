//! Rule 5: groups write disjoint rows, and read what is written only in their own.

use std::collections::BTreeSet;

use super::access::{Access, Actor, Collector, Repeat};
use super::known::Known;
use super::poly::{Atom, Poly};
use crate::diagnostics::Errors;
use crate::ir::{self, Grid, Kernel, LocalId, ParamId};

/// One dimension of a shape.
#[derive(Clone, Debug)]
pub(super) struct Dim {
    pub(super) extent: Poly,
    pub(super) stride: Poly,
}

/// A grid index that moves an index.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Axis {
    index: LocalId,
    /// Its first value.
    first: Poly,
    /// How many values it has.
    extent: Poly,
}

impl Axis {
    /// The part of the axis that the conditions around an access leave.
    fn narrowed(&self, holds: &[Poly]) -> Axis {
        let mut narrowed = self.clone();
        for fact in holds {
            let Some((slope, rest)) = fact.linear_in(self.index) else {
                continue;
            };
            // What differs from group to group, or from lane to lane, bounds nothing.
            if !rest.locals().is_empty() {
                continue;
            }
            let end = narrowed.first.plus(&narrowed.extent);
            match slope.as_constant() {
                // index + rest is at least 0: it begins at -rest.
                Some(1) => {
                    let first = Poly::default().minus(&rest);
                    if first.minus(&narrowed.first).is_nonnegative_by(holds) {
                        narrowed.extent = end.minus(&first);
                        narrowed.first = first;
                    }
                }
                // rest - index is at least 0: it ends behind rest.
                Some(-1) => {
                    let behind = rest.plus(&Poly::constant(1));
                    if end.minus(&behind).is_nonnegative_by(holds) {
                        narrowed.extent = behind.minus(&narrowed.first);
                    }
                }
                _ => {}
            }
        }
        narrowed
    }
}

/// Which row of a buffer each group has: what every access of the buffer has to agree on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Own {
    /// For each grid index that does not pick an element of `by`, which of its values have rows.
    axes: Vec<Owners>,
    /// The element that addresses the row.
    by: Option<Atom>,
}

/// Groups along a dimension of the grid that have a row of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Owners {
    /// The group at this index alone.
    One(Poly),
    /// All from this index on, with rows so far apart.
    Each(Poly, Poly),
}

/// Checks every access to buffers that are written. Those in `certain` are not empty: launchers submit nothing then.
pub(crate) fn check(
    kernel: &Kernel,
    certain: &BTreeSet<ParamId>,
    mut collector: Collector,
    errors: &mut Errors,
) {
    let axes = kernel.grid.axes();
    if axes.is_empty() || axes.iter().any(|(_, extent)| extent.is_invalid()) {
        return;
    }
    let grid: Vec<Axis> = match &kernel.grid {
        Grid::Groups { .. } => axes
            .into_iter()
            .map(|(index, extent)| Axis {
                index,
                first: Poly::default(),
                extent: collector.known.poly(extent),
            })
            .collect(),
        Grid::Elements { .. } => Vec::new(),
    };
    let mut accesses = Vec::new();
    collector.block(&kernel.body, &mut accesses);
    for found in &mut accesses {
        // Launchers take no cases apart: what is certain in one of them may not be so for them.
        found.certain &= certain.contains(&found.buffer);
    }
    let written: Vec<ParamId> = accesses.iter().filter(|a| a.write).map(|a| a.buffer).collect();
    let mut owned: Vec<(ParamId, Own)> = Vec::new();
    for access in &accesses {
        if errors.has(access.span)
            || !has_shape(kernel, access.buffer)
            || !written.iter().any(|w| kernel.may_alias(*w, access.buffer))
        {
            continue;
        }
        let own = match own_row(kernel, access, &grid, &mut collector.known) {
            Ok(own) => own,
            Err(problem) => {
                errors.at(access.span, problem);
                continue;
            }
        };
        let unlike =
            |(buffer, other): &&(ParamId, Own)| kernel.may_alias(*buffer, access.buffer) && *other != own;
        if owned.iter().find(unlike).is_some() {
            let buffer = &kernel.params[access.buffer].name;
            errors.at(access.span, format_args!("another access gives the same group another row of `{buffer}`; groups run at the same time and keep to one row each"));
        }
        owned.push((access.buffer, own));
    }
}

/// Whether the shape is there, and nothing in it was already reported.
fn has_shape(kernel: &Kernel, buffer: ParamId) -> bool {
    let shape = &kernel.buffer(buffer).shape;
    let invalid =
        |dim: &ir::Dim| dim.extent.is_invalid() || dim.stride.as_ref().is_some_and(ir::Expr::is_invalid);
    !shape.is_empty() && !shape.iter().any(invalid)
}

/// The row of its buffer that an access keeps to, or why it does not keep to one.
fn own_row(kernel: &Kernel, access: &Access, grid: &[Axis], known: &mut Known) -> Result<Own, String> {
    let dims = dims(kernel, access.buffer, known);
    let whole = placed(kernel, access, grid, dims.clone());
    let narrow: Vec<Axis> = grid.iter().map(|axis| axis.narrowed(&access.holds)).collect();
    if whole.is_ok() || narrow == grid {
        return whole;
    }
    placed(kernel, access, &narrow, dims)
}

/// Takes the grid's part out of an access's index, each grid index with the dimension that it steps along.
fn placed(kernel: &Kernel, access: &Access, grid: &[Axis], mut dims: Vec<Dim>) -> Result<Own, String> {
    let name = kernel.place_name(access.place);
    let buffer = &kernel.params[access.buffer].name;
    let mut index = access.index.clone();
    let mut own = Own::default();
    let mut through = None;
    if let Some(by) = kernel.buffer(access.buffer).scattered_by {
        let Some((element, axis, rest)) = scattered(access, by, grid, &mut dims)? else {
            let by = &kernel.params[by].name;
            return Err(format!(
                "the rows of `{buffer}` are addressed by `scatter(..)`: add `{by}.load(row)` times the stride"
            ));
        };
        index = rest;
        own.by = Some(element);
        through = Some(axis);
    }
    for axis in grid {
        if through == Some(axis.index) {
            continue;
        }
        if axis.extent.as_constant() == Some(1) {
            own.axes.push(Owners::One(axis.first.clone()));
            index = index.substitute(axis.index, &axis.first).unwrap_or(index);
            continue;
        }
        let axis_name = &kernel.locals[axis.index].name;
        let unclear = || {
            format!(
                "the row of `{name}` depends on `{axis_name}` in a way that does not keep groups apart; write `{axis_name} * stride`"
            )
        };
        // Inside its row, an element may depend on the group in any way.
        let (slope, rest) = index.split_by(axis.index).ok_or_else(unclear)?;
        let Some(at) = dims
            .iter()
            .position(|dim| dim.stride == slope && dim.extent.minus(&axis.extent).is_nonnegative())
        else {
            return Err(if rest.depends_on(axis.index) {
                unclear()
            } else if slope == Poly::default() {
                format!(
                    "every `{axis_name}` reaches this element of `{buffer}`, which is written; groups run at the same time and keep to elements of their own"
                )
            } else {
                format!(
                    "the step from one `{axis_name}` to the next is no dimension of `{buffer}` in `shapes(..)` with the grid's extent and that stride"
                )
            });
        };
        dims.remove(at);
        index = rest.plus(&slope.times(&axis.first));
        own.axes.push(Owners::Each(axis.first.clone(), slope));
    }
    if inside(access, &access.loops(), &index, &dims) {
        return Ok(own);
    }
    let whole = match kernel.grid {
        Grid::Groups { .. } => format!("the group's own row of `{buffer}`"),
        Grid::Elements { .. } => format!("`{buffer}`"),
    };
    Err(format!(
        "this may lie outside {whole} by `shapes(..)`; written buffers are accessed only inside it"
    ))
}

/// The element of `by` that addresses the row of an access, the grid index that picks the element, and the index without
/// it. Takes the dimension that it addresses out of `dims`.
fn scattered(
    access: &Access,
    by: ParamId,
    grid: &[Axis],
    dims: &mut Vec<Dim>,
) -> Result<Option<(Atom, LocalId, Poly)>, String> {
    let is_by = |atom: &&Atom| matches!(atom, Atom::Element(buffer, _) if *buffer == by);
    let Some(element) = access.index.atoms().find(is_by).cloned() else {
        return Ok(None);
    };
    let Atom::Element(_, at) = &element else {
        return Ok(None);
    };
    // One element per value of a grid index, and another one for each.
    let picks = |axis: &&Axis| {
        let Some((slope, rest)) = at.linear_in(axis.index) else {
            return false;
        };
        slope.as_constant().is_some_and(|step| step != 0) && rest.locals().is_empty()
    };
    let (Some(axis), Some((stride, rest))) = (grid.iter().find(picks), access.index.linear_in_atom(&element))
    else {
        return Ok(None);
    };
    let Some(dim) = dims.iter().position(|dim| dim.stride == stride) else {
        return Ok(None);
    };
    let Dim { extent, .. } = dims.remove(dim);
    let slot = Poly::atom(element.clone());
    if !slot.is_nonnegative_by(&access.holds) {
        return Err(
            "this row may have a negative index, which `scatter(..)` skips; store under `if index >= 0`"
                .to_owned(),
        );
    }
    if !extent
        .minus(&slot)
        .minus(&Poly::constant(1))
        .is_nonnegative_by(&access.holds)
    {
        return Err("this row may lie behind the last one; store under `if index < rows`, with the extent in `shapes(..)`".to_owned());
    }
    Ok(Some((element.clone(), axis.index, rest)))
}

/// Whether an index without its grid part stays inside the dimensions left. Each of the loops around, outermost first, may
/// step along an outer dimension, which is then done with.
fn inside(access: &Access, loops: &[Repeat], index: &Poly, dims: &[Dim]) -> bool {
    let Some((repeat, inner)) = loops.split_last() else {
        return within(access, index, dims);
    };
    let steps = index
        .linear_in(repeat.index)
        .into_iter()
        .flat_map(|(slope, rest)| {
            let along = dims.iter().enumerate();
            along.filter_map(move |(at, dim)| Some((at, dim.stepped(repeat, &slope, access)?.plus(&rest))))
        });
    let mut without = steps.map(|(at, rest)| {
        let mut dims = dims.to_vec();
        dims.remove(at);
        (dims, rest)
    });
    without.any(|(dims, rest)| inside(access, inner, &rest, &dims)) || inside(access, inner, index, dims)
}

impl Dim {
    /// What a loop that steps by `slope` adds to an index besides a position along the dimension; `None` if it does not keep
    /// to the dimension.
    fn stepped(&self, repeat: &Repeat, slope: &Poly, access: &Access) -> Option<Poly> {
        let holds = |poly: Poly| poly.is_nonnegative_by(&access.holds);
        let fits = |count: &Poly| holds(self.extent.minus(count));
        let count = repeat.end.minus(&repeat.start);
        if self.stride == Poly::constant(1) {
            None
        } else if *slope == self.stride {
            // The positions are those of the loop, or are counted from its start.
            if fits(&repeat.end) && holds(repeat.start.clone()) {
                Some(Poly::default())
            } else {
                fits(&count).then(|| slope.times(&repeat.start))
            }
        } else {
            // From the last one down.
            let last = repeat.end.minus(&Poly::constant(1));
            let falls = *slope == Poly::default().minus(&self.stride);
            (falls && fits(&count)).then(|| slope.times(&last))
        }
    }
}

/// Whether an index stays inside dimensions, as far as they follow without a gap.
fn within(access: &Access, index: &Poly, dims: &[Dim]) -> bool {
    let moving = Access {
        index: index.clone(),
        ..access.clone()
    };
    // The innermost dimensions that follow without a gap.
    let mut span = Poly::constant(1);
    for dim in dims.iter().rev() {
        if dim.stride == span {
            span = span.times(&dim.extent);
        }
    }
    // An access happens only where there is something: a loop over lanes has some then, and a launcher submits nothing for
    // empty buffers that every group accesses.
    let sizes = match &access.actor {
        Actor::Group if access.certain => span.factors(),
        Actor::Group => vec![],
        Actor::Lane(_, extent) | Actor::One(_, extent, _) => extent.factors(),
    };
    let facts: Vec<Poly> = access
        .holds
        .iter()
        .map(|fact| fact.counted_from_one(&sizes))
        .collect();
    let holds = |poly: Poly| poly.counted_from_one(&sizes).is_nonnegative_by(&facts);
    let between =
        |low: &Poly, high: &Poly| holds(low.clone()) && holds(span.minus(high).minus(&Poly::constant(1)));
    // The conditions around say it of the index itself, or of the ends of loops.
    between(&moving.index, &moving.index) || moving.range().is_some_and(|(low, high)| between(&low, &high))
}

/// The dimensions of a buffer, outermost first.
pub(super) fn dims(kernel: &Kernel, buffer: ParamId, known: &mut Known) -> Vec<Dim> {
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

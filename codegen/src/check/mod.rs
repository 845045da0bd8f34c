//! What rustc cannot see: rules that keep a kernel right when its lanes and groups run at the same time.
//!
//! Types, borrows and names are rustc's. The syntax that has no meaning on a device is refused by the front end.

mod access;
mod accumulator;
mod footprint;
mod index;
mod known;
mod operation;
mod optional;
mod order;
mod overlap;
mod poly;
mod rows;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeSet;

use crate::diagnostics::Errors;
use crate::ir::{Expr, ExprKind, Kernel, ParamId, ParamKind, Place, Scalar};

pub use self::index::{Indices, indices};
use self::known::Facts;
pub(crate) use self::known::Known;
pub(crate) use self::order::Barriers;
pub(crate) use self::poly::{Atom, Poly};

/// Checks a kernel. Rules that `bool` const parameters decide are judged for each of their values; with aliases, once with
/// the buffers apart and once with them in one place.
///
/// Gives the places where the work-items of a row have to wait for each other.
pub(crate) fn check(kernel: &Kernel, errors: &mut Errors) -> Barriers {
    accumulator::check(kernel, errors);
    let mut barriers = Barriers::new();
    let mut apart = kernel.clone();
    let mut known = known_numbers(kernel);
    for known in instances(kernel, &known) {
        optional::check(kernel, known, errors);
    }
    memory(without_aliases(&mut apart), &known, &mut barriers, errors);
    if kernel.buffers().any(|(_, buffer)| !buffer.aliases.is_empty()) {
        equal_strides(kernel, &mut known);
        memory(kernel, &known, &mut barriers, errors);
    }
    barriers
}

/// What holds of the numbers in a kernel.
fn known_numbers(kernel: &Kernel) -> Known {
    Known::new(Facts {
        changing: accumulator::changing(kernel),
        signed: signed(kernel),
        fixed: fixed(kernel),
    })
}

/// What holds of the values in a kernel, whatever their signs: divisibility does not ask for those.
pub(crate) fn known_values(kernel: &Kernel) -> Known {
    Known::new(Facts {
        changing: accumulator::changing(kernel),
        fixed: fixed(kernel),
        ..Facts::default()
    })
}

/// Buffers that every group of a checked kernel accesses itself, whatever its conditions come to.
pub(crate) fn certainly_accessed(kernel: &Kernel) -> BTreeSet<ParamId> {
    let known = known_numbers(kernel);
    let mut accesses = Vec::new();
    access::Collector::new(kernel, known).block(&kernel.body, &mut accesses);
    let certain = accesses.iter().filter(|access| access.certain);
    certain.map(|access| access.buffer).collect()
}

/// Rules 3 to 6.
fn memory(kernel: &Kernel, known: &Known, barriers: &mut Barriers, errors: &mut Errors) {
    for known in instances(kernel, known) {
        let collector = access::Collector::new(kernel, known);
        barriers.extend(order::check(kernel, collector.clone(), errors));
        rows::check(kernel, collector, errors);
    }
}

/// Parameters that may be negative: nothing says that they are sizes, for which launchers refuse that.
fn signed(kernel: &Kernel) -> BTreeSet<ParamId> {
    let sizes = kernel.sizes();
    let is_signed = |id: &ParamId| matches!(kernel.params[*id].kind, ParamKind::Scalar(ty) if ty.is_signed());
    (0..kernel.params.len())
        .filter(|id| is_signed(id) && !sizes.contains(id))
        .collect()
}

/// Buffers that the kernel reads alone, and rows of them.
fn fixed(kernel: &Kernel) -> BTreeSet<Place> {
    let aliased = |id: ParamId| kernel.buffers().any(|(_, output)| output.aliases.contains(&id));
    let is_fixed = |place: &Place| {
        let is_fixed = |id: &ParamId| !kernel.buffer(*id).mutable && !aliased(*id);
        kernel.buffers_of(*place).iter().all(is_fixed)
    };
    let buffers = kernel.buffers().map(|(id, _)| Place::Buffer(id));
    let rows = (0..kernel.rows.len()).map(Place::Row);
    buffers.chain(rows).filter(is_fixed).collect()
}

fn without_aliases(kernel: &mut Kernel) -> &Kernel {
    for param in &mut kernel.params {
        if let ParamKind::Buffer(buffer) = &mut param.kind {
            buffer.aliases.clear();
        }
    }
    kernel
}

/// Buffers in one place have the same strides.
fn equal_strides(kernel: &Kernel, known: &mut Known) {
    for (_, output) in kernel.buffers() {
        for input in &output.aliases {
            for (a, b) in output.shape.iter().zip(&kernel.buffer(*input).shape) {
                if let (
                    Some(a),
                    Some(Expr {
                        kind: ExprKind::Param(b),
                        ..
                    }),
                ) = (&a.stride, &b.stride)
                {
                    let stride = known.poly(a);
                    known.equate(*b, stride);
                }
            }
        }
    }
}

/// Every combination of values of the `bool` const parameters and of those parameters that launchers make constants, with
/// and without each optional buffer.
fn instances(kernel: &Kernel, known: &Known) -> Vec<Known> {
    let mut all = vec![known.clone()];
    for (id, param) in kernel.consts.iter().enumerate() {
        if param.ty == Scalar::Bool {
            let with = |known: &Known, value| {
                let mut known = known.clone();
                known.bools.insert(id, value);
                known
            };
            all = all
                .iter()
                .flat_map(|known| [with(known, false), with(known, true)])
                .collect();
        }
    }
    for (id, _, values) in kernel.specialized() {
        let with = |known: &Known, value: &i64| {
            let mut known = known.clone();
            known.equate(id, Poly::constant((*value).into()));
            known
        };
        all = all
            .iter()
            .flat_map(|known| values.iter().map(move |value| with(known, value)))
            .collect();
    }
    for (id, _) in kernel.buffers().filter(|(_, buffer)| buffer.optional) {
        let with = |known: &Known, given| {
            let mut known = known.clone();
            known.given.insert(id, given);
            known
        };
        all = all
            .iter()
            .flat_map(|known| [with(known, true), with(known, false)])
            .collect();
    }
    all
}

//! What rustc cannot see: rules that keep a kernel right when its lanes and groups run at the same time.
//!
//! Types, borrows and names are rustc's. The syntax that has no meaning on a device is refused by the front end.

mod access;
mod accumulator;
mod choices;
mod footprint;
mod index;
mod known;
mod operation;
mod optional;
mod order;
mod overlap;
mod poly;
mod rows;
mod scan;
mod search;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeSet;

use crate::diagnostics::Errors;
use crate::ir::{Expr, ExprKind, Kernel, ParamId, ParamKind, Place};

pub use self::index::{Indices, indices};
use self::known::Facts;
pub(crate) use self::known::Known;
pub(crate) use self::order::Barriers;
pub(crate) use self::poly::{Atom, Poly};

/// Checks a kernel; with aliases, once with the buffers apart and once with them in one place.
///
/// Gives the places where the work-items of a row have to wait for each other.
pub(crate) fn check(kernel: &Kernel, errors: &mut Errors) -> Barriers {
    counted(kernel, errors).0
}

/// Checks a kernel, and counts in how many cases it was judged.
fn counted(kernel: &Kernel, errors: &mut Errors) -> (Barriers, usize) {
    accumulator::check(kernel, errors);
    let mut count = 0;
    let mut known = known_numbers(kernel);
    for (id, _) in kernel.buffers().filter(|(_, buffer)| buffer.optional) {
        let mut absent = known.clone();
        absent.given.insert(id, false);
        let found = choices::judge(kernel, &absent, errors, &mut |known, found| {
            count += 1;
            optional::check(kernel, known, &mut found.errors);
        });
        *errors = found.errors;
    }
    let certain = certainly_accessed(kernel);
    let mut memory = |kernel: &Kernel, known: &Known, errors: &mut Errors| {
        let found = choices::judge(kernel, known, errors, &mut |known, found| {
            count += 1;
            let collector = access::Collector::new(kernel, known);
            let barriers = order::check(kernel, collector.clone(), &mut found.errors);
            found.barriers.extend(barriers);
            rows::check(kernel, &certain, collector, &mut found.errors);
        });
        *errors = found.errors;
        found.barriers
    };
    let mut apart = kernel.clone();
    let mut barriers = memory(without_aliases(&mut apart), &known, errors);
    if kernel.buffers().any(|(_, buffer)| !buffer.aliases.is_empty()) {
        equal_strides(kernel, &mut known);
        barriers.extend(memory(kernel, &known, errors));
    }
    (barriers, count)
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

/// Parameters that may be negative: nothing says that they are sizes, for which launchers refuse that.
fn signed(kernel: &Kernel) -> BTreeSet<ParamId> {
    let sizes = kernel.sizes();
    let is_signed = |id: &ParamId| matches!(kernel.params[*id].kind, ParamKind::Scalar(ty) if ty.is_signed());
    (0..kernel.params.len())
        .filter(|id| is_signed(id) && !sizes.contains(id))
        .collect()
}

/// Buffers that the kernel reads alone, and rows of them. That one of them may be the same buffer as one that is written
/// changes nothing: a load that could see what is stored there is refused, judged by values that nothing has changed yet.
fn fixed(kernel: &Kernel) -> BTreeSet<Place> {
    let is_fixed = |place: &Place| {
        let buffers = kernel.buffers_of(*place);
        buffers.iter().all(|id| !kernel.buffer(*id).mutable)
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

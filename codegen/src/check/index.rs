//! Buffers of indices: integers that rows of other buffers are addressed by.

use super::access::{Access, Collector};
use super::known::Known;
use super::poly::{Atom, Poly};
use super::{choices, known_numbers, rows};
use crate::ir::{Expr, Kernel, ParamId};

/// What a buffer of indices is for.
#[derive(Clone, Debug)]
pub struct Indices {
    /// The buffer of indices.
    pub buffer: ParamId,
    /// How many rows there are, so that indices below are those of one.
    pub rows: Expr,
    /// Whether the kernel itself skips indices that are those of no row.
    pub guarded: bool,
    /// Whether indices of rows differ from one another, by `scatter(..)`.
    pub distinct: bool,
}

/// The buffers of indices of a checked kernel, by the first access through each.
pub fn indices(kernel: &Kernel) -> Vec<Indices> {
    let known = known_numbers(kernel);
    let mut found: Vec<Indices> = Vec::new();
    for known in choices::covering(kernel, &known) {
        let mut collector = Collector::new(kernel, known);
        let mut accesses = Vec::new();
        collector.block(&kernel.body, &mut accesses);
        for access in &accesses {
            for element in access.index.atoms() {
                if let Some(indices) = addressed(kernel, access, element, &mut collector.known) {
                    add(&mut found, indices);
                }
            }
        }
    }
    found
}

/// One buffer may address rows of several: it keeps to what all of them need.
fn add(found: &mut Vec<Indices>, indices: Indices) {
    match found.iter_mut().find(|known| known.buffer == indices.buffer) {
        Some(known) => {
            known.guarded &= indices.guarded;
            known.distinct |= indices.distinct;
        }
        None => found.push(indices),
    }
}

/// What `element` addresses in an access, if it steps along a dimension.
fn addressed(kernel: &Kernel, access: &Access, element: &Atom, known: &mut Known) -> Option<Indices> {
    let Atom::Element(buffer, _) = element else {
        return None;
    };
    let (stride, _) = access.index.linear_in_atom(element)?;
    let dims = rows::dims(kernel, access.buffer, known);
    let at = dims.iter().position(|dim| dim.stride == stride)?;
    let index = Poly::atom(element.clone());
    let room = dims[at].extent.minus(&index).minus(&Poly::constant(1));
    Some(Indices {
        buffer: *buffer,
        rows: kernel.buffer(access.buffer).shape[at].extent.clone(),
        guarded: index.is_nonnegative_by(&access.holds) && room.is_nonnegative_by(&access.holds),
        distinct: kernel.buffer(access.buffer).scattered_by == Some(*buffer),
    })
}

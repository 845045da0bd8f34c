//! What rustc cannot see: rules that keep a kernel right when its lanes and groups run at the same time.
//!
//! Types, borrows and names are rustc's. The syntax that has no meaning on a device is refused by the front end.

mod access;
mod accumulator;
mod footprint;
mod order;
mod overlap;
mod poly;
mod rows;

use crate::diagnostics::Errors;
use crate::ir::{Kernel, Scalar};

pub(crate) use self::accumulator::Accumulators;
pub(crate) use self::order::Barriers;
pub(crate) use self::poly::{Atom, Known, Poly};

/// What the checks found out, for the schedule and the emission.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Variables gathered over lanes.
    pub(crate) accumulators: Accumulators,
    /// Statements with a barrier before them.
    pub(crate) barriers: Barriers,
}

/// Checks a kernel. Rules that `bool` const parameters decide are judged for each of their values.
pub(crate) fn check(kernel: &Kernel, errors: &mut Errors) -> Facts {
    let accumulators = accumulator::check(kernel, errors);
    let mut barriers = Barriers::new();
    for known in instances(kernel) {
        let collector = access::Collector::new(kernel, known);
        barriers.extend(order::check(kernel, collector.clone(), errors));
        rows::check(kernel, collector, errors);
    }
    Facts {
        accumulators,
        barriers,
    }
}

/// Every combination of values of the `bool` const parameters.
fn instances(kernel: &Kernel) -> Vec<Known> {
    let mut all = vec![Known::new(accumulator::changing(kernel))];
    for (id, param) in kernel.consts.iter().enumerate() {
        if param.ty == Scalar::Bool {
            all = all
                .into_iter()
                .flat_map(|known| {
                    [false, true].map(|value| {
                        let mut known = known.clone();
                        known.bools.insert(id, value);
                        known
                    })
                })
                .collect();
        }
    }
    all
}

//! Rules 3 and 6: within one loop, different lanes keep to different elements, and what the group stores alone is stored
//! once.

use super::access::Access;
use super::overlap::{Shared, disjoint, same_work_item};
use crate::diagnostics::Errors;
use crate::ir::Kernel;

/// Checks the accesses of one `lanes` loop, or of the body of `elements`.
pub(crate) fn check(kernel: &Kernel, accesses: &[Access], errors: &mut Errors) {
    for (at, store) in accesses.iter().enumerate().filter(|(_, a)| a.write) {
        let name = kernel.place_name(store.place);
        match store.keeps_lanes_apart() {
            Ok(()) => {}
            Err(Shared::Same) => {
                errors.at(store.span, format_args!("every lane stores to this one element of `{name}`; store it after the loop, or under `if i == 0`"));
                continue;
            }
            Err(Shared::Unknown) => {
                errors.at(store.span, format_args!("two lanes may store to one element of `{name}`: a stored index has the form `c * i + d` with a constant `c` and a `d` that is the same in all lanes"));
                continue;
            }
        }
        for (other_at, other) in accesses.iter().enumerate() {
            let related = kernel.may_alias(store.buffer, other.buffer) && other_at != at;
            // Of two stores the later one reports.
            let mine = !other.write || other_at < at;
            if related && mine && !same_work_item(store, other) && !disjoint(store, other) {
                errors.at(store.span, conflict(kernel, store, other));
            }
        }
    }
}

fn conflict(kernel: &Kernel, store: &Access, other: &Access) -> String {
    let name = kernel.place_name(store.place);
    let verb = if other.write { "stores to" } else { "loads" };
    let alias = if store.buffer == other.buffer {
        String::new()
    } else {
        format!(
            ", since `{}` may be the same buffer",
            kernel.params[other.buffer].name
        )
    };
    let cure = if other.write {
        "give each lane elements of its own"
    } else {
        "load in a `lanes` loop before this one"
    };
    format!(
        "another lane of this loop {verb} the element of `{name}` that is stored here{alias}; lanes run at the same time, so {cure}"
    )
}

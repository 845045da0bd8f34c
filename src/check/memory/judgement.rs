//! What must be in memory after a run, and what is said of it.

use bytemuck::bytes_of;

use crate::argument::HostArgument;
use crate::check::judge::{Allowed, Judged, Unsigned};

/// What must be in a buffer after a run.
#[derive(Clone, Debug)]
pub(in crate::check) enum Expected<'a> {
    /// What was there before.
    Unchanged,
    /// The bits of these elements, but for signs that do not count.
    Bits(&'a HostArgument, Unsigned),
    /// What any of these shadows' elements allow.
    Bounds(Vec<&'a HostArgument>),
}

/// The result of judging a buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::check) struct Judgement {
    /// Elements judged.
    pub(in crate::check) elements: u64,
    /// Those among them whose bound leaves few digits.
    pub(in crate::check) rough: u64,
    /// The largest error, in units in the last place, and where it is.
    pub(in crate::check) worst: Option<(f64, Vec<i64>)>,
    /// The first element that is wrong.
    pub(in crate::check) wrong: Option<Wrong>,
}

/// An element that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::check) struct Wrong {
    /// Where it is: indices in the buffer's shape, or the distance in elements from its start for one outside.
    pub(in crate::check) at: At,
    /// What it should be.
    pub(in crate::check) expected: String,
    /// What it is.
    pub(in crate::check) found: String,
}

/// A place in or around a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::check) enum At {
    /// Indices in the shape.
    Inside(Vec<i64>),
    /// Distance from the first element.
    Outside(i64),
}

/// What is to be said of one element.
pub(super) struct Comparison {
    /// The error in units in the last place.
    pub(super) ulps: f64,
    /// Whether the bound leaves few digits, so that the error says nothing.
    pub(super) rough: bool,
    /// What it should be and what it is, if it is wrong.
    pub(super) wrong: Option<[String; 2]>,
}

pub(super) fn compare_bits<E: Judged>(found: E, expected: E, unsigned: Unsigned) -> Comparison {
    if found.is_same(expected, unsigned) {
        return Comparison {
            ulps: 0.0,
            rough: false,
            wrong: None,
        };
    }
    let wrong = Some([with_bits(expected), with_bits(found)]);
    Comparison {
        ulps: found.ulps_from(expected.to_f64()),
        rough: false,
        wrong,
    }
}

pub(super) fn compare_bounds<E: Judged>(found: E, allowed: Allowed<E>) -> Comparison {
    let rough = allowed.is_rough();
    Comparison {
        ulps: if rough { 0.0 } else { allowed.ulps(found) },
        rough,
        wrong: (!allowed.includes(found)).then(|| [allowed.describe(), with_bits(found)]),
    }
}

/// An element as a number and as its bits.
pub(super) fn with_bits<E: Judged>(element: E) -> String {
    let bytes = bytes_of(&element).iter().rev();
    bytes.fold(format!("{element} = 0x"), |text, byte| {
        format!("{text}{byte:02x}")
    })
}

//! Pieces of C++ that a header brings along only if it uses them.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// One piece, in the order in which they stand in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// `Vec`, `load`, `store`, `aligned`.
    Vector,
    /// `load` and `store` of several vectors.
    Strided,
    /// `for_lanes`.
    ForLanes,
    /// `vector_width` for constant extents.
    VectorWidth,
    /// `wrapping_add`, `wrapping_sub`, `wrapping_mul`.
    Wrapping,
    /// `quotient`, `remainder`.
    Division,
    /// `shift_left`, `shift_right`.
    Shift,
    /// `to_integer` from `float`.
    ToInteger,
    /// `saturate` to a narrower integer.
    Saturate,
    /// `clamp` as Rust does.
    Clamp,
    /// `saturating_add`, `saturating_sub`.
    Saturating,
    /// `signum` as Rust does.
    Sign,
    /// `fract` as Rust does.
    Fraction,
    /// `powi`, by multiplication.
    Power,
    /// `float_remainder`, which loses nothing.
    FloatRemainder,
    /// `carried` from round to round of a loop.
    Carried,
    /// `group_max`, `group_min` of parts that may be NaN.
    ReduceNan,
    /// `inclusive_sum`, `exclusive_sum` of a group's terms on top of what came before.
    Scan,
    /// `rotate_left`, `rotate_right`, `count_ones`, `leading_zeros`, `trailing_zeros`.
    Bits,
    /// `is_told` of what a drop-in does not tell.
    IsTold,
    /// `overlap` of two `Region`s.
    Overlap,
    /// `distinct_rows` of a `Region`.
    DistinctRows,
    /// The shape of rows whose work-items work together.
    Together,
    /// The work-items of a row, where it may be a sub-group's, and the shape of such rows.
    ShortRows,
    /// The shape of rows whose work-items do not.
    Apart,
    /// And of rows that may be split.
    Split,
}

/// The pieces used so far.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    used: RefCell<BTreeSet<Helper>>,
}

impl Helpers {
    /// Notes that `helper` is used.
    pub(super) fn uses(&self, helper: Helper) {
        self.used.borrow_mut().insert(helper);
    }

    /// Whether `helper` is used.
    pub(super) fn has(&self, helper: Helper) -> bool {
        self.used.borrow().contains(&helper)
    }
}

//! Decisions that a device may make either way: comparisons of numbers whose bounds overlap, and integer parts of numbers
//! beside a jump.

use std::cell::Cell;
use std::cmp::Ordering;

use super::{EITHER_ZERO, Real};

/// Which way a shadow goes where its bounds leave it open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// That of its own value.
    #[default]
    Value,
    /// That of the least number that the device may have, on the left of a comparison.
    Least,
    /// That of the largest.
    Most,
}

thread_local! {
    static SIDE: Cell<Side> = const { Cell::new(Side::Value) };
    static OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Runs shadows that go to `side`; also says whether any decision was open.
pub fn decide<R>(side: Side, run: impl FnOnce() -> R) -> (R, bool) {
    SIDE.set(side);
    OPEN.set(false);
    let result = run();
    SIDE.set(Side::Value);
    (result, OPEN.get())
}

impl Real {
    /// The number whose integer part, or other jump, counts.
    pub(in crate::native) fn decided<T: PartialEq>(self, jump: impl Fn(f64) -> T) -> T {
        let [least, value, most] = match self.is_unknown() {
            true => [f64::NEG_INFINITY, f64::NAN, f64::INFINITY],
            false => self.range(),
        };
        if self.error == 0.0 || (jump(least) == jump(most) && jump(least) == jump(value)) {
            return jump(value);
        }
        OPEN.set(true);
        jump(match SIDE.get() {
            Side::Value => value,
            Side::Least => least,
            Side::Most => most,
        })
    }

    /// How two numbers compare.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let ordering = self.value.partial_cmp(&other.value);
        let apart = (self.value - other.value).abs();
        // Zeros of either sign are equal.
        let known = self.error + other.error <= 2.0 * EITHER_ZERO || apart > self.error + other.error;
        if known || (self.is_nan() && !self.is_unknown()) || (other.is_nan() && !other.is_unknown()) {
            return ordering;
        }
        OPEN.set(true);
        match SIDE.get() {
            Side::Value => ordering,
            Side::Least => Some(Ordering::Less),
            Side::Most => Some(Ordering::Greater),
        }
    }
}

//! Numbers of a kernel's shadow: `f64` with a bound on how far the device's `f32` may be off.
//!
//! Every operation adds what the device may lose in it to what its operands may be off by: half an ULP (unit in the last
//! place) of `f32` for operators, and what the table of [`Math`](oxysycl_codegen::ir::Math) says for functions of the device
//! at hand ([`computed_by`]).
//!
//! A sum over a row is gathered by at least 16 work-items, which take neighbours up to 16 at a time, and their parts are
//! combined by halves: no term goes through more than `ceil(n / 16) + 20` additions, nor through more than there are. Where lanes
//! are added up one after the other, of which devices do as many at once as they like, no term goes through more than `n - 1`.
//! Each addition may lose half an ULP of the sum of magnitudes.
//!
//! Comparisons and casts to integers follow the value alone, unless [`decide`] asks for another [`Side`].

mod library;
mod math;
mod ops;
mod side;

pub use self::library::computed_by;
pub use self::side::{Side, decide};

/// The least work-items that gather a row's sum, and the most neighbours that one takes at a time.
const WORK_ITEMS: u64 = 16;
const NEIGHBOURS: u64 = 16;

/// Half an ULP: what a correctly rounded operation may lose.
const HALF: f64 = 0.5;

/// The error of a zero whose sign is open: less than any that rounding to `f32` makes.
const EITHER_ZERO: f64 = f64::MIN_POSITIVE;

/// From here on a number is infinite in `f32`.
const OVERFLOW: f64 = 3.402_823_567_797_336_6e38;

/// Half an ULP relative to a number.
const RELATIVE: f64 = 1.0 / (1u64 << 24) as f64;

/// A number of a kernel's shadow. The device's `f32` is within [`error`](Self::error) of [`value`](Self::value).
#[derive(Clone, Copy, Debug)]
pub struct Real {
    value: f64,
    error: f64,
    terms: Terms,
}

/// What an accumulator has gathered.
#[derive(Clone, Copy, Debug, Default)]
struct Terms {
    count: u64,
    /// Sum of their magnitudes.
    magnitude: f64,
    /// The same of those that are finite.
    finite: f64,
    /// Whether they are added up lane by lane, in whatever order that is done.
    scanned: bool,
}

impl Real {
    /// `f32::INFINITY`
    pub const INFINITY: Self = Self::known(f64::INFINITY);
    /// `f32::NEG_INFINITY`
    pub const NEG_INFINITY: Self = Self::known(f64::NEG_INFINITY);
    /// `f32::NAN`
    pub const NAN: Self = Self::known(f64::NAN);
    /// `f32::MAX`
    pub const MAX: Self = Self::known(f32::MAX as f64);
    /// `f32::MIN`
    pub const MIN: Self = Self::known(f32::MIN as f64);
    /// `f32::MIN_POSITIVE`
    pub const MIN_POSITIVE: Self = Self::known(f32::MIN_POSITIVE as f64);
    /// `f32::EPSILON`
    pub const EPSILON: Self = Self::known(f32::EPSILON as f64);

    /// The number as computed in `f64`.
    pub fn value(self) -> f64 {
        self.value
    }

    /// How far the device's number may be from it; infinite where nothing is known.
    pub fn error(self) -> f64 {
        self.error
    }

    /// Adds `term` to `accumulator`, in whatever order the device does. What the additions lose is known once all terms
    /// are there: [`group_sum`](fn@super::group_sum) adds it.
    pub fn gather(accumulator: &mut Self, term: Self) {
        accumulator.value += term.value;
        accumulator.error += term.error;
        accumulator.terms.count += 1;
        accumulator.terms.magnitude += term.value.abs();
        if term.value.is_finite() {
            accumulator.terms.finite += term.value.abs();
        }
    }

    /// The sum of the terms gathered so far, and of more to come, which are added up lane by lane.
    pub(super) fn scanned(accumulator: &mut Self) -> Self {
        accumulator.terms.scanned = true;
        accumulator.summed()
    }

    /// The sum of the gathered terms, with what the additions may lose.
    pub(super) fn summed(self) -> Self {
        let Terms {
            count,
            magnitude,
            finite,
            scanned,
        } = self.terms;
        let additions = match scanned {
            true => count.saturating_sub(1),
            false => most_additions(count),
        };
        let largest = magnitude + self.error;
        let lost = additions as f64 * RELATIVE;
        // (1 + u)^n - 1 is below n·u / (1 - n·u).
        let lost = if lost < 1.0 {
            lost / (1.0 - lost)
        } else {
            f64::INFINITY
        };
        let error = self.error + if additions == 0 { 0.0 } else { lost * largest };
        if self.error.is_infinite() {
            Self::UNKNOWN
        } else if self.value.is_infinite() && finite + self.error >= OVERFLOW {
            // Where finite terms may overflow the other way, the sum may be NaN.
            Self::UNKNOWN
        } else if !self.value.is_finite() {
            Self::known(self.value)
        } else if largest < OVERFLOW {
            Self {
                value: self.value,
                error,
                terms: Terms::default(),
            }
        } else if self.value.abs() == magnitude && magnitude - error >= OVERFLOW {
            Self::known(self.value.signum() * f64::INFINITY)
        } else {
            Self::UNKNOWN
        }
    }

    /// A number that every conforming device has.
    const fn known(value: f64) -> Self {
        Self {
            value,
            error: 0.0,
            terms: Terms {
                count: 0,
                magnitude: 0.0,
                finite: 0.0,
                scanned: false,
            },
        }
    }

    /// A number of which nothing is known.
    const UNKNOWN: Self = Self {
        error: f64::INFINITY,
        ..Self::known(f64::NAN)
    };

    fn is_unknown(self) -> bool {
        self.error.is_infinite()
    }

    /// The least, the computed and the largest value that the device may have.
    fn range(self) -> [f64; 3] {
        match self.error {
            // Not by way of `+ 0.0`, which turns -0.0 into 0.0.
            0.0 => [self.value; 3],
            error => [self.value - error, self.value, self.value + error],
        }
    }

    /// `value`, rounded correctly to `f32`.
    pub(super) fn rounded_once(value: f64) -> Self {
        Self::rounded(value, 0.0, HALF)
    }

    /// A finite result that is off by `propagated` before it is rounded, which loses up to `ulps`.
    fn rounded(value: f64, propagated: f64, ulps: f64) -> Self {
        // f64 rounds too, in operation and function.
        let own = 2.0 * f64::EPSILON * value.abs();
        let exact = propagated == 0.0 && ulps <= HALF && f64::from(value as f32) == value;
        let error = if exact {
            0.0
        } else {
            propagated + own + ulps * ulp(value.abs() + propagated)
        };
        if value.abs() - error >= OVERFLOW {
            Self::known(value.signum() * f64::INFINITY)
        } else if value.abs() + error >= OVERFLOW {
            Self::UNKNOWN
        } else {
            Self {
                error,
                ..Self::known(value)
            }
        }
    }

    /// A result that may be any of `corners`, not all of them finite: known only if they are all one infinity or all NaN.
    fn agreed(corners: impl IntoIterator<Item = f64>) -> Self {
        let mut corners = corners.into_iter();
        let first = corners.next().expect("a result has a value");
        let same = |other: f64| other == first || (other.is_nan() && first.is_nan());
        if !first.is_finite() && corners.all(same) {
            Self::known(first)
        } else {
            Self::UNKNOWN
        }
    }

    /// Converts by `convert`, which keeps order.
    pub(super) fn through(self, convert: impl Fn(f64) -> f64) -> Self {
        if self.is_unknown() {
            return self;
        }
        let [low, middle, high] = self.range().map(convert);
        let error = (middle - low).max(high - middle);
        if error.is_finite() {
            Self {
                error,
                ..Self::known(middle)
            }
        } else {
            Self::agreed([low, middle, high])
        }
    }
}

/// The most additions that one of `count` terms goes through until they are one sum.
fn most_additions(count: u64) -> u64 {
    let gathering = count.div_ceil(WORK_ITEMS) + NEIGHBOURS;
    let combining = u64::from(WORK_ITEMS.ilog2());
    count.saturating_sub(1).min(gathering + combining)
}

/// The distance of neighbouring `f32` at a number of this magnitude, up to the largest one.
fn ulp(magnitude: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    let power = f64::from_bits(magnitude.to_bits() & EXPONENT);
    (power * f64::from(f32::EPSILON)).max(f64::from(f32::from_bits(1)))
}

impl From<f32> for Real {
    /// A number that the device has too.
    fn from(value: f32) -> Self {
        Self::known(value.into())
    }
}

#[cfg(test)]
mod tests;

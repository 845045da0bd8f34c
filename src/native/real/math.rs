//! Methods, named as those of `f32`. What each may lose stands in the table of [`Math`].

use oxysycl_codegen::ir::Math;

use super::library::lost;
use super::{EITHER_ZERO, Real};

impl Real {
    /// A function that keeps or turns order, or is finite, even and convex, which may lose what `math` may.
    fn monotone(self, f: impl Fn(f64) -> f64, math: Math) -> Self {
        if self.is_unknown() {
            return self;
        }
        let [low, middle, high] = self.range().map(f);
        let propagated = (low - middle).abs().max((high - middle).abs());
        if middle.is_finite() && low.is_finite() && high.is_finite() {
            Self::rounded(middle, propagated, lost(math))
        } else {
            Self::agreed([low, middle, high])
        }
    }

    /// A function whose slope is at most 1 and whose value is at most 1, which may lose what `math` may.
    fn wave(self, f: impl Fn(f64) -> f64, math: Math) -> Self {
        if self.is_unknown() {
            return self;
        }
        let value = f(self.value);
        if value.is_nan() {
            Self::known(value)
        } else {
            Self::rounded(value, self.error.min(2.0), lost(math))
        }
    }

    /// `f32::abs`
    pub fn abs(self) -> Self {
        Self {
            error: self.error,
            ..Self::known(self.value.abs())
        }
    }

    /// `f32::ceil`
    pub fn ceil(self) -> Self {
        self.through(f64::ceil)
    }

    /// `f32::floor`
    pub fn floor(self) -> Self {
        self.through(f64::floor)
    }

    /// `f32::round`
    pub fn round(self) -> Self {
        self.through(f64::round)
    }

    /// `f32::round_ties_even`
    pub fn round_ties_even(self) -> Self {
        self.through(f64::round_ties_even)
    }

    /// `f32::trunc`
    pub fn trunc(self) -> Self {
        self.through(f64::trunc)
    }

    /// `f32::fract`
    pub fn fract(self) -> Self {
        self - self.trunc()
    }

    /// `f32::signum`
    pub fn signum(self) -> Self {
        if self.is_nan() {
            return self;
        }
        Self::known(1.0).copysign(self)
    }

    /// `f32::sqrt`
    pub fn sqrt(self) -> Self {
        self.monotone(f64::sqrt, Math::Sqrt)
    }

    /// `f32::exp`
    pub fn exp(self) -> Self {
        self.monotone(f64::exp, Math::Exp)
    }

    /// `f32::exp2`
    pub fn exp2(self) -> Self {
        self.monotone(f64::exp2, Math::Exp2)
    }

    /// `f32::exp_m1`
    pub fn exp_m1(self) -> Self {
        self.monotone(f64::exp_m1, Math::ExpM1)
    }

    /// `f32::ln`
    pub fn ln(self) -> Self {
        self.monotone(f64::ln, Math::Log)
    }

    /// `f32::ln_1p`
    pub fn ln_1p(self) -> Self {
        self.monotone(f64::ln_1p, Math::Log1p)
    }

    /// `f32::log10`
    pub fn log10(self) -> Self {
        self.monotone(f64::log10, Math::Log10)
    }

    /// `f32::log2`
    pub fn log2(self) -> Self {
        self.monotone(f64::log2, Math::Log2)
    }

    /// `f32::sinh`
    pub fn sinh(self) -> Self {
        self.monotone(f64::sinh, Math::Sinh)
    }

    /// `f32::cosh`
    pub fn cosh(self) -> Self {
        let [low, _, high] = self.range();
        let turns = low < 0.0 && high > 0.0;
        if turns && low.cosh().max(high.cosh()).is_infinite() {
            return Self::UNKNOWN;
        }
        self.monotone(f64::cosh, Math::Cosh)
    }

    /// `f32::tanh`
    pub fn tanh(self) -> Self {
        self.monotone(f64::tanh, Math::Tanh)
    }

    /// The error function.
    pub(in crate::native) fn erf(self) -> Self {
        self.monotone(libm::erf, Math::Erf)
    }

    /// One less the error function.
    pub(in crate::native) fn erfc(self) -> Self {
        self.monotone(libm::erfc, Math::Erfc)
    }

    /// `1 / sqrt(x)`
    pub(in crate::native) fn rsqrt(self) -> Self {
        self.monotone(|x| x.sqrt().recip(), Math::Rsqrt)
    }

    /// `f32::asin`
    pub fn asin(self) -> Self {
        self.monotone(f64::asin, Math::Asin)
    }

    /// `f32::acos`
    pub fn acos(self) -> Self {
        self.monotone(f64::acos, Math::Acos)
    }

    /// `f32::atan`
    pub fn atan(self) -> Self {
        self.monotone(f64::atan, Math::Atan)
    }

    /// `f32::atan2`: the point is off by no more than both errors, which turns it by no more than the angle in which its
    /// distance sees them. Where it may lie on either side of the negative axis nothing is known.
    pub fn atan2(self, x: Self) -> Self {
        let (off, distance) = (self.error + x.error, self.value.hypot(x.value));
        let crosses = self.error > 0.0 && self.value.abs() <= self.error && x.value - x.error < 0.0;
        let turned = match () {
            () if off == 0.0 => 0.0,
            () if off < distance && !crosses => (off / distance).asin(),
            () => return Self::UNKNOWN,
        };
        self.binary(x, f64::atan2, turned, lost(Math::Atan2))
    }

    /// `f32::hypot`
    pub fn hypot(self, other: Self) -> Self {
        self.binary(other, f64::hypot, self.error + other.error, lost(Math::Hypot))
    }

    /// `f32::sin_cos`
    pub fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    /// `f32::to_bits`, of the value alone.
    pub fn to_bits(self) -> u32 {
        (self.value as f32).to_bits()
    }

    /// `f32::from_bits`
    pub fn from_bits(bits: u32) -> Self {
        f32::from_bits(bits).into()
    }

    /// `f32::sin`
    pub fn sin(self) -> Self {
        self.wave(f64::sin, Math::Sin)
    }

    /// `f32::cos`
    pub fn cos(self) -> Self {
        self.wave(f64::cos, Math::Cos)
    }

    /// `f32::tan`
    pub fn tan(self) -> Self {
        let [low, _, high] = self.range();
        // Between two poles it keeps order; across one it falls.
        if high - low >= std::f64::consts::PI || low.tan() > high.tan() {
            return Self::UNKNOWN;
        }
        self.monotone(f64::tan, Math::Tan)
    }

    /// `f32::recip`
    pub fn recip(self) -> Self {
        Self::known(1.0) / self
    }

    /// `f32::powf`
    pub fn powf(self, exponent: Self) -> Self {
        let value = self.value.powf(exponent.value);
        let changes_sign = self.error > 0.0 && self.value - self.error <= 0.0;
        let propagated = if changes_sign {
            f64::INFINITY
        } else {
            let corners = self
                .range()
                .into_iter()
                .flat_map(|x| exponent.range().map(|y| x.powf(y)));
            corners.fold(0.0, |most: f64, corner| most.max((corner - value).abs()))
        };
        self.binary(exponent, f64::powf, propagated, lost(Math::Pow))
    }

    /// `f32::powi`, whose bits Rust leaves open: by squaring, as natively and on the device.
    pub fn powi(self, exponent: i32) -> Self {
        let (mut power, mut square) = (Self::known(1.0), self);
        let mut rest = exponent.unsigned_abs();
        while rest != 0 {
            if rest & 1 == 1 {
                power *= square;
            }
            rest /= 2;
            if rest != 0 {
                square = square * square;
            }
        }
        if exponent < 0 { power.recip() } else { power }
    }

    /// `f32::mul_add`
    pub fn mul_add(self, factor: Self, summand: Self) -> Self {
        if self.is_unknown() || factor.is_unknown() || summand.is_unknown() {
            return Self::UNKNOWN;
        }
        let value = self.value.mul_add(factor.value, summand.value);
        let propagated = self.product_error(factor) + summand.error;
        if value.is_finite() && propagated.is_finite() {
            return Self::rounded(value, propagated, lost(Math::MulAdd));
        }
        let products = self
            .range()
            .into_iter()
            .flat_map(|a| factor.range().map(|b| (a, b)));
        Self::agreed(products.flat_map(|(a, b)| summand.range().map(|c| a.mul_add(b, c))))
    }

    /// `f32::copysign`
    pub fn copysign(self, sign: Self) -> Self {
        let value = self.value.copysign(sign.value);
        let error = match () {
            () if self.is_unknown() || sign.is_unknown() => return Self::UNKNOWN,
            () if sign.error < sign.value.abs() || (sign.error == 0.0 && !sign.is_nan()) => self.error,
            () => 2.0 * self.value.abs() + self.error,
        };
        Self {
            error,
            ..Self::known(value)
        }
    }

    /// `f32::max`
    pub fn max(self, other: Self) -> Self {
        self.extremum(other, f64::max).of_either_zero(self, other)
    }

    /// `f32::min`
    pub fn min(self, other: Self) -> Self {
        self.extremum(other, f64::min).of_either_zero(self, other)
    }

    /// `f32::clamp`
    pub fn clamp(self, low: Self, high: Self) -> Self {
        self.extremum(low, |x, low| if x < low { low } else { x })
            .extremum(high, |x, high| if x > high { high } else { x })
    }

    /// Of zeros with unlike signs Rust leaves open which one is the larger.
    fn of_either_zero(self, a: Self, b: Self) -> Self {
        let unlike =
            a.value == 0.0 && b.value == 0.0 && a.value.is_sign_negative() != b.value.is_sign_negative();
        Self {
            error: if unlike {
                self.error.max(EITHER_ZERO)
            } else {
                self.error
            },
            ..self
        }
    }

    fn extremum(self, other: Self, f: fn(f64, f64) -> f64) -> Self {
        if self.is_unknown() || other.is_unknown() {
            return Self::UNKNOWN;
        }
        let value = f(self.value, other.value);
        let overlap = (self.value - other.value).abs() <= self.error + other.error;
        let error = match () {
            () if overlap => self.error.max(other.error),
            () if value == self.value => self.error,
            () => other.error,
        };
        Self {
            error,
            ..Self::known(value)
        }
    }

    /// `f32::is_nan`
    pub fn is_nan(self) -> bool {
        self.value.is_nan()
    }

    /// `f32::is_infinite`
    pub fn is_infinite(self) -> bool {
        self.value.is_infinite()
    }

    /// `f32::is_finite`
    pub fn is_finite(self) -> bool {
        self.value.is_finite()
    }
}

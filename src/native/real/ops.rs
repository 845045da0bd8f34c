//! Operators.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::{HALF, Real};

impl Real {
    /// A function of two numbers that is off by `propagated` before it is rounded, which loses up to `ulps`.
    pub(super) fn binary(self, other: Self, f: fn(f64, f64) -> f64, propagated: f64, ulps: f64) -> Self {
        if self.is_unknown() || other.is_unknown() {
            return Self::UNKNOWN;
        }
        let value = f(self.value, other.value);
        if value.is_finite() && propagated.is_finite() {
            return Self::rounded(value, propagated, ulps);
        }
        Self::agreed(
            self.range()
                .into_iter()
                .flat_map(|a| other.range().map(|b| f(a, b))),
        )
    }

    /// How far a product of two numbers is off before it is rounded.
    pub(super) fn product_error(self, other: Self) -> f64 {
        if self.error == 0.0 && other.error == 0.0 {
            return 0.0;
        }
        self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error
    }
}

impl Add for Real {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.binary(other, f64::add, self.error + other.error, HALF)
    }
}

impl Sub for Real {
    type Output = Self;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "errors add up")]
    fn sub(self, other: Self) -> Self {
        self.binary(other, f64::sub, self.error + other.error, HALF)
    }
}

impl Mul for Real {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.binary(other, f64::mul, self.product_error(other), HALF)
    }
}

impl Div for Real {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let propagated = if self.error == 0.0 && other.error == 0.0 {
            0.0
        } else if other.error < other.value.abs() {
            let quotient = (self.value / other.value).abs();
            (self.error + quotient * other.error) / (other.value.abs() - other.error)
        } else {
            f64::INFINITY
        };
        self.binary(other, f64::div, propagated, HALF)
    }
}

impl Rem for Real {
    type Output = Self;

    fn rem(self, other: Self) -> Self {
        let quotient = |a: f64, b: f64| (a / b).trunc();
        let whole = quotient(self.value, other.value);
        let mut corners = self
            .range()
            .into_iter()
            .flat_map(|a| other.range().map(|b| quotient(a, b)));
        let propagated = match () {
            () if self.error == 0.0 && other.error == 0.0 => 0.0,
            () if other.error >= other.value.abs() => f64::INFINITY,
            () if corners.all(|corner| corner == whole) => self.error + whole.abs() * other.error,
            () => 2.0 * (other.value.abs() + other.error),
        };
        self.binary(other, f64::rem, propagated, 0.0)
    }
}

impl Neg for Real {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            error: self.error,
            ..Self::known(-self.value)
        }
    }
}

macro_rules! assigning {
    ($($trait:ident $method:ident $op:tt),*) => {$(
        impl $trait for Real {
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}

assigning!(AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign /, RemAssign rem_assign %);

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.compare(*other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.compare(*other)
    }
}

//! Elements in a kernel's shadow.

use std::fmt;
use std::marker::PhantomData;

use oxysycl_codegen::ir::DType;

use super::{Element, Float, Real};

/// What the shadow of a kernel stores for an element of type `E`: the number before it was rounded.
pub struct Shadow<E> {
    stored: Real,
    element: PhantomData<E>,
}

impl<E: Float> Shadow<E> {
    /// What was stored, before it was rounded to an `E`.
    pub fn stored(self) -> Real {
        self.stored
    }
}

impl<E: Float> From<E> for Shadow<E> {
    /// An element whose value is known.
    fn from(element: E) -> Self {
        Self {
            stored: element.widen().into(),
            element: PhantomData,
        }
    }
}

impl<E: Float> Element for Shadow<E> {
    type Value = Real;
    type Shadow = Self;
    const DTYPE: DType = <E as Element>::DTYPE;

    fn widen(self) -> Real {
        self.stored
            .through(|value| E::narrow(value as f32).widen().into())
    }

    fn narrow(value: Real) -> Self {
        Self {
            stored: value,
            element: PhantomData,
        }
    }
}

impl<E> Clone for Shadow<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Shadow<E> {}

impl<E> fmt::Debug for Shadow<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn a_load_sees_the_rounded_value() {
        let third = Real::from(1.0) / Real::from(3.0);
        let loaded = Shadow::<f16>::narrow(third).widen();
        assert_eq!(loaded.value(), f64::from(f16::from_f32(1.0 / 3.0).to_f32()));
        assert_eq!(loaded.error(), 0.0, "every possible value rounds to one f16");
    }

    #[test]
    fn a_value_beside_a_rounding_edge_may_fall_to_either_side() {
        // 1 + 2^-11 is the middle between 1 and the next f16.
        let edge = Real::from(1.0) + Real::from(2f32.powi(-11)) + Real::from(2f32.powi(-40));
        let loaded = Shadow::<f16>::narrow(edge).widen();
        assert_eq!(loaded.error(), 2f64.powi(-10));
    }

    #[test]
    fn what_overflows_is_infinite() {
        let large = Real::from(300.0) * Real::from(300.0);
        assert_eq!(Shadow::<f16>::narrow(large).widen().value(), f64::INFINITY);
        assert_eq!(Shadow::<f32>::narrow(large).widen().value(), 90000.0);
    }
}

//! Arguments whose types are known only at run time, for whoever calls a kernel without naming its types.

use std::any::{Any, type_name};

use half::{bf16, f16};
use oxysycl_codegen::source::Constant;
use oxysycl_runtime::View;

use crate::native::Element;

/// An argument of a kernel that runs natively.
#[derive(Debug)]
pub enum HostArgument {
    /// A `Vec` of elements, or of shadow elements.
    Buffer(Box<dyn Any>),
    /// A number.
    Scalar(Constant),
}

/// An argument of a kernel that runs on a device.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum DeviceArgument<'a> {
    F32(View<'a, f32>),
    F16(View<'a, f16>),
    BF16(View<'a, bf16>),
    I8(View<'a, i8>),
    I32(View<'a, i32>),
    I64(View<'a, i64>),
    U8(View<'a, u8>),
    Bool(View<'a, bool>),
    Scalar(Constant),
}

impl HostArgument {
    /// A buffer.
    pub fn buffer<E: Element>(elements: Vec<E>) -> Self {
        Self::Buffer(Box::new(elements))
    }

    /// The buffer's elements.
    ///
    /// # Panics
    /// If this is no buffer of `E`.
    pub fn slice<E: Element>(&self) -> &[E] {
        match self {
            Self::Buffer(elements) => elements
                .downcast_ref::<Vec<E>>()
                .unwrap_or_else(|| mismatch::<E>()),
            Self::Scalar(_) => mismatch::<E>(),
        }
    }

    /// The buffer's elements, to be written.
    ///
    /// # Panics
    /// If this is no buffer of `E`.
    pub fn slice_mut<E: Element>(&mut self) -> &mut [E] {
        match self {
            Self::Buffer(elements) => elements
                .downcast_mut::<Vec<E>>()
                .unwrap_or_else(|| mismatch::<E>()),
            Self::Scalar(_) => mismatch::<E>(),
        }
    }

    /// The number.
    ///
    /// # Panics
    /// If this is no number of type `S`.
    pub fn scalar<S: Number>(&self) -> S {
        match self {
            Self::Scalar(value) => S::from_constant(*value).unwrap_or_else(|| mismatch::<S>()),
            Self::Buffer(_) => mismatch::<S>(),
        }
    }
}

impl<'a> DeviceArgument<'a> {
    /// The view.
    ///
    /// # Panics
    /// If this is no view of `E`.
    pub fn view<E: Viewed>(&self) -> View<'a, E> {
        E::view(self).unwrap_or_else(|| mismatch::<E>())
    }

    /// The number.
    ///
    /// # Panics
    /// If this is no number of type `S`.
    pub fn scalar<S: Number>(&self) -> S {
        match self {
            Self::Scalar(value) => S::from_constant(*value).unwrap_or_else(|| mismatch::<S>()),
            _ => mismatch::<S>(),
        }
    }
}

/// The types of scalar arguments.
pub trait Number: Sized {
    /// The number, if it is of this type.
    fn from_constant(value: Constant) -> Option<Self>;
}

impl Number for bool {
    fn from_constant(value: Constant) -> Option<Self> {
        match value {
            Constant::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl Number for f32 {
    fn from_constant(value: Constant) -> Option<Self> {
        match value {
            Constant::F32(value) => Some(value),
            _ => None,
        }
    }
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            fn from_constant(value: Constant) -> Option<Self> {
                match value {
                    Constant::Integer(_, value) => value.try_into().ok(),
                    _ => None,
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// The types of buffer arguments.
pub trait Viewed: oxysycl_runtime::Element {
    /// The view, if it is of this type.
    fn view<'a>(argument: &DeviceArgument<'a>) -> Option<View<'a, Self>>;

    /// The view as an argument.
    fn argument(view: View<'_, Self>) -> DeviceArgument<'_>;
}

macro_rules! views {
    ($($ty:ident $variant:ident),*) => {$(
        impl Viewed for $ty {
            fn view<'a>(argument: &DeviceArgument<'a>) -> Option<View<'a, Self>> {
                match argument {
                    DeviceArgument::$variant(view) => Some(*view),
                    _ => None,
                }
            }

            fn argument(view: View<'_, Self>) -> DeviceArgument<'_> {
                DeviceArgument::$variant(view)
            }
        }
    )*};
}

views!(f32 F32, f16 F16, bf16 BF16, i8 I8, i32 I32, i64 I64, u8 U8, bool Bool);

fn mismatch<T>() -> ! {
    panic!(
        "an argument is not a {}, as the kernel's signature says",
        type_name::<T>()
    )
}

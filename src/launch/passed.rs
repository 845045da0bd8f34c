//! What a launch was given, as far as sizes follow from it.

use oxysycl_codegen::eval::Known;
use oxysycl_codegen::ir::{LocalId, ParamId};
use oxysycl_runtime::{Argument, Arguments, Element, View};

/// One argument.
#[derive(Clone, Copy, Debug)]
pub enum Passed {
    /// A view.
    Buffer {
        /// Address of its first element.
        start: usize,
        /// Number of elements.
        len: usize,
        /// Bytes of an element.
        size: usize,
    },
    /// An integer or `bool`.
    Integer(i128),
    /// A number that no size follows from.
    Float,
}

/// An argument of a launch.
pub trait LaunchedArgument: Argument {
    /// What it is.
    fn passed(&self) -> Passed;
}

impl<T: Element> LaunchedArgument for View<'_, T> {
    fn passed(&self) -> Passed {
        Passed::Buffer {
            start: self.as_ptr() as usize,
            len: self.len(),
            size: size_of::<T>(),
        }
    }
}

impl LaunchedArgument for f32 {
    fn passed(&self) -> Passed {
        Passed::Float
    }
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl LaunchedArgument for $ty {
            fn passed(&self) -> Passed {
                Passed::Integer((*self).into())
            }
        }
    )*};
}

integers!(bool i8 i16 i32 i64 u8 u16 u32 u64);

/// The arguments of a launch: a tuple of views and numbers.
pub trait Launched: Arguments {
    /// What each argument is.
    fn passed(&self) -> impl AsRef<[Passed]>;
}

fn in_order<const N: usize>(passed: [Passed; N]) -> [Passed; N] {
    passed
}

macro_rules! tuples {
    () => { tuples!(@); };
    ($first:ident $($rest:ident)*) => {
        tuples!(@ $first $($rest)*);
        tuples!($($rest)*);
    };
    (@ $($name:ident)*) => {
        impl<$($name: LaunchedArgument),*> Launched for ($($name,)*) {
            #[allow(non_snake_case, reason = "the type parameters name the values too")]
            fn passed(&self) -> impl AsRef<[Passed]> {
                let ($($name,)*) = self;
                in_order([$($name.passed()),*])
            }
        }
    };
}

tuples!(A B C D E F G H I J K L M N O P Q R S T U V W X);

/// The values that sizes follow from: const parameters, and integer arguments that a size can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes<'a> {
    /// Const parameters in order; `bool` as 0 or 1.
    pub(super) consts: &'a [i64],
    /// Arguments in order.
    pub(super) passed: &'a [Passed],
}

impl Sizes<'_> {
    /// The first integer that is larger than any size, and which argument it is.
    pub(super) fn too_large(&self) -> Option<(ParamId, i128)> {
        self.passed
            .iter()
            .enumerate()
            .find_map(|(id, passed)| match *passed {
                Passed::Integer(value) if i64::try_from(value).is_err() => Some((id, value)),
                _ => None,
            })
    }
}

impl Known for Sizes<'_> {
    fn param(&self, id: ParamId) -> Option<i64> {
        match *self.passed.get(id)? {
            Passed::Integer(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }

    fn constant(&self, at: usize) -> Option<i64> {
        self.consts.get(at).copied()
    }

    fn local(&self, _: LocalId) -> Option<i64> {
        None
    }

    fn float_param(&self, _: ParamId) -> Option<f32> {
        None
    }

    fn float_local(&self, _: LocalId) -> Option<f32> {
        None
    }
}

//! What a launch was given, as far as sizes follow from it.

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
    fn passed(&self) -> Vec<Passed>;
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
            fn passed(&self) -> Vec<Passed> {
                let ($($name,)*) = self;
                vec![$($name.passed()),*]
            }
        }
    };
}

tuples!(A B C D E F G H I J K L M N O P Q R S T U V W X);

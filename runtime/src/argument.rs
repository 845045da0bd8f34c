//! Arguments of exported functions: which C type each Rust type becomes, and the call itself.

use std::ffi::c_void;
use std::fmt;

use crate::element::{Dtype, Element};
use crate::memory::View;
use crate::queue::QueueId;

/// How arguments travel. Private, so that only the types below are arguments.
pub(crate) mod sealed {
    use std::ffi::c_void;

    use crate::queue::QueueId;

    pub trait Value: Copy {
        /// What is passed; its layout is that of the C type.
        type Abi;

        fn abi(self) -> Self::Abi;

        /// The queue that it belongs to.
        fn queue(&self) -> Option<QueueId>;
    }

    pub trait Tuple: Copy {
        /// The position of the first argument that belongs to another queue than `queue`.
        fn foreign(&self, queue: QueueId) -> Option<usize>;

        /// Calls `function` with `queue` and these arguments.
        ///
        /// # Safety
        ///
        /// `function` is the address of an `extern "C"` function of this process that takes a `sycl::queue*`
        /// and then arguments of these C types, and returns a `Return`; `queue` is such a queue; and calling
        /// the function with these arguments is sound.
        unsafe fn call<Return>(self, function: *const c_void, queue: *mut c_void) -> Return;
    }
}

/// The C type of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// A pointer to elements in device memory.
    Pointer(Dtype),
    /// A number by value.
    Scalar(Dtype),
    /// A `bool` by value.
    Bool,
}

impl fmt::Display for ArgumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer(dtype) => write!(f, "a view of {dtype}"),
            Self::Scalar(dtype) => dtype.fmt(f),
            Self::Bool => f.pad("bool"),
        }
    }
}

/// A value that an exported function takes: a number, a `bool`, or a [`View`] of device memory, which travels
/// as a pointer. An empty view, and `None` in place of a view, travel as a null pointer.
pub trait Argument: sealed::Value {
    /// The C type.
    const KIND: ArgumentKind;
}

macro_rules! scalars {
    ($($type:ty),*) => {$(
        impl Argument for $type {
            const KIND: ArgumentKind = ArgumentKind::Scalar(<$type as Element>::DTYPE);
        }
        impl sealed::Value for $type {
            type Abi = $type;
            fn abi(self) -> $type {
                self
            }
            fn queue(&self) -> Option<QueueId> {
                None
            }
        }
    )*};
}

// Not f16 and bf16: as a C argument they are class types of two bytes, passed unlike an integer on some
// platforms.
scalars!(f32, i8, i16, i32, i64, u8, u16, u32, u64);

impl Argument for bool {
    const KIND: ArgumentKind = ArgumentKind::Bool;
}
impl sealed::Value for bool {
    type Abi = bool;
    fn abi(self) -> bool {
        self
    }
    fn queue(&self) -> Option<QueueId> {
        None
    }
}

impl<T: Element> Argument for View<'_, T> {
    const KIND: ArgumentKind = ArgumentKind::Pointer(T::DTYPE);
}
impl<T: Element> sealed::Value for View<'_, T> {
    type Abi = *mut c_void;
    fn abi(self) -> *mut c_void {
        if self.is_empty() {
            return std::ptr::null_mut();
        }
        self.as_ptr().cast()
    }
    fn queue(&self) -> Option<QueueId> {
        Some(self.queue_id())
    }
}

impl<T: Element> Argument for Option<View<'_, T>> {
    const KIND: ArgumentKind = ArgumentKind::Pointer(T::DTYPE);
}
impl<T: Element> sealed::Value for Option<View<'_, T>> {
    type Abi = *mut c_void;
    fn abi(self) -> *mut c_void {
        self.map_or(std::ptr::null_mut(), sealed::Value::abi)
    }
    fn queue(&self) -> Option<QueueId> {
        self.and_then(|view| sealed::Value::queue(&view))
    }
}

/// The arguments of an exported function after the leading queue: a tuple of up to 24 [`Argument`]s.
pub trait Arguments: sealed::Tuple {
    /// The C types, in order.
    const KINDS: &'static [ArgumentKind];
}

macro_rules! arguments {
    ($($name:ident)*) => {
        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            const KINDS: &'static [ArgumentKind] = &[$($name::KIND),*];
        }

        impl<$($name: Argument),*> sealed::Tuple for ($($name,)*) {
            #[allow(non_snake_case, reason = "the type parameters name the values too")]
            fn foreign(&self, queue: QueueId) -> Option<usize> {
                let ($($name,)*) = self;
                let queues: &[Option<QueueId>] = &[$($name.queue()),*];
                queues.iter().position(|of_argument| of_argument.is_some_and(|id| id != queue))
            }

            #[allow(non_snake_case, reason = "the type parameters name the values too")]
            unsafe fn call<Return>(self, function: *const c_void, queue: *mut c_void) -> Return {
                let ($($name,)*) = self;
                type Exported<Return, $($name),*> = unsafe extern "C" fn(*mut c_void $(, $name)*) -> Return;
                // SAFETY: the caller promises that a function of this type is at this address.
                let function: Exported<Return, $($name::Abi),*> = unsafe { std::mem::transmute(function) };
                // SAFETY: the caller promises that the call is sound.
                unsafe { function(queue $(, $name.abi())*) }
            }
        }
    };
}

macro_rules! arguments_up_to {
    () => { arguments!(); };
    ($first:ident $($rest:ident)*) => {
        arguments!($first $($rest)*);
        arguments_up_to!($($rest)*);
    };
}

arguments_up_to!(A B C D E F G H I J K L M N O P Q R S T U V W X);

#[cfg(test)]
mod tests {
    use super::sealed::Tuple;
    use super::*;

    extern "C" fn echo(
        queue: *mut c_void,
        a: i8,
        b: bool,
        c: f32,
        d: i64,
        e: u16,
        f: *mut c_void,
        g: u64,
    ) -> i32 {
        assert_eq!(queue as usize, 0x1234);
        assert!(f.is_null());
        i32::from(a == -3 && b && c == 0.5 && d == i64::MIN && e == 65535 && g == 1 << 63)
    }

    #[test]
    fn arguments_arrive_unchanged() {
        let arguments = (
            -3i8,
            true,
            0.5f32,
            i64::MIN,
            65535u16,
            None::<View<'_, f32>>,
            1u64 << 63,
        );
        // SAFETY: `echo` has exactly these parameters and touches none of its pointers.
        let answer: i32 = unsafe { arguments.call(echo as *const c_void, 0x1234 as *mut c_void) };
        assert_eq!(answer, 1);
    }

    #[test]
    fn kinds_follow_the_tuple() {
        fn kinds<A: Arguments>(_: A) -> &'static [ArgumentKind] {
            A::KINDS
        }
        assert_eq!(kinds(()), []);
        assert_eq!(
            kinds((None::<View<'_, half::bf16>>, 1i64, 2f32, false)),
            [
                ArgumentKind::Pointer(Dtype::Bf16),
                ArgumentKind::Scalar(Dtype::I64),
                ArgumentKind::Scalar(Dtype::F32),
                ArgumentKind::Bool
            ]
        );
    }

    #[test]
    fn tuples_of_24_are_arguments() {
        fn length<A: Arguments>(_: A) -> usize {
            A::KINDS.len()
        }
        assert_eq!(
            length((
                0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8,
                8u8, 9u8, 0u8, 1u8, 2u8, 3u8
            )),
            24
        );
    }
}

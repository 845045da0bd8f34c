//! What device memory holds and kernels take by value.

use std::ffi::c_void;
use std::fmt;

use half::{bf16, f16};

use crate::memory::MemoryError;

mod sealed {
    use std::ffi::c_void;

    use crate::memory::MemoryError;

    pub trait Sealed: Sized {
        /// Fills `host` by `copy`, which writes as many elements from a device to an address.
        fn receive(
            host: &mut [Self],
            copy: impl FnOnce(*mut c_void) -> Result<(), MemoryError>,
        ) -> Result<(), MemoryError>;
    }
}

/// The type of one element of device memory, or of a scalar argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE single precision.
    F32,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer.
    I64,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// A condition in a byte: false where it is 0.
    Bool,
}

impl Dtype {
    /// Bytes of one element.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 => 8,
        }
    }
}

impl fmt::Display for Dtype {
    /// The Rust name of the type, such as `bf16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Bool => "bool",
        })
    }
}

/// A type that device memory can hold: `f32`, `f16`, `bf16`, the integers of 8 to 64 bits, and `bool`, as which any byte
/// but 0 is true.
pub trait Element: bytemuck::NoUninit + bytemuck::Zeroable + Send + Sync + sealed::Sealed {
    /// The type as a value.
    const DTYPE: Dtype;
}

macro_rules! elements {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        impl sealed::Sealed for $type {
            fn receive(
                host: &mut [Self],
                copy: impl FnOnce(*mut c_void) -> Result<(), MemoryError>,
            ) -> Result<(), MemoryError> {
                // Any bytes are one.
                copy(host.as_mut_ptr().cast())
            }
        }
        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
        }
    )*};
}

elements! {
    f16 => F16, bf16 => Bf16, f32 => F32,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64,
}

impl sealed::Sealed for bool {
    fn receive(
        host: &mut [Self],
        copy: impl FnOnce(*mut c_void) -> Result<(), MemoryError>,
    ) -> Result<(), MemoryError> {
        let mut bytes = vec![0u8; host.len()];
        copy(bytes.as_mut_ptr().cast())?;
        host.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte != 0);
        Ok(())
    }
}

impl Element for bool {
    const DTYPE: Dtype = Dtype::Bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<T: Element>() {
        assert_eq!(T::DTYPE.size(), size_of::<T>());
        assert!(std::any::type_name::<T>().ends_with(&T::DTYPE.to_string()));
    }

    #[test]
    fn dtypes_describe_their_types() {
        agrees::<f16>();
        agrees::<bf16>();
        agrees::<f32>();
        agrees::<i8>();
        agrees::<i16>();
        agrees::<i32>();
        agrees::<i64>();
        agrees::<u8>();
        agrees::<u16>();
        agrees::<u32>();
        agrees::<u64>();
        agrees::<bool>();
    }
}

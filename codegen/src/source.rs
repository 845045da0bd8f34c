//! Kernels as their crates carry them: the tokens that the attribute saw, and what rustc resolved for it.
//!
//! The macro keeps the text and lets rustc resolve every path in it, so that a kernel's functions and constants are the
//! ones that its native version uses. [`kernel`](crate::kernel) lowers it at run time with the macro's own front end.

use crate::ir::Scalar;

/// A `#[sycl_kernel]` function.
#[derive(Clone, Copy, Debug)]
pub struct KernelSource {
    /// The attribute's arguments.
    pub attribute: &'static str,
    /// The function.
    pub item: FunctionSource,
    /// Lines of the function in its file, without attributes and the doc comment.
    pub lines: usize,
}

/// Something by the path that a function names it with.
pub type Named<T> = (&'static str, T);

/// A function with what the paths in it stand for.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSource {
    /// The function's tokens.
    pub text: &'static str,
    /// Functions it calls, by the path it calls them with.
    pub calls: &'static [Named<Callee>],
    /// Constants it reads, by the path it names them with. Functions, because only those may call a trait.
    pub constants: &'static [Named<fn() -> Constant>],
}

/// What a called path stands for.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// A built-in of the prelude, by its name there.
    Builtin(&'static str),
    /// A `#[sycl_fn]`. What gives the source, since constants that hold each other would be a problem of rustc's own, told
    /// before the one that functions call each other.
    Function(fn() -> &'static FunctionSource),
}

/// The value of a constant item.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Constant {
    Bool(bool),
    Integer(Scalar, i128),
    F32(f32),
}

/// Types that a constant used in a kernel may have.
pub trait ConstantType: Copy {
    /// The value with its type.
    fn constant(self) -> Constant;
}

macro_rules! integer_constants {
    ($($ty:ident $scalar:ident),*) => {$(
        impl ConstantType for $ty {
            fn constant(self) -> Constant {
                Constant::Integer(Scalar::$scalar, self.into())
            }
        }
    )*};
}

integer_constants!(i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64);

impl ConstantType for bool {
    fn constant(self) -> Constant {
        Constant::Bool(self)
    }
}

impl ConstantType for f32 {
    fn constant(self) -> Constant {
        Constant::F32(self)
    }
}

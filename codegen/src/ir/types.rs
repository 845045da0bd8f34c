//! Scalar types of values, and element types of buffers.

use std::fmt;

/// The type of a value in a kernel. There is no 64-bit float: values of float buffers are `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
}

impl Scalar {
    /// Every scalar type, with its Rust name.
    pub const ALL: [(Scalar, &'static str); 10] = [
        (Scalar::Bool, "bool"),
        (Scalar::I8, "i8"),
        (Scalar::I16, "i16"),
        (Scalar::I32, "i32"),
        (Scalar::I64, "i64"),
        (Scalar::U8, "u8"),
        (Scalar::U16, "u16"),
        (Scalar::U32, "u32"),
        (Scalar::U64, "u64"),
        (Scalar::F32, "f32"),
    ];

    /// The type that Rust calls `name`.
    pub fn from_rust(name: &str) -> Option<Scalar> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(s, _)| *s)
    }

    /// The name in Rust.
    pub fn rust(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(s, _)| *s == self)
            .expect("ALL lists every scalar")
            .1
    }

    /// The name in C++.
    pub fn cpp(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "int8_t",
            Scalar::I16 => "int16_t",
            Scalar::I32 => "int32_t",
            Scalar::I64 => "int64_t",
            Scalar::U8 => "uint8_t",
            Scalar::U16 => "uint16_t",
            Scalar::U32 => "uint32_t",
            Scalar::U64 => "uint64_t",
            Scalar::F32 => "float",
        }
    }

    /// Whether this is one of the eight integer types.
    pub fn is_integer(self) -> bool {
        !matches!(self, Scalar::Bool | Scalar::F32)
    }

    /// Whether this is an integer type with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// Width in bits; 8 for `bool`.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 8,
            Scalar::I16 | Scalar::U16 => 16,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::U64 => 64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rust())
    }
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum DType {
    F32,
    F16,
    BF16,
    I8,
    I32,
    I64,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 6] = [
        DType::F32,
        DType::F16,
        DType::BF16,
        DType::I8,
        DType::I32,
        DType::I64,
    ];

    /// The type that Rust calls `name`.
    pub fn from_rust(name: &str) -> Option<DType> {
        Self::ALL.into_iter().find(|d| d.rust() == name)
    }

    /// The type that exported symbols and the command line call `tag`.
    pub fn from_tag(tag: &str) -> Option<DType> {
        Self::ALL.into_iter().find(|d| d.tag() == tag)
    }

    /// The name in Rust: `f16`.
    pub fn rust(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::I8 => "i8",
            DType::I32 => "i32",
            DType::I64 => "i64",
        }
    }

    /// The name in exported symbols, macros and on the command line: `fp16`.
    pub fn tag(self) -> &'static str {
        match self {
            DType::F32 => "fp32",
            DType::F16 => "fp16",
            DType::BF16 => "bf16",
            DType::I8 => "i8",
            DType::I32 => "i32",
            DType::I64 => "i64",
        }
    }

    /// The name in C++.
    pub fn cpp(self) -> &'static str {
        match self {
            DType::F32 => "float",
            DType::F16 => "::sycl::half",
            DType::BF16 => "::sycl::ext::oneapi::bfloat16",
            DType::I8 => "int8_t",
            DType::I32 => "int32_t",
            DType::I64 => "int64_t",
        }
    }

    /// The type that a load gives and a store takes.
    pub fn value(self) -> Scalar {
        if self.is_float() { Scalar::F32 } else { Scalar::I64 }
    }

    /// Whether values of this type are `f32`.
    pub fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F16 | DType::BF16)
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            DType::I8 => 1,
            DType::F16 | DType::BF16 => 2,
            DType::F32 | DType::I32 => 4,
            DType::I64 => 8,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A known type.
    Scalar(Scalar),
    /// Not known here: the value of a function or constant whose source is in another item. Only the macro, which sees
    /// one item at a time, meets it; rustc checks such types.
    Opaque,
    /// Still to be inferred. Never leaves the front end.
    Infer(u32),
}

impl Type {
    /// The scalar type; `None` if it isn't known.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) => Some(s),
            _ => None,
        }
    }
}

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

    /// Least and greatest value of an integer type.
    pub fn range(self) -> Option<(i128, i128)> {
        if !self.is_integer() {
            return None;
        }
        Some(if self.is_signed() {
            let half = 1i128 << (self.bits() - 1);
            (-half, half - 1)
        } else {
            (0, (1i128 << self.bits()) - 1)
        })
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rust())
    }
}

/// What is said of an element type.
#[derive(Clone, Copy, Debug)]
pub struct DTypeRow {
    /// The name in Rust: `f16`.
    pub rust: &'static str,
    /// The name in exported symbols, macros and on the command line: `fp16`.
    pub tag: &'static str,
    /// The name in C++. Conditions are whole bytes there, of which any but 0 is true.
    pub cpp: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// The type that a load gives and a store takes.
    pub value: Scalar,
}

/// Declares [`DType`] with one row for each element type, which lacks no column.
macro_rules! dtypes {
    ($($dtype:ident: $rust:literal $tag:literal $cpp:literal $size:literal $value:ident;)*) => {
        /// What a buffer holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum DType {
            $($dtype,)*
        }

        impl DType {
            /// Every element type.
            pub const ALL: &'static [DType] = &[$(DType::$dtype),*];

            /// What is said of it.
            pub const fn row(self) -> DTypeRow {
                match self {
                    $(DType::$dtype => DTypeRow {
                        rust: $rust,
                        tag: $tag,
                        cpp: $cpp,
                        size: $size,
                        value: Scalar::$value,
                    },)*
                }
            }
        }
    };
}

dtypes! {
    F32: "f32" "fp32" "float" 4 F32;
    F16: "f16" "fp16" "::sycl::half" 2 F32;
    BF16: "bf16" "bf16" "::sycl::ext::oneapi::bfloat16" 2 F32;
    I8: "i8" "i8" "int8_t" 1 I64;
    I32: "i32" "i32" "int32_t" 4 I64;
    I64: "i64" "i64" "int64_t" 8 I64;
    U8: "u8" "u8" "uint8_t" 1 I64;
    Bool: "bool" "bool" "uint8_t" 1 Bool;
}

impl DType {
    /// The type that Rust calls `name`.
    pub fn from_rust(name: &str) -> Option<DType> {
        Self::ALL.iter().copied().find(|d| d.rust() == name)
    }

    /// The type that exported symbols and the command line call `tag`.
    pub fn from_tag(tag: &str) -> Option<DType> {
        Self::ALL.iter().copied().find(|d| d.tag() == tag)
    }

    /// The name in Rust: `f16`.
    pub const fn rust(self) -> &'static str {
        self.row().rust
    }

    /// The name in exported symbols, macros and on the command line: `fp16`.
    pub const fn tag(self) -> &'static str {
        self.row().tag
    }

    /// The name in C++.
    pub const fn cpp(self) -> &'static str {
        self.row().cpp
    }

    /// The type that a load gives and a store takes.
    pub const fn value(self) -> Scalar {
        self.row().value
    }

    /// Whether values of this type are `f32`.
    pub fn is_float(self) -> bool {
        self.value() == Scalar::F32
    }

    /// Size in bytes.
    pub const fn size(self) -> usize {
        self.row().size
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

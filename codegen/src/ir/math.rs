//! Built-in functions and methods: one table, from which everything that is said of them derives.

use super::Scalar;

/// How a call is written in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `x.name(..)`, a method of Rust's own numbers.
    Method,
    /// `name(x, ..)`, a function of the prelude.
    Function,
    /// `f32::name(x, ..)`, a function of the type.
    Associated,
}

/// The type of an argument or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Always this type.
    Fixed(Scalar),
    /// An integer, of one type in all slots of an operation.
    Integer,
    /// An `f32` or an integer, of one type in all slots of an operation.
    Number,
}

/// How near a device's result is to the exact one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// Nothing is lost.
    Exact,
    /// Rounded once and correctly, so that every device has the same bits.
    Rounded,
    /// Rounded correctly at each of several steps, of which Rust leaves open how many there are.
    Steps,
    /// Off by no more than this.
    Within(Bounds),
}

/// What a result may be off by, in units in the last place of an `f32`, depending on whose functions compute it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    opencl: f64,
    cuda: f64,
}

/// Whose functions a device computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Library {
    /// Those of Intel's devices, which keep to the bounds of OpenCL C 3.0, "Relative Error as ULPs", full profile.
    #[default]
    OpenCl,
    /// Those of NVIDIA's `libdevice`. Its bounds are those of the CUDA C++ Programming Guide, "Mathematical Functions", which
    /// gives the distance from the correctly rounded result; half an ULP more is that from the exact one.
    Cuda,
}

impl Bounds {
    /// That of the functions of `library`.
    pub const fn of(self, library: Library) -> f64 {
        match library {
            Library::OpenCl => self.opencl,
            Library::Cuda => self.cuda,
        }
    }
}

/// What is said of an operation.
#[derive(Clone, Copy, Debug)]
pub struct MathRow {
    /// The name in Rust.
    pub name: &'static str,
    /// How a call is written.
    pub syntax: Syntax,
    /// The arguments, beginning with what stands before the dot.
    pub takes: &'static [Slot],
    /// The result.
    pub gives: Slot,
    /// How near it is.
    pub accuracy: Accuracy,
    /// The function in namespace `sycl` with the same arguments; `None` where the emission writes something else.
    pub sycl: Option<&'static str>,
}

const F32: Slot = Slot::Fixed(Scalar::F32);
const I32: Slot = Slot::Fixed(Scalar::I32);
const U32: Slot = Slot::Fixed(Scalar::U32);
const BOOL: Slot = Slot::Fixed(Scalar::Bool);

/// The bound of OpenCL C, and the distance from the correctly rounded result that CUDA documents.
const fn within(opencl: f64, cuda: f64) -> Accuracy {
    Accuracy::Within(Bounds {
        opencl,
        cuda: cuda + 0.5,
    })
}

/// Declares [`Math`] with one row for each operation, which lacks no column.
macro_rules! table {
    ($($operation:ident: $syntax:ident $name:literal $takes:tt -> $gives:expr, $accuracy:expr, $sycl:expr;)*) => {
        /// Built-in functions and methods.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Math {
            $($operation,)*
        }

        impl Math {
            /// Every operation, by name.
            pub const ALL: &'static [Math] = &[$(Math::$operation),*];

            /// What is said of it.
            pub const fn row(self) -> MathRow {
                match self {
                    $(Math::$operation => MathRow {
                        name: $name,
                        syntax: Syntax::$syntax,
                        takes: &$takes,
                        gives: $gives,
                        accuracy: $accuracy,
                        sycl: $sycl,
                    },)*
                }
            }
        }
    };
}

use Accuracy::{Exact, Rounded, Steps};
use Slot::{Integer, Number};

table! {
    Abs: Method "abs" [Number] -> Number, Exact, None;
    Acos: Method "acos" [F32] -> F32, within(4.0, 3.0), Some("acos");
    Asin: Method "asin" [F32] -> F32, within(4.0, 4.0), Some("asin");
    Atan: Method "atan" [F32] -> F32, within(5.0, 2.0), Some("atan");
    Atan2: Method "atan2" [F32, F32] -> F32, within(6.0, 3.0), Some("atan2");
    Ceil: Method "ceil" [F32] -> F32, Exact, Some("ceil");
    Clamp: Method "clamp" [Number, Number, Number] -> Number, Exact, None;
    Copysign: Method "copysign" [F32, F32] -> F32, Exact, Some("copysign");
    Cos: Method "cos" [F32] -> F32, within(4.0, 2.0), Some("cos");
    Cosh: Method "cosh" [F32] -> F32, within(4.0, 2.0), Some("cosh");
    CountOnes: Method "count_ones" [Integer] -> U32, Exact, None;
    Erf: Function "erf" [F32] -> F32, within(16.0, 2.0), Some("erf");
    Erfc: Function "erfc" [F32] -> F32, within(16.0, 4.0), Some("erfc");
    Exp: Method "exp" [F32] -> F32, within(3.0, 2.0), Some("exp");
    Exp2: Method "exp2" [F32] -> F32, within(3.0, 2.0), Some("exp2");
    ExpM1: Method "exp_m1" [F32] -> F32, within(3.0, 1.0), Some("expm1");
    Floor: Method "floor" [F32] -> F32, Exact, Some("floor");
    Fract: Method "fract" [F32] -> F32, Exact, None;
    FromBits: Associated "from_bits" [U32] -> F32, Exact, None;
    Hypot: Method "hypot" [F32, F32] -> F32, within(4.0, 3.0), Some("hypot");
    IsFinite: Method "is_finite" [F32] -> BOOL, Exact, Some("isfinite");
    IsInfinite: Method "is_infinite" [F32] -> BOOL, Exact, Some("isinf");
    IsNan: Method "is_nan" [F32] -> BOOL, Exact, Some("isnan");
    LeadingZeros: Method "leading_zeros" [Integer] -> U32, Exact, None;
    Log: Method "ln" [F32] -> F32, within(3.0, 1.0), Some("log");
    Log10: Method "log10" [F32] -> F32, within(3.0, 2.0), Some("log10");
    Log1p: Method "ln_1p" [F32] -> F32, within(2.0, 1.0), Some("log1p");
    Log2: Method "log2" [F32] -> F32, within(3.0, 1.0), Some("log2");
    Max: Method "max" [Number, Number] -> Number, Exact, None;
    Min: Method "min" [Number, Number] -> Number, Exact, None;
    MulAdd: Method "mul_add" [F32, F32, F32] -> F32, Rounded, Some("fma");
    Pow: Method "powf" [F32, F32] -> F32, within(16.0, 8.0), Some("pow");
    Powi: Method "powi" [F32, I32] -> F32, Steps, None;
    Recip: Method "recip" [F32] -> F32, Rounded, None;
    RotateLeft: Method "rotate_left" [Integer, U32] -> Integer, Exact, None;
    RotateRight: Method "rotate_right" [Integer, U32] -> Integer, Exact, None;
    Round: Method "round" [F32] -> F32, Exact, Some("round");
    RoundTiesEven: Method "round_ties_even" [F32] -> F32, Exact, Some("rint");
    Rsqrt: Function "rsqrt" [F32] -> F32, within(2.0, 2.0), Some("rsqrt");
    SaturatingAdd: Method "saturating_add" [Integer, Integer] -> Integer, Exact, None;
    SaturatingSub: Method "saturating_sub" [Integer, Integer] -> Integer, Exact, None;
    Signum: Method "signum" [F32] -> F32, Exact, None;
    Sin: Method "sin" [F32] -> F32, within(4.0, 2.0), Some("sin");
    Sinh: Method "sinh" [F32] -> F32, within(4.0, 3.0), Some("sinh");
    Sqrt: Method "sqrt" [F32] -> F32, Rounded, Some("sqrt");
    Tan: Method "tan" [F32] -> F32, within(5.0, 4.0), Some("tan");
    Tanh: Method "tanh" [F32] -> F32, within(5.0, 2.0), Some("tanh");
    ToBits: Method "to_bits" [F32] -> U32, Exact, None;
    TrailingZeros: Method "trailing_zeros" [Integer] -> U32, Exact, None;
    Trunc: Method "trunc" [F32] -> F32, Exact, Some("trunc");
    WrappingAdd: Method "wrapping_add" [Integer, Integer] -> Integer, Exact, None;
    WrappingMul: Method "wrapping_mul" [Integer, Integer] -> Integer, Exact, None;
    WrappingNeg: Method "wrapping_neg" [Integer] -> Integer, Exact, None;
    WrappingSub: Method "wrapping_sub" [Integer, Integer] -> Integer, Exact, None;
}

impl Math {
    /// The operation of a method of Rust's numbers, or of a function of the prelude.
    pub fn find(syntax: Syntax, name: &str) -> Option<Math> {
        let all = Self::ALL.iter().copied();
        all.into_iter()
            .find(|math| math.row().syntax == syntax && math.row().name == name)
    }

    /// The name in Rust.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What the result may be off by in each of its steps, in units in the last place of an `f32`, where the functions of
    /// `library` compute it.
    pub const fn ulps(self, library: Library) -> f64 {
        match self.row().accuracy {
            Exact => 0.0,
            Rounded | Steps => 0.5,
            Accuracy::Within(bounds) => bounds.of(library),
        }
    }

    /// Whether the result is the same on every device, natively too.
    pub const fn is_exact(self) -> bool {
        matches!(self.row().accuracy, Exact | Rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_listed_by_name_each_once() {
        let names: Vec<&str> = Math::ALL.iter().map(|math| math.name()).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name} is listed twice");
        }
    }

    #[test]
    fn calls_are_found_as_rust_writes_them() {
        assert_eq!(Math::find(Syntax::Method, "ln_1p"), Some(Math::Log1p));
        assert_eq!(Math::find(Syntax::Function, "erfc"), Some(Math::Erfc));
        assert_eq!(
            Math::find(Syntax::Method, "erfc"),
            None,
            "numbers have no such method"
        );
    }
}

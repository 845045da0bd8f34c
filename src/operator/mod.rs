//! Kernels called with arrays, for languages whose arrays know their shapes.
//!
//! A kernel takes addresses, sizes and strides. Most of these an array tells by itself: [`Operator`] works out which, from the
//! kernel's `shapes(..)` alone, and what is left to be said. [`rmsnorm`](fn@crate::ops::rmsnorm::rmsnorm) becomes
//! `rmsnorm(input, weight, eps, out)`.
//!
//! * Sizes and strides that the shapes of inputs tell are derived; numbers and const parameters that no shape tells are asked
//!   for, and so are sizes of results alone.
//! * A buffer that is only written, and not by `scatter(..)`, is a result. It is made if it is not given.
//! * The outermost dimension may be several, or none, where the kernel's grid runs over it: those that lie one after the
//!   other are counted as one, so that `[batch, sequence, hidden]` is as good as `[tokens, hidden]`.

mod argument;
mod array;
mod bind;
mod defaults;
mod derive;
mod overlap;
mod run;
mod size;

pub use self::argument::{Argument, Default, Parameter, Role};
pub use self::array::Array;
pub use self::bind::{Bound, Missing};
pub use self::run::NativeError;

use oxysycl_codegen::ir::{DType, ParamId};

use self::derive::Derived;
use crate::kernel::{Kernel, LowerError};

/// A kernel as a function of arrays.
#[derive(Debug)]
pub struct Operator {
    kernel: &'static Kernel,
    name: String,
    docs: Vec<String>,
    parameters: Vec<Parameter>,
    derived: Derived,
}

/// Why arguments are refused. Nothing was run, and nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// An argument is of another type than it has to be: no array, or one of other elements.
    #[error("{0}")]
    Type(String),
    /// An argument's value, shape or place in memory does not do.
    #[error("{0}")]
    Value(String),
}

impl Operator {
    /// The operator of `kernel`.
    ///
    /// # Errors
    /// If the kernel cannot be turned into a header.
    pub fn new(kernel: &'static Kernel) -> Result<Self, LowerError> {
        let ir = kernel.ir()?;
        let derived = Derived::new(&ir);
        Ok(Self {
            kernel,
            name: ir.name.clone(),
            docs: ir.docs.clone(),
            parameters: argument::parameters(&ir, &derived),
            derived,
        })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kernel's doc comment, line by line.
    pub fn docs(&self) -> &[String] {
        &self.docs
    }

    /// What is passed: arrays and numbers that must be given, those that need not be, and results.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The element types that an array parameter may have.
    ///
    /// # Errors
    /// As for [`new`](Self::new), which has succeeded.
    pub fn dtypes(&self, parameter: &Parameter) -> Result<Vec<DType>, LowerError> {
        let ir = self.kernel.ir()?;
        Ok(match parameter.role {
            Role::Array { param, .. } => bind::dtypes(&ir, ir.buffer(param).element),
            Role::DType(at) => ir.types[at].dtypes.clone(),
            Role::Scalar { .. } | Role::Const { .. } => Vec::new(),
        })
    }

    /// The dimensions of an array parameter as the kernel writes them, such as `[num_tokens, HIDDEN_SIZE]`; an outermost one
    /// that may be several is written `num_tokens...`.
    ///
    /// # Errors
    /// As for [`new`](Self::new), which has succeeded.
    pub fn shape(&self, parameter: &Parameter) -> Result<String, LowerError> {
        let ir = self.kernel.ir()?;
        Ok(match parameter.role {
            Role::Array { param, .. } => size::shape(&ir, param, self.derived.is_batched(param)),
            _ => String::new(),
        })
    }

    /// Whether rows of an array parameter may lie apart.
    ///
    /// # Errors
    /// As for [`new`](Self::new), which has succeeded.
    pub fn is_strided(&self, parameter: &Parameter) -> Result<bool, LowerError> {
        let ir = self.kernel.ir()?;
        let strided = |param: ParamId| ir.buffer(param).shape.iter().any(|dim| dim.stride.is_some());
        Ok(matches!(parameter.role, Role::Array { param, .. } if strided(param)))
    }
}

/// What arrays' libraries call an element type: `float16`.
pub fn dtype_name(dtype: DType) -> &'static str {
    match dtype {
        DType::F32 => "float32",
        DType::F16 => "float16",
        DType::BF16 => "bfloat16",
        DType::I8 => "int8",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U8 => "uint8",
        DType::Bool => "bool",
    }
}

/// The element type that arrays' libraries call `name`.
pub fn dtype_named(name: &str) -> Option<DType> {
    DType::ALL
        .iter()
        .copied()
        .find(|dtype| dtype_name(*dtype) == name)
}

/// `a`, `a or b`, `a, b or c`.
pub fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

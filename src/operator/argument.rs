//! What an operator is called with.

use std::cmp::Ordering;

use oxysycl_codegen::ir::{DType, Element, Kernel as Ir, ParamId, ParamKind, Scalar};

use super::array::Array;
use super::defaults;
use super::derive::{Derived, Symbol};

/// A parameter of an operator.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name: that in Rust, const parameters in lower case; `out` for the only result, `dtype` for its element type.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Its value where none is given; `None` if it must be.
    pub default: Option<Default>,
}

/// What a parameter is to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A buffer.
    Array {
        /// The kernel's parameter.
        param: ParamId,
        /// Whether the kernel writes it.
        mutable: bool,
        /// Whether it is a result, to be made if it is not given.
        result: bool,
    },
    /// A number.
    Scalar {
        /// The kernel's parameter.
        param: ParamId,
        /// Its type.
        ty: Scalar,
    },
    /// A const parameter.
    Const {
        /// Which of them.
        at: usize,
        /// Its type.
        ty: Scalar,
    },
    /// The element type that a type parameter stands for, by position.
    DType(usize),
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// There is no array.
    Absent,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A float.
    F32(f32),
    /// An element type.
    DType(DType),
}

/// What a parameter is given.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Nothing: its default.
    Absent,
    /// An array.
    Array(Array),
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// A float.
    F32(f32),
    /// An element type.
    DType(DType),
}

impl From<Default> for Argument {
    fn from(value: Default) -> Self {
        match value {
            Default::Absent => Argument::Absent,
            Default::Bool(value) => Argument::Bool(value),
            Default::Integer(value) => Argument::Integer(value),
            Default::F32(value) => Argument::F32(value),
            Default::DType(value) => Argument::DType(value),
        }
    }
}

impl Parameter {
    /// Whether it is a result.
    pub fn is_result(&self) -> bool {
        matches!(self.role, Role::Array { result: true, .. })
    }

    /// Whether it is the type of a result's elements.
    pub fn is_dtype(&self) -> bool {
        matches!(self.role, Role::DType(_))
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.role, Role::Array { .. })
    }
}

/// The parameters of a kernel's operator: first what must be given, then what need not be, and results last.
pub(super) fn parameters(ir: &Ir, derived: &Derived) -> Vec<Parameter> {
    let results: Vec<ParamId> = derived.results().collect();
    let mut parameters: Vec<Parameter> = ir
        .buffers()
        .map(|(param, buffer)| {
            let result = results.contains(&param);
            Parameter {
                name: match results[..] {
                    [only] if only == param => "out".to_owned(),
                    _ => ir.params[param].name.clone(),
                },
                role: Role::Array {
                    param,
                    mutable: buffer.mutable,
                    result,
                },
                default: (result || buffer.optional).then_some(Default::Absent),
            }
        })
        .collect();
    parameters.extend(derived.asked().map(|symbol| asked(ir, symbol)));
    parameters.extend(dtypes(ir, &results));
    // Stable: what is alike stays in the order of the kernel's own parameters.
    parameters.sort_by(|a, b| match (a.is_result(), b.is_result()) {
        (false, false) => a.default.is_some().cmp(&b.default.is_some()),
        (true, true) => Ordering::Equal,
        (a, b) => a.cmp(&b),
    });
    parameters
}

fn asked(ir: &Ir, symbol: Symbol) -> Parameter {
    match symbol {
        Symbol::Param(param) => {
            let name = &ir.params[param].name;
            let ParamKind::Scalar(ty) = ir.params[param].kind else {
                unreachable!("a symbol is a number")
            };
            Parameter {
                name: name.clone(),
                role: Role::Scalar { param, ty },
                default: defaults::value(name),
            }
        }
        Symbol::Const(at) => {
            let param = &ir.consts[at];
            Parameter {
                name: param.name.to_lowercase(),
                role: Role::Const { at, ty: param.ty },
                default: defaults::value(&param.name),
            }
        }
    }
}

/// The type parameters that only results have: no input tells them.
fn dtypes(ir: &Ir, results: &[ParamId]) -> Vec<Parameter> {
    let has = |at: usize, wanted: bool| {
        ir.buffers()
            .any(|(id, buffer)| results.contains(&id) == wanted && buffer.element == Element::Param(at))
    };
    let alone: Vec<usize> = (0..ir.types.len())
        .filter(|at| has(*at, true) && !has(*at, false))
        .collect();
    alone
        .iter()
        .map(|&at| Parameter {
            name: match alone[..] {
                [_] => "dtype".to_owned(),
                _ => format!("{}_dtype", ir.types[at].name.to_lowercase()),
            },
            role: Role::DType(at),
            // A result that is given tells it too.
            default: defaults::dtype(&ir.types[at].dtypes).or(Some(Default::Absent)),
        })
        .collect()
}

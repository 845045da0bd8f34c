//! Kernels, element types and macros as the user names them.

use oxysycl_codegen::Instance;
use oxysycl_codegen::ir::{self, DType, Scalar};

use crate::kernel::{Kernel, LowerError, kernels};

/// Why what the user named is not there.
#[derive(Debug, thiserror::Error)]
pub(super) enum SelectError {
    #[error(transparent)]
    Lower(#[from] LowerError),
    #[error(
        "there is no kernel `{name}`; there are {known}. Kernels of a library are seen where the program names the library: \
         `use my_library as _;` in its main file",
        known = list(known)
    )]
    Kernel { name: String, known: Vec<String> },
    #[error("there are several kernels `{name}`: say {known}", known = list(known))]
    Ambiguous { name: String, known: Vec<String> },
    #[error("there is no element type `{name}`; {kernel} has {known}", known = list(known))]
    DType {
        kernel: String,
        name: String,
        known: Vec<String>,
    },
    #[error("{kernel} has no element types {given}; it has {known}", given = given.join(" "), known = list(known))]
    DTypes {
        kernel: String,
        given: Vec<String>,
        known: Vec<String>,
    },
    #[error("{kernel} has no const parameter or macro `{name}`; it has {known}", known = list(known))]
    Macro {
        kernel: String,
        name: String,
        known: Vec<String>,
    },
    #[error("{kernel}: {name} = `{value}` is no {ty}")]
    Value {
        kernel: String,
        name: String,
        value: String,
        ty: Scalar,
    },
    #[error("{kernel} is compiled for no {name} by itself: choose one with -D {name}=VALUE")]
    NoInstance { kernel: String, name: String },
    #[error("{0}")]
    Instance(String),
}

fn list(known: &[String]) -> String {
    if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    }
}

/// The kernels called `names`, each by its name or by its path; all of them if there are no names.
pub(super) fn named(names: &[String]) -> Result<Vec<&'static Kernel>, SelectError> {
    let all = kernels()?;
    if names.is_empty() {
        return Ok(all);
    }
    let mut found = Vec::new();
    for name in names {
        let mut same = Vec::new();
        for kernel in &all {
            if *name == kernel.ir()?.name || *name == path(kernel)? {
                same.push(*kernel);
            }
        }
        match same[..] {
            [kernel] => found.push(kernel),
            [] => {
                return Err(SelectError::Kernel {
                    name: name.clone(),
                    known: paths(&all, |_, ir| ir.name.clone())?,
                });
            }
            _ => {
                let known = same.into_iter().map(path).collect::<Result<_, _>>()?;
                return Err(SelectError::Ambiguous {
                    name: name.clone(),
                    known,
                });
            }
        }
    }
    Ok(found)
}

fn paths(
    all: &[&'static Kernel],
    name: fn(&Kernel, &ir::Kernel) -> String,
) -> Result<Vec<String>, LowerError> {
    all.iter()
        .map(|kernel| Ok(name(kernel, &*kernel.ir()?)))
        .collect()
}

fn path(kernel: &'static Kernel) -> Result<String, LowerError> {
    Ok(format!("{}::{}", kernel.module(), kernel.ir()?.name))
}

/// The element type that `name` is: `fp16`, or as in Rust `f16`.
fn dtype(ir: &ir::Kernel, name: &str) -> Result<DType, SelectError> {
    let known: Vec<DType> = ir
        .types
        .iter()
        .flat_map(|param| param.dtypes.iter().copied())
        .collect();
    let dtype = DType::from_tag(name)
        .or_else(|| DType::from_rust(name))
        .filter(|dtype| known.contains(dtype));
    dtype.ok_or_else(|| {
        let mut known: Vec<String> = known.iter().map(DType::to_string).collect();
        known.dedup();
        SelectError::DType {
            kernel: ir.name.clone(),
            name: name.to_owned(),
            known,
        }
    })
}

/// The element types called `names`, of those that a kernel has.
pub(super) fn dtypes(ir: &ir::Kernel, names: &[String]) -> Result<Vec<DType>, SelectError> {
    names.iter().map(|name| dtype(ir, name)).collect()
}

/// Element types as one word each.
pub(super) fn tags(dtypes: &[DType]) -> String {
    dtypes
        .iter()
        .map(|dtype| dtype.tag())
        .collect::<Vec<_>>()
        .join(" ")
}

/// What is chosen of a kernel: element types and const parameters, `None` for what is not.
#[derive(Debug)]
pub(super) struct Choice {
    dtypes: Vec<Option<DType>>,
    consts: Vec<Option<i64>>,
}

impl Choice {
    /// The choice that `dtypes` and `defines` make. A define names a const parameter, its macro or an element type's macro.
    pub(super) fn new(
        ir: &ir::Kernel,
        dtypes: &[String],
        defines: &[(String, String)],
    ) -> Result<Self, SelectError> {
        let mut choice = Self {
            dtypes: vec![None; ir.types.len()],
            consts: vec![None; ir.consts.len()],
        };
        for dtype in self::dtypes(ir, dtypes)? {
            let free = |at: &usize| choice.dtypes[*at].is_none() && ir.types[*at].dtypes.contains(&dtype);
            let at = (0..ir.types.len())
                .find(free)
                .ok_or_else(|| SelectError::DTypes {
                    kernel: ir.name.clone(),
                    given: dtypes.to_vec(),
                    known: ir.types.iter().map(|param| tags(&param.dtypes)).collect(),
                })?;
            choice.dtypes[at] = Some(dtype);
        }
        for (name, value) in defines {
            choice.define(ir, name, value)?;
        }
        Ok(choice)
    }

    fn define(&mut self, ir: &ir::Kernel, name: &str, value: &str) -> Result<(), SelectError> {
        for (at, param) in ir.consts.iter().enumerate() {
            if name == param.name || name == ir.select(&param.name) {
                self.consts[at] = Some(const_value(ir, param, value)?);
                return Ok(());
            }
        }
        for (at, param) in ir.types.iter().enumerate() {
            let of = |dtype: &DType| dtype_macro(ir, param, *dtype);
            if let Some(dtype) = param.dtypes.iter().find(|dtype| name == of(dtype)) {
                self.dtypes[at] = Some(*dtype);
                return Ok(());
            }
        }
        Err(SelectError::Macro {
            kernel: ir.name.clone(),
            name: name.to_owned(),
            known: macros(ir),
        })
    }

    /// The macros that make this choice. What is not chosen is compiled as the header has it by itself.
    pub(super) fn defines(&self, ir: &ir::Kernel) -> Result<Vec<(String, String)>, SelectError> {
        let fits = |dtypes: &&Vec<DType>| {
            let mut chosen = self.dtypes.iter().zip(dtypes.iter());
            chosen.all(|(chosen, dtype)| chosen.is_none_or(|chosen| chosen == *dtype))
        };
        let first = |(d, param): (&Option<DType>, &ir::TypeParam)| d.unwrap_or(param.dtypes[0]);
        let dtypes = ir.combinations().iter().find(fits).cloned();
        let dtypes = dtypes.unwrap_or_else(|| self.dtypes.iter().zip(&ir.types).map(first).collect());
        let mut consts = Vec::new();
        for (chosen, param) in self.consts.iter().zip(&ir.consts) {
            let value = chosen.or_else(|| param.instances.first().copied());
            consts.push(value.ok_or_else(|| SelectError::NoInstance {
                kernel: ir.name.clone(),
                name: param.name.clone(),
            })?);
        }
        let instance = Instance::new(ir, &dtypes, &consts).map_err(SelectError::Instance)?;
        let chosen = self
            .dtypes
            .iter()
            .map(Option::is_some)
            .chain(self.consts.iter().map(Option::is_some));
        Ok(instance
            .defines()
            .iter()
            .zip(chosen)
            .filter(|(_, chosen)| *chosen)
            .map(|(define, _)| define.clone())
            .collect())
    }

    /// The symbols that a library of this choice exports.
    pub(super) fn symbols(&self, ir: &ir::Kernel) -> Vec<String> {
        let is_chosen = |instance: &(Vec<DType>, Vec<i64>)| {
            self.dtypes
                .iter()
                .zip(&instance.0)
                .all(|(chosen, dtype)| chosen.is_none_or(|chosen| chosen == *dtype))
        };
        let instances = all(ir, |at| {
            self.consts[at].map_or_else(|| ir.consts[at].instances.clone(), |value| vec![value])
        });
        symbols(ir, instances.into_iter().filter(is_chosen))
    }
}

/// The symbols that a kernel's header exports by itself.
pub(super) fn default_symbols(ir: &ir::Kernel) -> Vec<String> {
    symbols(ir, all(ir, |at| ir.consts[at].instances.clone()).into_iter())
}

/// Every combination of element types and of the const parameters' values, the last changing fastest.
fn all(ir: &ir::Kernel, values: impl Fn(usize) -> Vec<i64>) -> Vec<(Vec<DType>, Vec<i64>)> {
    let mut found = vec![(vec![], vec![])];
    for param in &ir.types {
        let with = |(dtypes, consts): &(Vec<DType>, Vec<i64>)| {
            param
                .dtypes
                .iter()
                .map(|dtype| ([&dtypes[..], &[*dtype]].concat(), consts.clone()))
                .collect::<Vec<_>>()
        };
        found = found.iter().flat_map(with).collect();
    }
    for at in 0..ir.consts.len() {
        let with = |(dtypes, consts): &(Vec<DType>, Vec<i64>)| {
            values(at)
                .into_iter()
                .map(|value| (dtypes.clone(), [&consts[..], &[value]].concat()))
                .collect::<Vec<_>>()
        };
        found = found.iter().flat_map(with).collect();
    }
    found
}

fn symbols(ir: &ir::Kernel, instances: impl Iterator<Item = (Vec<DType>, Vec<i64>)>) -> Vec<String> {
    let symbol = |(dtypes, consts): (Vec<DType>, Vec<i64>)| Instance::new(ir, &dtypes, &consts).ok();
    let both = |instance: Instance| {
        let symbols = [Some(instance.symbol()), instance.drop_in()];
        symbols
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    instances.filter_map(symbol).flat_map(both).collect()
}

fn const_value(ir: &ir::Kernel, param: &ir::ConstParam, value: &str) -> Result<i64, SelectError> {
    let parsed = match (param.ty, value) {
        (Scalar::Bool, "true" | "1") => Some(1),
        (Scalar::Bool, "false" | "0") => Some(0),
        (Scalar::Bool, _) => None,
        (_, value) => value.parse().ok(),
    };
    parsed.ok_or_else(|| SelectError::Value {
        kernel: ir.name.clone(),
        name: param.name.clone(),
        value: value.to_owned(),
        ty: param.ty,
    })
}

fn dtype_macro(ir: &ir::Kernel, param: &ir::TypeParam, dtype: DType) -> String {
    ir.select(&param.name)
        .replace(&format!("{{{}}}", param.name), dtype.tag())
}

/// Every name that a define may have.
fn macros(ir: &ir::Kernel) -> Vec<String> {
    let consts = ir
        .consts
        .iter()
        .flat_map(|param| [param.name.clone(), ir.select(&param.name).to_owned()]);
    let types = ir
        .types
        .iter()
        .flat_map(|param| param.dtypes.iter().map(|dtype| dtype_macro(ir, param, *dtype)));
    consts.chain(types).collect()
}

//! `oxysycl list`

use std::iter;

use clap::Args;
use serde::Serialize;

use super::output::{Output, table};
use super::select::{default_symbols, named};
use super::{Answer, Result};
use crate::kernel::Kernel;
use oxysycl_codegen::ir::{self, DType, Element, ParamKind};

#[derive(Args, Debug)]
pub(super) struct List {
    /// Kernels by name or path; all of them if there are none
    kernels: Vec<String>,
}

/// What `--json` prints: one entry per kernel.
#[derive(Serialize)]
struct Listed {
    /// Name of the Rust function.
    kernel: String,
    /// Path of its module.
    module: &'static str,
    /// Its doc comment.
    docs: String,
    /// Lines of the Rust function, without attributes and the doc comment.
    lines: usize,
    /// File that it is emitted into.
    header: String,
    /// Exported name, with `{T}` for parameters.
    symbol: String,
    /// Type parameters.
    types: Vec<TypeParam>,
    /// Const parameters.
    consts: Vec<ConstParam>,
    /// Parameters, in the order of the C signature, which begins with the queue.
    parameters: Vec<Parameter>,
    /// The second export with another signature; `null` if there is none.
    drop_in: Option<DropIn>,
    /// Symbols that the header exports by itself.
    exports: Vec<String>,
}

#[derive(Serialize)]
struct TypeParam {
    name: String,
    /// Macro that selects an element type, with `{T}` for it.
    r#macro: String,
    dtypes: Vec<&'static str>,
}

#[derive(Serialize)]
struct ConstParam {
    name: String,
    /// Macro that selects a value.
    r#macro: String,
    r#type: &'static str,
    /// Values compiled where the macro selects none.
    instances: Vec<i64>,
}

#[derive(Serialize)]
struct DropIn {
    /// Exported name, with `{T}` for parameters.
    symbol: String,
    /// Parameters, in the order of its C signature, which begins with the queue.
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: String,
    /// Such as `&[T]`, `&mut [f16]` or `i64`.
    r#type: String,
}

impl List {
    pub(super) fn run(self, output: &Output) -> Result {
        let mut listed = Vec::new();
        for kernel in named(&self.kernels)? {
            listed.push(Listed::new(&*kernel.ir()?, kernel));
        }
        output.print(&listed, |listed| {
            table(
                ["kernel", "lines", "arguments", "exports", "header"],
                listed.iter().map(Listed::row),
            )
        })?;
        Ok(Answer::Yes)
    }
}

impl Listed {
    fn new(ir: &ir::Kernel, kernel: &Kernel) -> Self {
        let types = ir.types.iter().map(|param| TypeParam {
            name: param.name.clone(),
            r#macro: ir.select(&param.name).to_owned(),
            dtypes: param.dtypes.iter().map(|dtype| dtype.tag()).collect(),
        });
        let consts = ir.consts.iter().map(|param| ConstParam {
            name: param.name.clone(),
            r#macro: ir.select(&param.name).to_owned(),
            r#type: param.ty.rust(),
            instances: param.instances.clone(),
        });
        let drop_in = ir.attributes.drop_in.as_ref().map(|drop_in| DropIn {
            symbol: drop_in.symbol.clone(),
            parameters: parameters(ir, &drop_in.params),
        });
        Self {
            kernel: ir.name.clone(),
            module: kernel.module(),
            docs: ir.docs.join("\n"),
            lines: kernel.lines(),
            header: ir.attributes.header.clone(),
            symbol: ir.attributes.symbol.clone(),
            types: types.collect(),
            consts: consts.collect(),
            parameters: parameters(ir, &ir.params),
            drop_in,
            exports: default_symbols(ir),
        }
    }

    fn row(&self) -> [String; 5] {
        let parameters = self
            .parameters
            .iter()
            .map(|param| format!("{}: {}", param.name, param.r#type));
        let types = self
            .types
            .iter()
            .map(|param| format!("{} = {}", param.name, param.dtypes.join(", ")));
        let consts = self
            .consts
            .iter()
            .map(|param| format!("{} = {}", param.name, numbers(&param.instances)));
        [
            self.kernel.clone(),
            self.lines.to_string(),
            parameters.collect::<Vec<_>>().join("\n"),
            iter::once(self.symbol.clone())
                .chain(self.drop_in.iter().map(|drop_in| drop_in.symbol.clone()))
                .chain(types)
                .chain(consts)
                .collect::<Vec<_>>()
                .join("\n"),
            self.header.clone(),
        ]
    }
}

/// What the header compiles by itself, a few to a line.
fn numbers(instances: &[i64]) -> String {
    const PER_LINE: usize = 6;
    let lines = instances
        .chunks(PER_LINE)
        .map(|line| line.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        "chosen by -D".to_owned()
    } else {
        lines.join(",\n  ")
    }
}

fn parameters(ir: &ir::Kernel, params: &[ir::Param]) -> Vec<Parameter> {
    let parameter = |param: &ir::Param| Parameter {
        name: param.name.clone(),
        r#type: rust_type(ir, &param.kind),
    };
    params.iter().map(parameter).collect()
}

fn rust_type(ir: &ir::Kernel, kind: &ParamKind) -> String {
    match kind {
        ParamKind::Scalar(scalar) => scalar.rust().to_owned(),
        ParamKind::Buffer(buffer) => {
            let element = match buffer.element {
                Element::Param(id) => &ir.types[id].name,
                Element::DType(dtype) => DType::rust(dtype),
            };
            format!("&{}[{element}]", if buffer.mutable { "mut " } else { "" })
        }
    }
}

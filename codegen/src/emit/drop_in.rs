//! The drop-in: an export with a signature of its own, which launches the same kernel.

use std::collections::BTreeSet;

use super::Emission;
use super::exports::{arguments, forwarding};
use super::functor::Nothing;
use super::launcher::used_params;
use super::names::Names;
use super::printer::{Printer, Spelling};
use super::usage::params_of;
use crate::ir::{DropIn, Given, ParamKind};

/// The drop-in of a kernel, called `symbol`.
pub(super) fn definition(emission: &Emission<'_>, drop_in: &DropIn, symbol: &str) -> String {
    let queue = &emission.inner.queue;
    let mut names = Names::new();
    names.take(queue);
    names.take(&format!("{}_launch", emission.head.spelled));
    arguments(emission)
        .concat()
        .iter()
        .for_each(|name| names.take(name));
    let spelling = Spelling {
        params: drop_in
            .params
            .iter()
            .map(|param| names.give(&param.name))
            .collect(),
        consts: consts(emission),
        ..Spelling::default()
    };
    let printer = Printer {
        spelling: &spelling,
        helpers: &emission.helpers,
        kernel: None,
        surroundings: &Nothing,
        data: &BTreeSet::new(),
        indexing: false,
    };
    let mut read = BTreeSet::new();
    let mut args = vec![queue.clone()];
    for id in used_params(emission) {
        args.push(match &drop_in.given[id] {
            Given::Passed(at) => {
                read.insert(*at);
                let name = &spelling.params[*at];
                match &drop_in.params[*at].kind {
                    ParamKind::Scalar(_) => name.clone(),
                    ParamKind::Buffer(_) => format!("static_cast<{}>({name})", emission.param_type(id)),
                }
            }
            Given::Value(value) => {
                read.extend(params_of(value));
                printer.value(value)
            }
            Given::Unbounded(_) => "INT64_MAX".to_owned(),
        });
    }
    let declared = drop_in.params.iter().enumerate().map(|(at, param)| {
        let ty = match &param.kind {
            ParamKind::Scalar(ty) => ty.cpp(),
            ParamKind::Buffer(buffer) if buffer.mutable => "void*",
            ParamKind::Buffer(_) => "const void*",
        };
        if read.contains(&at) {
            format!("{ty} {}", spelling.params[at])
        } else {
            ty.to_owned()
        }
    });
    let params: Vec<String> = [format!("void* {queue}")].into_iter().chain(declared).collect();
    forwarding(emission, symbol, &params, &args)
}

/// Const parameters with their types: a macro's argument is a bare number, whose arithmetic would be that of `int`.
fn consts(emission: &Emission<'_>) -> Vec<String> {
    let consts = emission.kernel.consts.iter().zip(&emission.spelling.consts);
    consts
        .map(|(c, name)| format!("{}{{{name}}}", c.ty.cpp()))
        .collect()
}

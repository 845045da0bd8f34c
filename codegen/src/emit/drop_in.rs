//! The drop-in: an export with a signature of its own, which launches the same kernel.

use std::collections::BTreeSet;

use super::Emission;
use super::exports::{arguments, forwarding};
use super::names::Names;
use super::printer::{Printer, Spelling};
use crate::program::{DropIn, Expr, ExprKind, Given, ParamKind};

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
    };
    let mut read = BTreeSet::new();
    let mut args = vec![queue.clone()];
    for id in emission.program.launch.params.iter().copied() {
        args.push(match &drop_in.given[id] {
            Given::Passed(at) => {
                read.insert(*at);
                let name = &spelling.params[*at];
                match &drop_in.params[*at].kind {
                    ParamKind::Scalar(_) => name.clone(),
                    ParamKind::Buffer { .. } => format!("static_cast<{}>({name})", emission.param_type(id)),
                }
            }
            Given::Value(value) => {
                note_params(value, &mut read);
                printer.value(value)
            }
            Given::Unbounded => "INT64_MAX".to_owned(),
        });
    }
    let declared = drop_in.params.iter().enumerate().map(|(at, param)| {
        let ty = match &param.kind {
            ParamKind::Scalar(ty) => ty.cpp(),
            ParamKind::Buffer { mutable: true, .. } => "void*",
            ParamKind::Buffer { .. } => "const void*",
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

/// Adds the parameters that an expression reads.
fn note_params(e: &Expr, read: &mut BTreeSet<usize>) {
    e.walk(&mut |e| {
        if let ExprKind::Param(id) = e.kind {
            read.insert(id);
        }
    });
}

/// Const parameters with their types: a macro's argument is a bare number, whose arithmetic would be that of `int`.
fn consts(emission: &Emission<'_>) -> Vec<String> {
    let consts = emission.program.consts.iter().zip(&emission.spelling.consts);
    consts
        .map(|(c, name)| format!("{}{{{name}}}", c.ty.cpp()))
        .collect()
}

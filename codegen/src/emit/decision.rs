//! What a launcher decides: arguments, and whether there are optional buffers, that become template parameters of the variant that it submits.

use super::literal;
use super::names::Names;
use super::printer::Spelling;
use super::usage::Usage;
use super::writer::Writer;
use crate::ir::{Kernel, Scalar};

/// One thing that becomes a constant.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    /// Its type.
    pub(super) ty: Scalar,
    /// Its name in the launcher, and that of the template parameter.
    pub(super) name: String,
    /// The constant's name inside the launcher.
    pub(super) constant: String,
    /// The values that it may have, `bool` as 0 or 1.
    values: Vec<i64>,
}

/// The decisions for a kernel, of what its body reads.
pub(super) fn decisions(
    kernel: &Kernel,
    usage: &Usage,
    spelling: &Spelling,
    names: &mut Names,
) -> Vec<Decision> {
    let read = kernel.specialized().filter(|(id, ..)| usage.params.contains(id));
    let decision = |(id, ty, values): (usize, Scalar, &[i64])| Decision {
        ty,
        name: spelling.params[id].clone(),
        constant: names.give(&format!("{}_constant", kernel.params[id].name)),
        values: values.to_vec(),
    };
    let values: Vec<Decision> = read.map(decision).collect();
    let buffers = usage.asked.iter().map(|id| Decision {
        ty: Scalar::Bool,
        name: spelling.given[*id].clone(),
        constant: names.give(&format!("{}_constant", spelling.given[*id])),
        values: vec![1, 0],
    });
    values.into_iter().chain(buffers).collect()
}

/// Writes a `switch` or an `if` for each decision, and inside all of them `submit` of the values decided on.
pub(super) fn decide(
    out: &mut Writer,
    decisions: &[Decision],
    decided: &[String],
    submit: &dyn Fn(&mut Writer, &[String]),
) {
    let Some((decision, others)) = decisions.split_first() else {
        return submit(out, decided);
    };
    let with = |out: &mut Writer, value: i64| {
        let decided = [decided, &[text(value, decision.ty)]].concat();
        decide(out, others, &decided, submit);
    };
    match (decision.ty, &decision.values[..]) {
        (_, [value]) => with(out, *value),
        (Scalar::Bool, _) => {
            out.block(format!("if ({})", decision.name), |out| with(out, 1));
            out.else_block("", |out| with(out, 0));
        }
        (_, values) => out.block(format!("switch ({})", decision.name), |out| {
            for value in values {
                out.line(format!("case {}:", text(*value, decision.ty)));
                out.indented(|out| {
                    with(out, *value);
                    out.line("break;");
                });
            }
        }),
    }
}

/// A value in C++.
pub(super) fn text(value: i64, ty: Scalar) -> String {
    match ty {
        Scalar::Bool => named(value, ty),
        _ => literal::integer(value.into(), ty).text,
    }
}

/// A value in a message.
pub(super) fn named(value: i64, ty: Scalar) -> String {
    match ty {
        Scalar::Bool => (value != 0).to_string(),
        _ => value.to_string(),
    }
}

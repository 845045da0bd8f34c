//! What a launcher decides: arguments, and whether there are optional buffers, that become template parameters of the variant that it submits.

use super::literal;
use super::names::Names;
use super::printer::Spelling;
use super::writer::Writer;
use crate::ir::Scalar;
use crate::program::{Decision, Program, Subject};

/// One thing that becomes a constant, by its names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) decision: Decision,
    /// Its name in the launcher, and that of the template parameter.
    pub(super) name: String,
    /// The constant's name inside the launcher.
    pub(super) constant: String,
}

/// Names what a launcher decides.
pub(super) fn named_decisions(program: &Program, spelling: &Spelling, names: &mut Names) -> Vec<Named> {
    let mut named = |decision: &Decision| {
        let (name, constant) = match decision.subject {
            Subject::Param(id) => (&spelling.params[id], &program.params[id].name),
            Subject::Given(id) => (&spelling.given[id], &spelling.given[id]),
        };
        Named {
            decision: decision.clone(),
            name: name.clone(),
            constant: names.give(&format!("{constant}_constant")),
        }
    };
    program.launch.decisions.iter().map(&mut named).collect()
}

/// Writes a `switch` or an `if` for each decision, and inside all of them `submit` of the values decided on.
pub(super) fn decide(
    out: &mut Writer,
    decisions: &[Named],
    decided: &[String],
    submit: &dyn Fn(&mut Writer, &[String]),
) {
    let Some((Named { decision, name, .. }, others)) = decisions.split_first() else {
        return submit(out, decided);
    };
    let with = |out: &mut Writer, value: i64| {
        let decided = [decided, &[text(value, decision.ty)]].concat();
        decide(out, others, &decided, submit);
    };
    match (decision.ty, &decision.values[..]) {
        (_, [value]) => with(out, *value),
        (Scalar::Bool, _) => {
            out.block(format!("if ({name})"), |out| with(out, 1));
            out.else_block("", |out| with(out, 0));
        }
        (_, values) => out.block(format!("switch ({name})"), |out| {
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

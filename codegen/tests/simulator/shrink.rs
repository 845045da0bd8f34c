//! Makes a kernel that fails smaller, as long as it fails in the same way.

use oxysycl_codegen::checked;

use crate::case::Case;
use crate::finding::{Finding, Stop};
use crate::simulate::{refused, run};
use crate::text::{Node, Text};
use crate::value::Value;

/// A kernel that fails, with arguments for which it does.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) text: Text,
    pub(crate) case: Case,
    pub(crate) finding: Finding,
}

/// The smallest failure that taking out statements and lowering numbers comes to.
pub(crate) fn shrink(mut failure: Failure) -> Failure {
    loop {
        let smaller = statements(&failure).or_else(|| numbers(&failure));
        match smaller {
            Some(smaller) => failure = smaller,
            None => return failure,
        }
    }
}

/// The same kind of failure in a smaller text or case, if there is one.
fn fails(failure: &Failure, text: &Text, case: &Case) -> Option<Failure> {
    let checked = checked(&text.item()).ok()?;
    if !refused(&checked).is_empty() {
        return None;
    }
    match run(&checked, case) {
        Err(Stop::Finding(finding)) if finding.kind == failure.finding.kind => Some(Failure {
            text: text.clone(),
            case: case.clone(),
            finding,
        }),
        _ => None,
    }
}

fn statements(failure: &Failure) -> Option<Failure> {
    let bodies = smaller(&failure.text.body);
    let texts = bodies.into_iter().map(|body| Text {
        body,
        ..failure.text.clone()
    });
    let without_host = Text {
        host: Vec::new(),
        ..failure.text.clone()
    };
    let host = (!failure.text.host.is_empty()).then_some(without_host);
    texts
        .chain(host)
        .find_map(|text| fails(failure, &text, &failure.case))
}

/// Blocks with one statement less, or with what is inside a statement in its place.
fn smaller(block: &[Node]) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for (at, node) in block.iter().enumerate() {
        let mut with = |nodes: Vec<Node>| all.push([&block[..at], &nodes, &block[at + 1..]].concat());
        with(Vec::new());
        let Node::Block {
            head,
            body,
            otherwise,
        } = node
        else {
            continue;
        };
        with(body.clone());
        with(otherwise.clone());
        let block_of = |body: Vec<Node>, otherwise: Vec<Node>| Node::Block {
            head: head.clone(),
            body,
            otherwise,
        };
        for inner in smaller(body) {
            with(vec![block_of(inner, otherwise.clone())]);
        }
        for inner in smaller(otherwise) {
            with(vec![block_of(body.clone(), inner)]);
        }
    }
    all
}

/// The same kernel with a smaller argument.
fn numbers(failure: &Failure) -> Option<Failure> {
    let case = &failure.case;
    let mut cases = Vec::new();
    for (at, arg) in case.args.iter().enumerate() {
        if let Value::Int(value) = arg {
            for lower in 0..*value {
                let mut args = case.args.clone();
                args[at] = Value::Int(lower);
                cases.push(Case { args, ..case.clone() });
            }
        }
    }
    if case.wild {
        cases.push(Case {
            wild: false,
            ..case.clone()
        });
    }
    if case.items > 2 {
        cases.push(Case {
            items: case.items - 1,
            ..case.clone()
        });
    }
    cases
        .into_iter()
        .find_map(|case| fails(failure, &failure.text, &case))
}

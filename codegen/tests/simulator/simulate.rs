//! Checks a kernel, and runs what is accepted with several arguments.

use std::collections::BTreeSet;

use fastrand::Rng;
use oxysycl_codegen::ir::{ExprKind, Kernel, walk_exprs};
use oxysycl_codegen::{Checked, checked};
use proc_macro2::Span;

use crate::case::{Case, mixed};
use crate::finding::{Finding, Kind, Stop};
use crate::machine::{Outcome, native, parallel};
use crate::shrink::Failure;
use crate::text::Text;

/// Launches of each kernel.
const CASES: u64 = 8;

/// How often what is refused is left out before a kernel is given up.
const REPAIRS: usize = 4;

/// What happened to one kernel.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// Whether it was accepted as it was drawn.
    pub(crate) accepted: bool,
    /// Whether it was accepted without the statements that were refused.
    pub(crate) repaired: bool,
    /// Launches that ran.
    pub(crate) cases: u64,
    /// Launches in which the native function panics, so that nothing is promised.
    pub(crate) panics: u64,
    /// Launches that were refused, or had nothing to do.
    pub(crate) idle: u64,
    /// What is wrong.
    pub(crate) failure: Option<Failure>,
}

/// Checks and runs a kernel; its arguments are drawn from `seed`.
pub(crate) fn simulate(drawn: Text, seed: u64) -> Verdict {
    let mut verdict = Verdict::default();
    let Some((text, checked, repairs)) = accepted(drawn) else {
        return verdict;
    };
    verdict.accepted = repairs == 0;
    verdict.repaired = repairs > 0;
    for at in 0..CASES {
        let mut rng = Rng::with_seed(mixed(&[seed, at]));
        let case = Case::draw(&checked.kernel, &mut rng);
        match run(&checked, &case) {
            Ok(true) => verdict.cases += 1,
            Ok(false) => verdict.idle += 1,
            Err(Stop::Panic | Stop::Steps) => verdict.panics += 1,
            Err(Stop::Unknown(what)) => panic!("the simulator does not know {what}\n{}", text.item()),
            Err(Stop::Finding(finding)) => {
                verdict.failure = Some(Failure { text, case, finding });
                break;
            }
        }
    }
    verdict
}

/// The part of a kernel that is accepted, and how often something had to be left out.
fn accepted(mut text: Text) -> Option<(Text, Checked, usize)> {
    for repairs in 0..=REPAIRS {
        let item = text.item();
        let checked = checked(&item).unwrap_or_else(|error| panic!("{error}\n{item}"));
        let lines = refused(&checked);
        if lines.is_empty() {
            return (!text.body.is_empty()).then_some((text, checked, repairs));
        }
        text = text.without(&lines);
    }
    None
}

/// The lines that are refused.
pub(crate) fn refused(checked: &Checked) -> BTreeSet<usize> {
    let problems = checked.problems.iter().map(syn::Error::span);
    let places = problems.chain(unbound(&checked.kernel));
    places.map(|at| at.start().line).collect()
}

/// Uses of names whose statements were left out: the front end takes them for items that it cannot see.
fn unbound(kernel: &Kernel) -> Vec<Span> {
    let mut found = Vec::new();
    walk_exprs(&kernel.body, &mut |e| {
        if let ExprKind::Item(_) = e.kind {
            found.push(e.span);
        }
    });
    found
}

/// Runs one launch natively and by work-items, with buffers that may be one apart and in one place. Whether there was
/// anything to do.
pub(crate) fn run(checked: &Checked, case: &Case) -> Result<bool, Stop> {
    let Some(memories) = case.memories(checked) else {
        return Ok(false);
    };
    let expected = native(checked, case, &memories)?;
    let may_alias = checked
        .kernel
        .buffers()
        .any(|(_, buffer)| !buffer.aliases.is_empty());
    for aliased in [false, true] {
        if aliased && !may_alias {
            break;
        }
        let case = Case {
            aliased,
            ..case.clone()
        };
        let found = parallel(checked, &case, &memories)?;
        same(checked, &expected, &found).map_err(Stop::Finding)?;
    }
    Ok(true)
}

/// Whether what is written is the same.
fn same(checked: &Checked, expected: &Outcome, found: &Outcome) -> Result<(), Finding> {
    if expected.rounded || found.rounded {
        return Ok(());
    }
    for (id, buffer) in checked.kernel.buffers() {
        let mut both = expected.memories[id].iter().zip(&found.memories[id]);
        let differs = both.position(|(native, device)| !native.is(*device));
        if let Some(element) = differs.filter(|_| buffer.mutable) {
            let (native, device) = (expected.memories[id][element], found.memories[id][element]);
            let name = &checked.kernel.params[id].name;
            return Err(Finding {
                kind: Kind::Result,
                what: format!(
                    "{name}[{element}] is {} natively, and {} by work-items",
                    native.said(),
                    device.said()
                ),
            });
        }
    }
    Ok(())
}

//! What const parameters and launchers decide, and how much of it is taken apart to judge a kernel.
//!
//! A kernel is judged in cases that cover everything: a case says what some choices come to, and leaves the others open. An open
//! choice may come to anything, so that one set of cases is as good a proof as another; the more a set takes apart, the less it
//! refuses and the fewer barriers it asks for. All choices at once are too many cases where there are more than a few.

use std::collections::BTreeSet;

use super::known::Known;
use super::order::Barriers;
use super::poly::Poly;
use crate::diagnostics::Errors;
use crate::ir::{Expr, ExprKind, Kernel, ParamId, Scalar, walk};

/// As many cases as are judged to see how much there is to gain.
const CASES: usize = 64;

/// Something that is decided when a kernel is compiled or launched.
#[derive(Clone, Debug)]
enum Choice {
    /// A `bool` const parameter.
    Const(usize),
    /// A parameter of which the values are listed.
    Value(ParamId, Vec<i64>),
    /// Whether an optional buffer is there.
    Given(ParamId),
}

impl Choice {
    /// Whether an expression is this very choice.
    fn is_in(&self, e: &Expr) -> bool {
        match (self, &e.kind) {
            (Choice::Const(id), ExprKind::Const(other)) => id == other,
            (Choice::Value(id, _), ExprKind::Param(other)) => id == other,
            (Choice::Given(id), ExprKind::IsEmpty(other)) => id == other,
            _ => false,
        }
    }

    fn len(&self) -> usize {
        match self {
            Choice::Value(_, values) => values.len(),
            Choice::Const(_) | Choice::Given(_) => 2,
        }
    }

    /// What is known in each of its cases.
    fn cases(&self, known: &Known) -> Vec<Known> {
        let with = |decide: &dyn Fn(&mut Known)| {
            let mut known = known.clone();
            decide(&mut known);
            known
        };
        match self {
            Choice::Const(id) => [false, true]
                .map(|value| with(&|known| _ = known.bools.insert(*id, value)))
                .to_vec(),
            Choice::Given(id) => [true, false]
                .map(|value| with(&|known| _ = known.given.insert(*id, value)))
                .to_vec(),
            Choice::Value(id, values) => {
                let values = values.iter();
                values
                    .map(|value| with(&|known| known.equate(*id, Poly::constant((*value).into()))))
                    .collect()
            }
        }
    }
}

/// The choices of a kernel that `known` leaves open.
fn open(kernel: &Kernel, known: &Known) -> Vec<Choice> {
    let consts = kernel.consts.iter().enumerate();
    let consts = consts.filter(|(id, param)| param.ty == Scalar::Bool && !known.bools.contains_key(id));
    let values = kernel.specialized();
    let optional = kernel.buffers().filter(|(_, buffer)| buffer.optional);
    let optional = optional.filter(|(id, _)| !known.given.contains_key(id));
    consts
        .map(|(id, _)| Choice::Const(id))
        .chain(values.map(|(id, _, values)| Choice::Value(id, values.to_vec())))
        .chain(optional.map(|(id, _)| Choice::Given(id)))
        .collect()
}

/// Every combination of what the choices come to.
fn cases(known: &Known, choices: &[Choice]) -> Vec<Known> {
    choices.iter().fold(vec![known.clone()], |all, choice| {
        all.iter().flat_map(|known| choice.cases(known)).collect()
    })
}

/// Every combination of what the choices of a kernel come to, or one case that leaves them open where there are too many.
pub(super) fn covering(kernel: &Kernel, known: &Known) -> Vec<Known> {
    let open = open(kernel, known);
    if count(&open) <= CASES {
        cases(known, &open)
    } else {
        vec![known.clone()]
    }
}

fn count(choices: &[Choice]) -> usize {
    choices
        .iter()
        .fold(1, |count, choice| count.saturating_mul(choice.len()))
}

/// What is found in a set of cases.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) errors: Errors,
    pub(super) barriers: Barriers,
}

impl Found {
    /// Errors weigh more than barriers.
    fn weight(&self) -> (usize, usize) {
        (self.errors.len(), self.barriers.len())
    }
}

/// Judges a kernel in that set of cases, among those that are tried, in which the least is found. `before` is known to be
/// wrong already.
pub(super) fn judge(
    kernel: &Kernel,
    known: &Known,
    before: &Errors,
    look: &mut dyn FnMut(Known, &mut Found),
) -> Found {
    let mut find = |choices: &[Choice]| {
        let mut found = Found {
            errors: before.clone(),
            ..Found::default()
        };
        for known in cases(known, choices) {
            look(known, &mut found);
        }
        found
    };
    let least = (before.len(), 0);
    let open = open(kernel, known);
    let best = find(&[]);
    if best.weight() == least || open.is_empty() {
        return best;
    }
    if count(&open) <= CASES {
        return find(&open);
    }
    // What helps by itself is taken together; else what is decided together with something.
    let mut helpful = Vec::new();
    let mut seek = |sets: Vec<Vec<usize>>| {
        for set in sets {
            let choices: Vec<Choice> = set.iter().map(|at| open[*at].clone()).collect();
            let found = find(&choices);
            if found.weight() < best.weight() {
                helpful.push((found, set));
            }
        }
        helpful.is_empty()
    };
    if seek((0..open.len()).map(|at| vec![at]).collect()) {
        seek(pairs(kernel, &open));
    }
    helpful.sort_by_key(|(found, _)| found.weight());
    let mut decided = BTreeSet::new();
    for (_, set) in &helpful {
        let more: BTreeSet<usize> = decided.iter().chain(set).copied().collect();
        let choices: Vec<Choice> = more.iter().map(|at| open[*at].clone()).collect();
        if count(&choices) <= CASES {
            decided = more;
        }
    }
    let choices: Vec<Choice> = decided.iter().map(|at| open[*at].clone()).collect();
    let together = find(&choices);
    let all = helpful.into_iter().map(|(found, _)| found);
    all.chain([together, best])
        .min_by_key(Found::weight)
        .expect("at least one set of cases is judged")
}

/// The pairs of choices that some statement looks at together.
fn pairs(kernel: &Kernel, open: &[Choice]) -> Vec<Vec<usize>> {
    let mut pairs = BTreeSet::new();
    walk(&kernel.body, &mut |stmt| {
        let mut seen = BTreeSet::new();
        stmt.exprs(&mut |e| {
            e.walk(&mut |part| seen.extend(open.iter().position(|choice| choice.is_in(part))));
        });
        for a in &seen {
            pairs.extend(seen.range(a + 1..).map(|b| vec![*a, *b]));
        }
    });
    pairs.into_iter().collect()
}

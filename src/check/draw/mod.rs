//! The cases that a kernel is checked with, drawn from its shapes: any kernel's, not only this project's.

mod assertion;
mod size;
mod stride;

use std::collections::BTreeMap;

use fastrand::Rng;
use oxysycl_codegen::Indices;
use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{Kernel, Param, ParamId, ParamKind, Scalar};
use oxysycl_codegen::source::Constant;

pub(crate) use self::size::{Role, roles};
use self::size::{const_values, sizes};
pub(super) use self::stride::aliases;
use super::case::{Case, Layout, Spacing};
use crate::launch::shape;

/// A buffer of more elements is not drawn.
const MOST: i128 = 12 << 20;
/// Choices of const parameters and sizes that are run, each in several layouts.
const CHOICES: usize = 180;
/// Elements of all buffers of all choices with many together.
const BUDGET: i128 = 16 << 20;
/// With a buffer of more elements, two layouts are enough.
const MANY: i128 = 1 << 18;

const DENSE: Layout = Layout {
    spacing: Spacing::Dense,
    shifted: false,
    in_place: false,
};
const LAYOUTS: [Layout; 6] = [
    DENSE,
    Layout {
        spacing: Spacing::Padded,
        ..DENSE
    },
    Layout {
        spacing: Spacing::Odd,
        ..DENSE
    },
    Layout {
        shifted: true,
        ..DENSE
    },
    Layout {
        in_place: true,
        ..DENSE
    },
    Layout {
        spacing: Spacing::Odd,
        shifted: true,
        in_place: true,
    },
];

/// All cases for a kernel, in an order that depends on nothing else.
pub(super) fn cases(ir: &Kernel) -> Vec<Case> {
    let draw = Draw::new(ir);
    let choices = draw.choices();
    let mut cases = Vec::new();
    // Decisions take turns with choices and layouts; none is left out.
    let turns = choices.len().max(draw.decisions.len());
    for (turn, (consts, sizes)) in choices.iter().cycle().take(turns).enumerate() {
        draw.add_layouts(consts, sizes, turn, &mut cases);
    }
    cases
}

/// An assertion that no choice of sizes and arguments meets, if there is no case.
pub(super) fn unmet(ir: &Kernel) -> Option<String> {
    let draw = Draw::new(ir);
    let sizes = sizes(&draw.roles);
    let all = const_values(ir)
        .into_iter()
        .flat_map(|consts| sizes.iter().map(move |sizes| (consts.clone(), sizes.clone())));
    let cases = all.map(|(consts, sizes)| draw.case(&consts, &sizes, &draw.decisions[0], DENSE, 0));
    let broken = |case: Case| Some(eval::broken(ir, &case.values())?.condition.clone());
    cases.rev().find_map(broken)
}

/// The case of these const parameters and scalar arguments in dense buffers, all of which are given. Strides that are not among
/// the arguments follow from the sizes, and others meet the assertions if any do.
pub(crate) fn dense(ir: &Kernel, consts: &[i64], params: &BTreeMap<ParamId, i64>) -> Case {
    let mut draw = Draw::new(ir);
    let mut sizes = vec![0; ir.params.len()];
    for (id, value) in params {
        draw.roles[*id] = Role::Listed;
        sizes[*id] = *value;
    }
    draw.case(consts, &sizes, &Decision::default(), DENSE, 0)
}

/// What launchers decide: values of parameters, and optional buffers that are not given.
#[derive(Clone, Debug, Default)]
struct Decision {
    values: Vec<(ParamId, i64)>,
    absent: Vec<ParamId>,
}

/// Every combination of what launchers decide.
fn decisions(ir: &Kernel) -> Vec<Decision> {
    let mut all = vec![Decision::default()];
    for (id, _, values) in ir.specialized() {
        let with = |decision: &Decision, value: i64| {
            let mut decision = decision.clone();
            decision.values.push((id, value));
            decision
        };
        all = all
            .iter()
            .flat_map(|decision| values.iter().map(move |value| with(decision, *value)))
            .collect();
    }
    for (id, _) in ir.buffers().filter(|(_, buffer)| buffer.optional) {
        let without = |decision: &Decision| {
            let mut decision = decision.clone();
            decision.absent.push(id);
            decision
        };
        all = all
            .iter()
            .flat_map(|decision| [decision.clone(), without(decision)])
            .collect();
    }
    all
}

/// What cases are drawn from.
struct Draw<'a> {
    ir: &'a Kernel,
    roles: Vec<Role>,
    indices: Vec<Indices>,
    decisions: Vec<Decision>,
}

/// Const parameters and sizes.
type Choice = (Vec<i64>, Vec<i64>);

impl<'a> Draw<'a> {
    fn new(ir: &'a Kernel) -> Self {
        Self {
            ir,
            roles: roles(ir),
            indices: oxysycl_codegen::indices(ir),
            decisions: decisions(ir),
        }
    }

    /// The choices of const parameters and sizes that the kernel may be launched with; of many, so many taken at random.
    fn choices(&self) -> Vec<Choice> {
        let sizes = sizes(&self.roles);
        let all = const_values(self.ir)
            .into_iter()
            .flat_map(|consts| sizes.iter().map(move |sizes| (consts.clone(), sizes.clone())));
        let all: Vec<Choice> = all
            .filter(|(consts, sizes)| self.fits(&self.case(consts, sizes, &self.decisions[0], DENSE, 0)))
            .collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        Rng::with_seed(0).shuffle(&mut order);
        order.truncate(CHOICES);
        let mut left = BUDGET;
        order.retain(|at| {
            let (consts, sizes) = &all[*at];
            let total = total(self.ir, &self.case(consts, sizes, &self.decisions[0], DENSE, 0));
            left -= if total > MANY { total } else { 0 };
            total <= MANY || left > 0
        });
        order.sort();
        order.into_iter().map(|at| all[at].clone()).collect()
    }

    fn case(&self, consts: &[i64], sizes: &[i64], decision: &Decision, layout: Layout, seed: u64) -> Case {
        let mut sizes = sizes.to_vec();
        for (id, value) in &decision.values {
            sizes[*id] = *value;
        }
        let values = stride::values(self.ir, &self.roles, consts, &sizes, layout);
        let values = assertion::complete(self.ir, &self.free(), seed, values);
        Case {
            consts: consts.to_vec(),
            scalars: scalars(self.ir, &values),
            layout,
            absent: decision.absent.clone(),
            seed,
        }
    }

    /// The arguments that no size follows from.
    fn free(&self) -> Vec<ParamId> {
        let is_free = |id: &ParamId| match self.ir.params[*id].kind {
            ParamKind::Buffer(_) => false,
            ParamKind::Scalar(ty) => ty == Scalar::F32 || self.roles[*id] == Role::Other,
        };
        (0..self.ir.params.len()).filter(is_free).collect()
    }

    /// Whether the kernel's own conditions hold, nothing is too large, and there is a row for every index that the kernel
    /// does not look at.
    fn fits(&self, case: &Case) -> bool {
        let (ir, values) = (self.ir, case.values());
        let rows = |indices: &Indices| eval::integer(&indices.rows, &values).unwrap_or(0);
        let none = |indices: &Indices| length(ir, indices.buffer, &values) == Some(0);
        let named = |indices: &Indices| indices.guarded || rows(indices) > 0 || none(indices);
        size(ir, case) <= MOST && eval::asserted(ir, &values) && self.indices.iter().all(named)
    }

    /// The layouts of one choice of consts and sizes.
    fn add_layouts(&self, consts: &[i64], sizes: &[i64], turn: usize, cases: &mut Vec<Case>) {
        let ir = self.ir;
        let has_alias = ir.buffers().any(|(_, buffer)| !buffer.aliases.is_empty());
        let has_stride = self.roles.contains(&Role::Stride);
        let mut layouts: Vec<Layout> = Vec::new();
        for layout in LAYOUTS {
            // Without a stride parameter, rows are dense in every layout.
            let layout = Layout {
                spacing: if has_stride {
                    layout.spacing
                } else {
                    Spacing::Dense
                },
                ..layout
            };
            if (has_alias || !layout.in_place) && !layouts.contains(&layout) {
                layouts.push(layout);
            }
        }
        let mut drawn: Vec<Case> = Vec::new();
        for (nth, layout) in layouts.into_iter().enumerate() {
            let seed = (cases.len() + drawn.len()) as u64;
            let decision = &self.decisions[(turn + nth) % self.decisions.len()];
            drawn.push(self.case(consts, sizes, decision, layout, seed));
        }
        drawn.retain(|case| self.fits(case));
        let many = drawn.first().is_some_and(|case| size(ir, case) > MANY);
        if many && drawn.len() > 2 {
            let other = drawn.remove(1 + cases.len() % (drawn.len() - 1));
            drawn.truncate(1);
            drawn.push(other);
        }
        cases.extend(drawn);
    }
}

/// The lengths of all buffers of a case.
fn total(ir: &Kernel, case: &Case) -> i128 {
    let values = case.values();
    ir.buffers().filter_map(|(id, _)| length(ir, id, &values)).sum()
}

/// The length of the longest buffer of a case.
pub(super) fn size(ir: &Kernel, case: &Case) -> i128 {
    largest(ir, &case.values()).unwrap_or(i128::MAX)
}

/// The scalar arguments of `values`.
fn scalars(ir: &Kernel, values: &Values) -> Vec<Option<Constant>> {
    let integer = |id: ParamId| values.params[&id];
    let scalar = |(id, param): (ParamId, &Param)| match param.kind {
        ParamKind::Buffer(_) => None,
        ParamKind::Scalar(Scalar::F32) => Some(Constant::F32(values.float_params[&id])),
        ParamKind::Scalar(Scalar::Bool) => Some(Constant::Bool(integer(id) != 0)),
        ParamKind::Scalar(ty) => Some(Constant::Integer(ty, integer(id).into())),
    };
    ir.params.iter().enumerate().map(scalar).collect()
}

/// The length of the longest buffer, in elements.
fn largest(ir: &Kernel, values: &Values) -> Option<i128> {
    let spans = ir.buffers().map(|(id, _)| length(ir, id, values));
    spans
        .collect::<Option<Vec<i128>>>()?
        .into_iter()
        .max()
        .or(Some(0))
}

/// The length of a buffer, in elements.
fn length(ir: &Kernel, id: ParamId, values: &Values) -> Option<i128> {
    let extents = shape::extents(ir, id, ir.buffer(id), values).ok()?;
    Some(shape::span(&extents))
}

#[cfg(test)]
mod tests;

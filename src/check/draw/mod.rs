//! The cases that a kernel is checked with, drawn from its shapes: any kernel's, not only this project's.

mod size;
mod stride;

use fastrand::Rng;
use oxysycl_codegen::Indices;
use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{Kernel, ParamId, ParamKind, Scalar};
use oxysycl_codegen::source::Constant;

use self::size::{Role, const_values, roles, sizes};
pub(super) use self::stride::aliases;
use super::case::{Case, Layout, Spacing};
use crate::launch::shape;

/// Numbers that no size follows from.
const FLOATS: [f32; 4] = [1e-6, 0.75, 1.5, 3.0];
const INTEGERS: [i64; 4] = [1, 0, 2, 3];

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
    let draw = Draw {
        ir,
        roles: roles(ir),
        indices: oxysycl_codegen::indices(ir),
        decisions: decisions(ir),
    };
    let choices = draw.choices();
    let mut cases = Vec::new();
    // Decisions take turns with choices and layouts; none is left out.
    let turns = choices.len().max(draw.decisions.len());
    for (turn, (consts, sizes)) in choices.iter().cycle().take(turns).enumerate() {
        draw.add_layouts(consts, sizes, turn, &mut cases);
    }
    cases
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

impl Draw<'_> {
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
        Case {
            consts: consts.to_vec(),
            scalars: scalars(self.ir, &values, seed),
            layout,
            absent: decision.absent.clone(),
            seed,
        }
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

/// Scalar arguments: the sizes and strides of `values`, and others that `seed` picks.
fn scalars(ir: &Kernel, values: &Values, seed: u64) -> Vec<Option<Constant>> {
    let pick = |count: usize, at: ParamId| (seed as usize + at) % count;
    let scalar = |(at, kind): (ParamId, &ParamKind)| match kind {
        ParamKind::Buffer(_) => None,
        ParamKind::Scalar(Scalar::F32) => Some(Constant::F32(FLOATS[pick(FLOATS.len(), at)])),
        ParamKind::Scalar(ty) => {
            let value = values
                .params
                .get(&at)
                .copied()
                .unwrap_or(INTEGERS[pick(INTEGERS.len(), at)]);
            Some(match ty {
                Scalar::Bool => Constant::Bool(value % 2 != 0),
                ty => Constant::Integer(*ty, value.into()),
            })
        }
    };
    ir.params
        .iter()
        .map(|param| &param.kind)
        .enumerate()
        .map(scalar)
        .collect()
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

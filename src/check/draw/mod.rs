//! The cases that a kernel is checked with, drawn from its shapes: any kernel's, not only this project's.

mod size;
mod stride;

use oxysycl_codegen::eval::Values;
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
    let roles = roles(ir);
    let sizes = sizes(&roles);
    let choices = choices(ir);
    let mut cases = Vec::new();
    let mut turn = 0;
    for consts in const_values(ir) {
        // Choices take turns with sizes and layouts; none is left out.
        for nth in 0..sizes.len().max(choices.len()) {
            let sizes = &sizes[nth % sizes.len()];
            add_layouts(ir, &roles, &consts, sizes, &choices, turn, &mut cases);
            turn += 1;
        }
    }
    cases
}

/// What launchers decide: values of parameters, and optional buffers that are not given.
#[derive(Clone, Debug, Default)]
struct Choice {
    values: Vec<(ParamId, i64)>,
    absent: Vec<ParamId>,
}

/// Every combination of what launchers decide.
fn choices(ir: &Kernel) -> Vec<Choice> {
    let mut all = vec![Choice::default()];
    for (id, _, values) in ir.specialized() {
        let with = |choice: &Choice, value: i64| {
            let mut choice = choice.clone();
            choice.values.push((id, value));
            choice
        };
        all = all
            .iter()
            .flat_map(|choice| values.iter().map(move |value| with(choice, *value)))
            .collect();
    }
    for (id, _) in ir.buffers().filter(|(_, buffer)| buffer.optional) {
        let without = |choice: &Choice| {
            let mut choice = choice.clone();
            choice.absent.push(id);
            choice
        };
        all = all
            .iter()
            .flat_map(|choice| [choice.clone(), without(choice)])
            .collect();
    }
    all
}

/// The layouts of one choice of consts and sizes.
fn add_layouts(
    ir: &Kernel,
    roles: &[Role],
    consts: &[i64],
    sizes: &[i64],
    choices: &[Choice],
    turn: usize,
    cases: &mut Vec<Case>,
) {
    let has_alias = ir.buffers().any(|(_, buffer)| !buffer.aliases.is_empty());
    let has_stride = roles.contains(&Role::Stride);
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
        let mut sizes = sizes.to_vec();
        let choice = &choices[(turn + nth) % choices.len()];
        for (id, value) in &choice.values {
            sizes[*id] = *value;
        }
        let values = stride::values(ir, roles, consts, &sizes, layout);
        let scalars = scalars(ir, &values, seed);
        drawn.push(Case {
            consts: consts.to_vec(),
            scalars,
            layout,
            absent: choice.absent.clone(),
            seed,
        });
    }
    let size = |case: &Case| largest(ir, &case.values()).unwrap_or(i128::MAX);
    drawn.retain(|case| size(case) <= MOST);
    let many = drawn.first().is_some_and(|case| size(case) > MANY);
    if many && drawn.len() > 2 {
        let other = drawn.remove(1 + cases.len() % (drawn.len() - 1));
        drawn.truncate(1);
        drawn.push(other);
    }
    cases.extend(drawn);
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
    let spans = ir
        .buffers()
        .map(|(id, buffer)| Some(shape::span(&shape::extents(ir, id, buffer, values).ok()?)));
    spans
        .collect::<Option<Vec<i128>>>()?
        .into_iter()
        .max()
        .or(Some(0))
}

#[cfg(test)]
mod tests;

//! The cases that a kernel is checked with, drawn from its shapes: any kernel's, not only this project's.

use std::fmt;

use oxysycl_codegen::Instance;
use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{DType, Expr, ExprKind, Grid, Kernel, ParamId, ParamKind, Scalar, StmtKind};
use oxysycl_codegen::source::Constant;

use crate::launch::shape;

/// Row widths: what sits beside powers of two, and the widths of models.
const WIDTHS: [i64; 18] = [
    1, 3, 7, 17, 63, 64, 65, 255, 256, 257, 767, 768, 769, 1000, 4096, 5120, 7168, 11008,
];
/// Numbers of rows.
const ROWS: [i64; 5] = [1, 2, 33, 1024, 0];
/// Lengths of flat buffers.
const LENGTHS: [i64; 13] = [0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 1023, 4096, 100_003];
/// Numbers that no size follows from.
const FLOATS: [f32; 4] = [1e-6, 0.75, 1.5, -2.0];
const INTEGERS: [i64; 4] = [1, 0, 2, 3];

/// A buffer of more elements is not drawn.
const MOST: i128 = 12 << 20;
/// With a buffer of more elements, two layouts are enough.
const MANY: i128 = 1 << 18;

/// One call of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Case {
    /// Const parameters, in order.
    pub(super) consts: Vec<i64>,
    /// Scalar arguments by parameter; `None` for buffers.
    pub(super) scalars: Vec<Option<Constant>>,
    /// How the buffers lie in memory.
    pub(super) layout: Layout,
    /// Decides the contents of the buffers.
    pub(super) seed: u64,
}

/// How buffers lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) rows: Rows,
    /// Buffers begin one element after an aligned address.
    pub(super) shifted: bool,
    /// Buffers that may be one, by `alias(..)`, are.
    pub(super) in_place: bool,
}

/// How far rows lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// One after the other.
    Dense,
    /// With gaps that keep rows aligned.
    Padded,
    /// With gaps such that no vector is aligned in every row.
    Odd,
}

const LAYOUTS: [Layout; 6] = [
    Layout {
        rows: Rows::Dense,
        shifted: false,
        in_place: false,
    },
    Layout {
        rows: Rows::Padded,
        shifted: false,
        in_place: false,
    },
    Layout {
        rows: Rows::Odd,
        shifted: false,
        in_place: false,
    },
    Layout {
        rows: Rows::Dense,
        shifted: true,
        in_place: false,
    },
    Layout {
        rows: Rows::Dense,
        shifted: false,
        in_place: true,
    },
    Layout {
        rows: Rows::Odd,
        shifted: true,
        in_place: true,
    },
];

/// What a scalar parameter is for. Where several fit, the last one here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Other,
    Length,
    Width,
    Rows,
    Stride,
}

/// All cases for a kernel, in an order that depends on nothing else.
pub(super) fn cases(ir: &Kernel) -> Vec<Case> {
    let roles = roles(ir);
    let mut cases = Vec::new();
    for consts in const_values(ir) {
        for sizes in sizes(&roles) {
            add_layouts(ir, &roles, &consts, &sizes, &mut cases);
        }
    }
    cases
}

/// The layouts of one choice of consts and sizes.
fn add_layouts(ir: &Kernel, roles: &[Role], consts: &[i64], sizes: &[i64], cases: &mut Vec<Case>) {
    let has_alias = ir.buffers().any(|(_, buffer)| !buffer.aliases.is_empty());
    let has_stride = roles.contains(&Role::Stride);
    let mut layouts: Vec<Layout> = Vec::new();
    for layout in LAYOUTS {
        // Without a stride parameter, rows are dense in every layout.
        let layout = Layout {
            rows: if has_stride { layout.rows } else { Rows::Dense },
            ..layout
        };
        if (has_alias || !layout.in_place) && !layouts.contains(&layout) {
            layouts.push(layout);
        }
    }
    let mut drawn: Vec<Case> = Vec::new();
    for layout in layouts {
        let seed = (cases.len() + drawn.len()) as u64;
        let values = values(ir, roles, consts, sizes, layout);
        let scalars = scalars(ir, &values, seed);
        drawn.push(Case {
            consts: consts.to_vec(),
            scalars,
            layout,
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

impl Case {
    /// The integers that sizes follow from.
    pub(super) fn values(&self) -> Values {
        let integer = |constant: &Constant| match constant {
            Constant::Integer(_, value) => i64::try_from(*value).ok(),
            Constant::Bool(value) => Some((*value).into()),
            Constant::F32(_) => None,
        };
        let params = self.scalars.iter().enumerate();
        Values {
            consts: self.consts.clone(),
            params: params
                .filter_map(|(id, scalar)| Some((id, integer(scalar.as_ref()?)?)))
                .collect(),
            ..Values::default()
        }
    }

    /// The case in words, such as `HIDDEN_SIZE=769 num_tokens=33 eps=1e-6, in place`.
    pub(super) fn describe(&self, ir: &Kernel) -> String {
        let consts = ir
            .consts
            .iter()
            .zip(&self.consts)
            .map(|(c, value)| format!("{}={value}", c.name));
        let scalars = ir.params.iter().zip(&self.scalars).filter_map(|(param, scalar)| {
            let value = match scalar.as_ref()? {
                Constant::Bool(value) => value.to_string(),
                Constant::Integer(_, value) => value.to_string(),
                Constant::F32(value) => format!("{value:?}"),
            };
            Some(format!("{}={value}", param.name))
        });
        let words: Vec<String> = consts.chain(scalars).collect();
        format!("{}{}", words.join(" "), self.layout)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.shifted {
            f.write_str(", unaligned")?;
        }
        if self.in_place {
            f.write_str(", in place")?;
        }
        Ok(())
    }
}

/// What each parameter is for.
fn roles(ir: &Kernel) -> Vec<Role> {
    let mut roles = vec![Role::Other; ir.params.len()];
    let mut give = |e: &Expr, role: Role| {
        e.walk(&mut |part| {
            if let ExprKind::Param(id) = part.kind {
                roles[id] = roles[id].max(role);
            }
        });
    };
    for stmt in &ir.host {
        if let StmtKind::Let(_, Some(init)) = &stmt.kind {
            give(init, Role::Rows);
        }
    }
    let (grid, single) = match &ir.grid {
        Grid::Groups { .. } => (Role::Rows, Role::Width),
        Grid::Elements { .. } => (Role::Length, Role::Length),
    };
    for (_, extent) in ir.grid.axes() {
        give(extent, grid);
    }
    for (_, buffer) in ir.buffers() {
        let inner = if buffer.shape.len() > 1 {
            Role::Width
        } else {
            single
        };
        for (at, dim) in buffer.shape.iter().enumerate() {
            give(
                &dim.extent,
                if at + 1 == buffer.shape.len() {
                    inner
                } else {
                    Role::Rows
                },
            );
            dim.stride.iter().for_each(|stride| give(stride, Role::Stride));
        }
    }
    roles
}

/// Choices of the const parameters: widths for those that are sizes, the author's instances for others.
fn const_values(ir: &Kernel) -> Vec<Vec<i64>> {
    let sizes: Vec<bool> = (0..ir.consts.len()).map(|id| is_size(ir, id)).collect();
    let steps = if sizes.contains(&true) { WIDTHS.len() } else { 1 };
    let mut all = Vec::new();
    for step in 0..steps {
        let mut choices: Vec<Vec<i64>> = vec![vec![]];
        for (id, param) in ir.consts.iter().enumerate() {
            let values: Vec<i64> = match () {
                () if param.ty == Scalar::Bool => vec![0, 1],
                // Several sizes take turns, so that they differ from one another.
                () if sizes[id] => vec![WIDTHS[(step + 5 * id) % WIDTHS.len()]],
                () if !param.instances.is_empty() => param.instances.clone(),
                () => INTEGERS.to_vec(),
            };
            let with = |head: &Vec<i64>| -> Vec<Vec<i64>> {
                values
                    .iter()
                    .map(|value| head.iter().copied().chain([*value]).collect())
                    .collect()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        all.extend(choices);
    }
    let dtypes: Vec<DType> = ir.types.iter().map(|param| param.dtypes[0]).collect();
    all.retain(|consts| Instance::new(ir, &dtypes, consts).is_ok());
    all
}

/// Whether a const parameter is in the extent of a buffer.
fn is_size(ir: &Kernel, id: usize) -> bool {
    let is_it = |e: &Expr| matches!(e.kind, ExprKind::Const(c) if c == id);
    ir.consts[id].ty != Scalar::Bool
        && ir
            .buffers()
            .any(|(_, buffer)| buffer.shape.iter().any(|dim| dim.extent.any(&mut |e| is_it(e))))
}

/// Choices of the sizes, by parameter: every number of rows with every width. Parameters of one role take turns.
fn sizes(roles: &[Role]) -> Vec<Vec<i64>> {
    let list = |role: Role| -> &[i64] {
        match role {
            Role::Rows => &ROWS,
            Role::Width => &WIDTHS,
            Role::Length => &LENGTHS,
            Role::Stride | Role::Other => &[0],
        }
    };
    let steps = |role: Role| {
        if roles.contains(&role) {
            list(role).len()
        } else {
            1
        }
    };
    let mut all = Vec::new();
    for length in 0..steps(Role::Length) {
        for width in 0..steps(Role::Width) {
            for row in 0..steps(Role::Rows) {
                let step = |role: Role| match role {
                    Role::Length => length,
                    Role::Width => width,
                    Role::Rows => row,
                    Role::Stride | Role::Other => 0,
                };
                let turn = |at: usize, role: Role| roles[..at].iter().filter(|r| **r == role).count();
                let size = |(at, role): (usize, &Role)| {
                    list(*role)[(step(*role) + turn(at, *role)) % list(*role).len()]
                };
                all.push(roles.iter().enumerate().map(size).collect());
            }
        }
    }
    all
}

/// Sizes, and strides that follow from them and the layout.
fn values(ir: &Kernel, roles: &[Role], consts: &[i64], sizes: &[i64], layout: Layout) -> Values {
    let counted = (0..roles.len()).filter(|id| roles[*id] != Role::Other && roles[*id] != Role::Stride);
    let mut values = Values {
        consts: consts.to_vec(),
        params: counted.map(|id| (id, sizes[id])).collect(),
        ..Values::default()
    };
    for (_, buffer) in ir.buffers() {
        let mut inner: i64 = 1;
        for dim in buffer.shape.iter().rev() {
            let count = eval::integer(&dim.extent, &values).unwrap_or(1).max(1);
            if let Some(stride) = &dim.stride {
                give_strides(
                    stride,
                    roles,
                    spaced(inner, values.params.len() as i64, layout.rows),
                    &mut values,
                );
            }
            let stride = dim
                .stride
                .as_ref()
                .and_then(|stride| eval::integer(stride, &values))
                .unwrap_or(inner);
            inner = count.saturating_mul(stride);
        }
    }
    if layout.in_place {
        share_strides(ir, &mut values);
    }
    values
}

/// Sets the stride parameters in `stride` to at least `spacing`.
fn give_strides(stride: &Expr, roles: &[Role], spacing: i64, values: &mut Values) {
    stride.walk(&mut |part| {
        if let ExprKind::Param(id) = part.kind
            && roles[id] == Role::Stride
        {
            let value = values.params.entry(id).or_insert(spacing);
            *value = spacing.max(*value);
        }
    });
}

/// A distance of rows of `width` elements; `nth` makes the strides of a kernel differ.
fn spaced(width: i64, nth: i64, rows: Rows) -> i64 {
    match rows {
        Rows::Dense => width,
        Rows::Padded => (width as u64).next_multiple_of(8) as i64 + 8 * nth,
        Rows::Odd => (width + 2 * nth) | 1,
    }
}

/// Buffers that are one have one layout.
fn share_strides(ir: &Kernel, values: &mut Values) {
    for (output, input) in aliases(ir) {
        let dims = ir.buffer(output).shape.iter().zip(&ir.buffer(input).shape);
        for (to, from) in dims.filter_map(|(output, input)| Some((param(input.stride.as_ref()?)?, output))) {
            let stride = from
                .stride
                .as_ref()
                .and_then(|stride| eval::integer(stride, values));
            stride
                .into_iter()
                .for_each(|stride| _ = values.params.insert(to, stride));
        }
    }
}

/// Pairs of buffers that may be one: the written one and the read one. Each written one goes with its first.
pub(super) fn aliases(ir: &Kernel) -> Vec<(ParamId, ParamId)> {
    ir.buffers()
        .filter_map(|(id, buffer)| Some((id, *buffer.aliases.first()?)))
        .collect()
}

fn param(e: &Expr) -> Option<ParamId> {
    match &e.kind {
        ExprKind::Param(id) => Some(*id),
        ExprKind::Cast(inner) => param(inner),
        _ => None,
    }
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

//! Sizes: what each parameter is for, and the values it takes.

use oxysycl_codegen::Instance;
use oxysycl_codegen::ir::{DType, Expr, ExprKind, Grid, Kernel, Scalar, StmtKind};

use super::assertion::INTEGERS;

/// Row widths: what sits beside powers of two, and the widths of models.
pub(super) const WIDTHS: [i64; 18] = [
    1, 3, 7, 17, 63, 64, 65, 255, 256, 257, 767, 768, 769, 1000, 4096, 5120, 7168, 11008,
];
/// The same for kernels of which much else is compiled for each: other const parameters, many element types, variants.
const FEW_WIDTHS: [i64; 6] = [1, 7, 64, 80, 258, 4096];
/// Numbers of rows.
pub(super) const ROWS: [i64; 5] = [1, 2, 33, 1024, 0];
/// Lengths of flat buffers.
pub(super) const LENGTHS: [i64; 13] = [0, 1, 2, 3, 7, 8, 9, 255, 256, 257, 1023, 4096, 100_003];
/// What a scalar parameter is for. Where several fit, the last one here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Other,
    Length,
    Width,
    Rows,
    Stride,
    /// One of the values that the kernel has variants for.
    Listed,
}

/// What each parameter is for.
pub(crate) fn roles(ir: &Kernel) -> Vec<Role> {
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
    ir.specialized().for_each(|(id, ..)| roles[id] = Role::Listed);
    roles
}

/// Choices of the const parameters: widths for those that are sizes, the author's instances for others.
pub(super) fn const_values(ir: &Kernel) -> Vec<Vec<i64>> {
    let sizes: Vec<bool> = (0..ir.consts.len()).map(|id| is_size(ir, id)).collect();
    let simple = ir.consts.len() == 1 && ir.combinations().len() <= 3 && !has_variants(ir);
    let widths: &[i64] = if simple { &WIDTHS } else { &FEW_WIDTHS };
    let steps = if sizes.contains(&true) { widths.len() } else { 1 };
    let mut all = Vec::new();
    for step in 0..steps {
        let mut choices: Vec<Vec<i64>> = vec![vec![]];
        for (id, param) in ir.consts.iter().enumerate() {
            let values: Vec<i64> = match () {
                () if param.ty == Scalar::Bool => vec![0, 1],
                // Several sizes take turns, so that they differ from one another.
                () if sizes[id] => vec![widths[(step + 3 * id) % widths.len()]],
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

/// Whether the launcher chooses between variants of the kernel.
fn has_variants(ir: &Kernel) -> bool {
    ir.specialized().next().is_some() || ir.buffers().any(|(_, buffer)| buffer.optional)
}

/// Whether a const parameter is in the extent of a buffer.
fn is_size(ir: &Kernel, id: usize) -> bool {
    let is_it = |e: &Expr| matches!(e.kind, ExprKind::Const(c) if c == id);
    ir.consts[id].ty != Scalar::Bool
        && ir
            .buffers()
            .any(|(_, buffer)| buffer.shape.iter().any(|dim| dim.extent.any(&mut |e| is_it(e))))
}

/// Choices of the sizes, by parameter: every number of rows with every width. Parameters of one role take turns, those of
/// many numbers of rows in several ways.
pub(super) fn sizes(roles: &[Role]) -> Vec<Vec<i64>> {
    let list = |role: Role| -> &[i64] {
        match role {
            Role::Rows => &ROWS,
            Role::Width => &WIDTHS,
            Role::Length => &LENGTHS,
            Role::Stride | Role::Listed | Role::Other => &[0],
        }
    };
    let steps = |role: Role| match roles.iter().filter(|r| **r == role).count() {
        0 => 1,
        1 | 2 => list(role).len(),
        _ => 3 * list(role).len(),
    };
    let mut all = Vec::new();
    for length in 0..steps(Role::Length) {
        for width in 0..steps(Role::Width) {
            for row in 0..steps(Role::Rows) {
                let step = |role: Role| match role {
                    Role::Length => length,
                    Role::Width => width,
                    Role::Rows => row,
                    Role::Stride | Role::Listed | Role::Other => 0,
                };
                let turn = |at: usize, role: Role| roles[..at].iter().filter(|r| **r == role).count();
                let size = |(at, role): (usize, &Role)| {
                    let list = list(*role);
                    let round = 1 + step(*role) / list.len();
                    list[(step(*role) + turn(at, *role) * round) % list.len()]
                };
                all.push(roles.iter().enumerate().map(size).collect());
            }
        }
    }
    all
}

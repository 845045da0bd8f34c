//! The schedule: which work-items do what, decided apart from what is computed.
//!
//! The lanes of a row are dealt to the work-items that share it in runs of one vector, round robin. Every loop of a kernel
//! deals in the same way, which the barrier rules of [`check`](crate::check) rely on.
//!
//! | | CPU | GPU |
//! |---|---|---|
//! | vectors | of one element: a sub-group *is* the vector | of 16 bytes |
//! | a row whose work-items work together | a sub-group | a work-group; a sub-group if it is short |
//! | a short row of independent lanes | a sub-group, with a loop over rows | one of several in a work-group |
//! | a long one, and `elements` | some thousand lanes a work-group | a vector a work-item |

mod dealing;
mod form;
mod variant;
mod vector;

use crate::check::{self, Poly};
use crate::ir::{DType, Element, Expr, ExprKind, Grid, Kernel, ParamId, Scalar, StmtKind, Type, walk};

pub use self::dealing::Dealing;
pub(crate) use self::vector::{GRID, LoopVectors, Plan, Vector, Vectors};

/// Work-items of a work-group on a GPU, at most, where those of a row work together.
const TOGETHER: u32 = 256;
/// And where a row is a sub-group's, or each works for itself.
const APART: u32 = 128;
/// Vectors of a row that a sub-group does, at most: two for each of its work-items.
const SHORT_ROW: u32 = 32;
/// Work-items of a sub-group.
const SUB_GROUP: u32 = 16;
/// Bytes that one work-item loads at once.
const VECTOR_BYTES: u32 = 16;

/// How a kernel runs.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// Who does which lanes.
    pub(crate) dealing: Dealing,
    /// Work-items of a work-group, at most; fewer where a row has fewer vectors, or the device allows fewer.
    pub(crate) work_group: WorkGroup,
    /// Rows of a constant number of vectors, up to this one, are a sub-group's where their work-items work together.
    pub(crate) short_row: Option<u32>,
    /// Work-items of a sub-group; work-groups are whole sub-groups.
    pub(crate) sub_group: u32,
    /// Whether sub-groups have exactly so many work-items, or devices choose how many.
    pub(crate) sub_group_fixed: bool,
    /// Elements per vector; `None` where nothing is accessed in vectors.
    pub(crate) width: Option<Width>,
    /// Whether CPUs access vectors too: else neighbouring work-items access neighbouring elements there.
    pub(crate) vectors_on_cpu: bool,
    /// What is accessed in vectors, loop by loop, and when that is aligned.
    pub(crate) vectors: Vectors,
}

impl Schedule {
    /// The most elements that a vector may have, whatever the element types.
    pub(crate) fn longest_vector(&self, kernel: &Kernel) -> u32 {
        match self.width {
            None => 1,
            Some(Width::Fixed(elements)) => elements,
            Some(Width::Bytes(bytes)) => {
                let widest = self.vectors.bases.iter().map(|id| least_size(kernel, *id)).max();
                bytes / widest.unwrap_or(1)
            }
        }
    }
}

/// A number of work-items for each class of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkGroup {
    /// On CPUs.
    pub cpu: u32,
    /// On GPUs.
    pub gpu: u32,
}

/// Bytes of the smallest element that a buffer may hold.
fn least_size(kernel: &Kernel, buffer: ParamId) -> u32 {
    let sizes = |dtypes: &[DType]| dtypes.iter().map(|dtype| dtype.size()).min();
    let least = match kernel.buffer(buffer).element {
        Element::Param(id) => sizes(&kernel.types[id].dtypes),
        Element::DType(dtype) => sizes(&[dtype]),
    };
    least.and_then(|size| u32::try_from(size).ok()).unwrap_or(1)
}

/// Elements per vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// As many as the author says.
    Fixed(u32),
    /// As many of the widest element type as fill this many bytes.
    Bytes(u32),
}

/// Plans a checked kernel.
pub(crate) fn schedule(kernel: &Kernel) -> Schedule {
    let attributes = &kernel.attributes;
    let vectors = match attributes.vector {
        Some(1) => Vectors::default(),
        _ => vector::find(kernel),
    };
    let width = attributes.vector.map_or(Width::Bytes(VECTOR_BYTES), Width::Fixed);
    let sub_group = attributes.sub_group.unwrap_or(SUB_GROUP);
    let extents = extents(kernel);
    let dealing = Dealing::of(kernel, &extents);
    let may_be_short = dealing == Dealing::Together
        && attributes.work_group.is_none()
        && !extents.is_empty()
        && extents.iter().all(|extent| is_constant(extent));
    let gpu = match dealing {
        Dealing::Together => TOGETHER,
        Dealing::Apart | Dealing::Split => APART,
    };
    Schedule {
        dealing,
        work_group: WorkGroup {
            cpu: attributes.work_group.unwrap_or(sub_group),
            gpu: attributes.work_group.unwrap_or(gpu),
        },
        short_row: may_be_short.then_some(SHORT_ROW),
        sub_group,
        // Elementwise kernels run with any, unless the author fixes it.
        sub_group_fixed: attributes.sub_group.is_some() || matches!(kernel.grid, Grid::Groups { .. }),
        vectors_on_cpu: attributes.vector.is_some(),
        width: (!vectors.is_empty()).then_some(width),
        vectors,
    }
}

/// The extents of a kernel's `lanes` loops, or of its `elements`, each once.
pub(crate) fn extents(kernel: &Kernel) -> Vec<&Expr> {
    let known = check::known_values(kernel);
    let mut seen: Vec<Poly> = Vec::new();
    let mut extents = Vec::new();
    let mut note = |extent| {
        let poly = known.poly(extent);
        if !seen.contains(&poly) {
            seen.push(poly);
            extents.push(extent);
        }
    };
    if let Grid::Elements { extent, .. } = &kernel.grid {
        note(extent);
    }
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            note(&lanes.extent);
        }
    });
    extents
}

/// Whether an expression is known when the kernel is compiled, whatever its arguments.
pub(crate) fn is_constant(e: &Expr) -> bool {
    !e.any(&mut |e| !is_constant_part(e))
}

/// Whether an expression is known when the kernel's functor is compiled, for which launchers decide something.
pub(crate) fn is_decided(e: &Expr, kernel: &Kernel) -> bool {
    !e.any(&mut |e| match e.kind {
        ExprKind::Param(id) => kernel.params[id].values.is_empty(),
        ExprKind::IsEmpty(_) => false,
        _ => !is_constant_part(e),
    })
}

/// Arithmetic on floats is no constant: C++ takes no infinity and no NaN there.
fn is_constant_part(e: &Expr) -> bool {
    let is_float = e.ty == Type::Scalar(Scalar::F32) && matches!(e.kind, ExprKind::Binary(..));
    let is_known = matches!(
        e.kind,
        ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Float(_)
            | ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cast(_)
            | ExprKind::Select(..)
    );
    is_known && !is_float
}

#[cfg(test)]
mod tests;

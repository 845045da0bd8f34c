//! What a launcher does.

use super::{Expr, Stmt};
use crate::ir::{Element, LocalId, ParamId, Scalar};
use crate::schedule::{Dealing, WorkGroup};

/// A launcher: steps, then the submission of the first variant whose conditions hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The parameters that it looks at.
    pub params: Vec<ParamId>,
    /// What it does before it submits, in order.
    pub steps: Vec<Step>,
    /// What it hands to work-items.
    pub members: Vec<Member>,
    /// What becomes a constant of the variant that it submits.
    pub decisions: Vec<Decision>,
    /// The width of the widest vectors; `None` where nothing is accessed in vectors.
    pub width: Option<Width>,
    /// The variants, best first. The last one has no conditions.
    pub variants: Vec<Variant>,
    /// Work-items and work-groups.
    pub grid: Grid,
}

impl Launch {
    /// What is worked out before the grid.
    pub fn host(&self) -> impl Iterator<Item = &Stmt> {
        self.steps.iter().filter_map(|step| match step {
            Step::Host(stmt) => Some(stmt),
            _ => None,
        })
    }
}

/// A step of a launcher. What refuses says why.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Refuses a queue that is null.
    NullQueue,
    /// Refuses values of a parameter that there is no variant for.
    Values(ParamId, Scalar, Vec<i64>),
    /// Does not compile where a const parameter is negative: a macro may set it to what is no instance.
    NegativeConst(usize),
    /// Notes whether an optional buffer is there.
    Given(ParamId),
    /// Refuses a size or a stride that is negative.
    Negative(ParamId),
    /// Host arithmetic, and what its author asserts.
    Host(Stmt),
    /// Returns where one of these numbers of groups says that there is nothing to do. With whether it may be negative.
    NoGroups(Vec<(Expr, bool)>),
    /// Refuses a grid of more groups than an `i64` counts: two numbers, each at least 1.
    TooManyGroups(Expr, Expr),
    /// Notes where the elements of a buffer are.
    Region(Region),
    /// Returns where one of these buffers, which every group accesses, has no elements.
    NoElements(Vec<ParamId>),
    /// Refuses a buffer that is null, too large or not aligned to its elements.
    Unusable(ParamId),
    /// Refuses a buffer whose rows overlap.
    RowsOverlap(ParamId),
    /// Refuses two buffers that overlap.
    Overlap {
        /// The one that is written.
        buffer: ParamId,
        /// The other.
        other: ParamId,
        /// Whether they may be one and the same, row by row.
        alias: bool,
    },
    /// From here on the queue is at hand.
    Queue,
    /// Refuses a device without sub-groups of so many work-items.
    SubGroup(u32),
}

/// The elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The buffer.
    pub buffer: ParamId,
    /// Strided dimensions, outermost first: up to two.
    pub dims: Vec<Dim>,
    /// The contiguous run inside: factors of its length.
    pub run: Vec<Extent>,
}

/// A strided dimension of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Dim {
    /// Number of positions.
    pub extent: Extent,
    /// Elements from one position to the next: factors.
    pub stride: Vec<Extent>,
}

/// A number of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// The number.
    pub value: Expr,
    /// Parameters in it that a caller need not know: with `INT64_MAX` for one of them, one position is looked at.
    pub untold: Vec<ParamId>,
}

/// What work-items are handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// A parameter.
    Param(ParamId),
    /// A variable of the launcher.
    Local(LocalId),
}

/// What becomes a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it is.
    pub subject: Subject,
    /// Its type.
    pub ty: Scalar,
    /// The values that it may have, `bool` as 0 or 1.
    pub values: Vec<i64>,
}

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The value of a parameter.
    Param(ParamId),
    /// Whether an optional buffer is there.
    Given(ParamId),
}

/// Elements of the widest vectors: as many as one bound allows, and such that rows of constant length come out even.
#[derive(Clone, Debug, PartialEq)]
pub struct Width {
    /// At most so many.
    pub most: Most,
    /// Lengths of rows, known when a variant is compiled.
    pub rows: Vec<Expr>,
}

/// The most elements of a vector.
#[derive(Clone, Debug, PartialEq)]
pub enum Most {
    /// So many.
    Elements(u32),
    /// As many of the largest of these element types as so many bytes hold.
    Bytes(u32, Vec<Element>),
}

/// One way to run the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// All that has to hold for it.
    pub conditions: Vec<Condition>,
    /// Whether its vectors have the launch's width; else their width is 1.
    pub vectors: bool,
}

/// What a variant needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The device is no CPU.
    NoCpu,
    /// A buffer starts where a vector may.
    Aligned(ParamId),
    /// A number is a multiple of the vector width.
    Multiple(Expr),
}

/// The grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// What the work-items of a row share: a row has no more work-items than the largest of these. One each where there is
    /// none.
    pub shared: Vec<Expr>,
    /// Work-items of a work-group, at most.
    pub work_group: WorkGroup,
    /// Work-items of a sub-group: work-groups whose work-items work together are whole sub-groups.
    pub sub_group: u32,
    /// Factors of the number of rows; `None` for one that all work-items share.
    pub rows: Option<Vec<Expr>>,
    /// How rows are dealt to work-groups.
    pub dealing: Dealing,
    /// What is shared, up to which a row is a sub-group's, and work-groups have several.
    pub short_row: Option<u32>,
    /// The variable of work-items with the number of lanes that a work-group does of a row.
    pub chunk: Option<LocalId>,
}

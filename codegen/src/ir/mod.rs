//! The typed form of a kernel: pure data, made by the front end, judged by the checks, planned by the schedule and
//! written out by the emission.

mod expr;
mod math;
mod reduce;
mod scan;
mod search;
mod stmt;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

pub use self::expr::{Binary, Expr, ExprKind, Unary, Valued};
pub use self::math::{Accuracy, Bounds, Library, Math, MathRow, Slot, Syntax};
pub use self::reduce::{Combines, GroupFunction, GroupWord, Identity, Reduce, ReduceRow, SCAN_SUM};
pub use self::scan::{Scan, scanned, scans};
pub use self::search::{Search, search};
pub use self::stmt::{
    Assertion, For, Lanes, Place, Stmt, StmtId, StmtKind, Update, reads, walk, walk_exprs, walk_exprs_mut,
};
pub use self::types::{DType, DTypeRow, Scalar, Type};

/// Position of a parameter in a kernel's or function's list.
pub type ParamId = usize;
/// Position in a function's list of locals.
pub type LocalId = usize;
/// Position in a kernel's list of rows.
pub type RowId = usize;

/// A kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name of the Rust function.
    pub name: String,
    /// Its doc comment, line by line.
    pub docs: Vec<String>,
    /// What the attribute says.
    pub attributes: Attributes,
    /// Type parameters, in order.
    pub types: Vec<TypeParam>,
    /// Type parameters that are chosen together, in order; each is in one group, most alone.
    pub type_groups: Vec<TypeGroup>,
    /// Const parameters, in order.
    pub consts: Vec<ConstParam>,
    /// Parameters, in order: also the C signature behind the queue.
    pub params: Vec<Param>,
    /// `let` bindings and loop indices.
    pub locals: Vec<Local>,
    /// Rows that the body binds.
    pub rows: Vec<Row>,
    /// Statements before the grid: host code on scalars.
    pub host: Vec<Stmt>,
    /// The grid.
    pub grid: Grid,
    /// What one group, or one element, does.
    pub body: Vec<Stmt>,
    /// The `#[sycl_fn]` functions it calls, each after those that it calls itself.
    pub functions: Vec<Function>,
    /// Statements before which the work-items of a row wait for each other. The checks find them.
    pub barriers: BTreeSet<StmtId>,
}

/// A type parameter with its instantiations.
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// Name in Rust.
    pub name: String,
    /// The element types it stands for.
    pub dtypes: Vec<DType>,
}

/// Neighbouring type parameters whose element types go together.
#[derive(Clone, Debug)]
pub struct TypeGroup {
    /// The parameters, by position.
    pub params: Vec<usize>,
    /// The choices: one element type for each parameter.
    pub rows: Vec<Vec<DType>>,
}

/// A const parameter.
#[derive(Clone, Debug)]
pub struct ConstParam {
    /// Name in Rust.
    pub name: String,
    /// An integer type or `bool`.
    pub ty: Scalar,
    /// The values compiled when no macro selects one.
    pub instances: Vec<i64>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name in Rust.
    pub name: String,
    /// What is passed.
    pub kind: ParamKind,
    /// The values that it may have, by `specialize(..)`, `bool` as 0 or 1: the launcher makes each of them a constant. Empty
    /// where it may have any.
    pub values: Vec<i64>,
    /// The name's token.
    pub span: Span,
}

/// What a parameter passes.
#[derive(Clone, Debug)]
pub enum ParamKind {
    /// `&[T]` or `&mut [T]`: device memory.
    Buffer(Buffer),
    /// A number.
    Scalar(Scalar),
}

/// A buffer parameter.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What it holds.
    pub element: Element,
    /// Whether it is `&mut`.
    pub mutable: bool,
    /// Its shape by `shapes(..)`, outermost dimension first.
    pub shape: Vec<Dim>,
    /// Whether it may be null, by `optional(..)`.
    pub optional: bool,
    /// Read-only buffers that may be this very memory, by `alias(..)`.
    pub aliases: Vec<ParamId>,
    /// The buffer of indices by which its rows are addressed, by `scatter(..)`: those from 0 on are distinct.
    pub scattered_by: Option<ParamId>,
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A type parameter, by position.
    Param(usize),
    /// One type always.
    DType(DType),
}

/// One dimension of a shape.
#[derive(Clone, Debug)]
pub struct Dim {
    /// Number of positions.
    pub extent: Expr,
    /// Elements from one position to the next; `None` where the dimensions inside follow without a gap.
    pub stride: Option<Expr>,
}

/// A `let` binding, loop index or function parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name in Rust.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is `mut`.
    pub mutable: bool,
    /// The name's token.
    pub span: Span,
}

/// A view into a buffer from an offset on.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name in Rust.
    pub name: String,
    /// The buffers that it may lie in, all of which hold the same.
    pub buffers: Vec<ParamId>,
    /// The name's token.
    pub span: Span,
}

/// Where a row begins.
#[derive(Clone, Debug)]
pub enum Start {
    /// `buffer.row(offset)`: so many elements from the buffer's start.
    At(ParamId, Expr),
    /// `if c { .. } else { .. }` with a row in each branch; both hold elements of one type.
    Either(Expr, Box<Start>, Box<Start>),
}

impl Start {
    /// Calls `visit` on the conditions and offsets in it, in source order.
    pub fn exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Start::At(_, offset) => visit(offset),
            Start::Either(cond, a, b) => {
                visit(cond);
                a.exprs(visit);
                b.exprs(visit);
            }
        }
    }

    /// Calls `visit` on the conditions and offsets in it.
    pub fn exprs_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Start::At(_, offset) => visit(offset),
            Start::Either(cond, a, b) => {
                visit(cond);
                a.exprs_mut(visit);
                b.exprs_mut(visit);
            }
        }
    }

    /// The buffers with the offsets in them, in source order.
    pub fn places(&self) -> Vec<(ParamId, &Expr)> {
        match self {
            Start::At(buffer, offset) => vec![(*buffer, offset)],
            Start::Either(_, a, b) => [a.places(), b.places()].concat(),
        }
    }
}

/// The grid of a kernel.
#[derive(Clone, Debug)]
pub enum Grid {
    /// `for g in groups(n)` or `for (a, b) in groups((n, m))`: the last index runs fastest.
    Groups {
        /// The indices.
        indices: Vec<LocalId>,
        /// Number of groups along each.
        extents: Vec<Expr>,
    },
    /// `for i in elements(n)`.
    Elements {
        /// The index.
        index: LocalId,
        /// Number of elements.
        extent: Expr,
    },
}

impl Grid {
    /// Indices with their extents.
    pub fn axes(&self) -> Vec<(LocalId, &Expr)> {
        match self {
            Grid::Groups { indices, extents } => indices.iter().copied().zip(extents).collect(),
            Grid::Elements { index, extent } => vec![(*index, extent)],
        }
    }
}

/// A `#[sycl_fn]`: scalars in, a scalar out.
#[derive(Clone, Debug)]
pub struct Function {
    /// Path by which callers name it, unique within a kernel.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// Its doc comment, line by line.
    pub docs: Vec<String>,
    /// Parameters: the first of `locals`.
    pub params: Vec<LocalId>,
    /// Parameters, `let` bindings and loop indices.
    pub locals: Vec<Local>,
    /// Type of the value.
    pub returns: Scalar,
    /// The body.
    pub body: Valued,
}

/// What `#[sycl_kernel(..)]` says besides types, shapes and aliases, which live with their parameters.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Exported C name, with `{T}` for parameters.
    pub symbol: String,
    /// File that the kernel is emitted into.
    pub header: String,
    /// `-D` macro that selects a const or type parameter's instance, by parameter name.
    pub select: Vec<(String, String)>,
    /// Fixed work-group size; `None` leaves it to the schedule.
    pub work_group: Option<u32>,
    /// Fixed sub-group size.
    pub sub_group: Option<u32>,
    /// Fixed vector width in elements.
    pub vector: Option<u32>,
    /// A second export.
    pub drop_in: Option<DropIn>,
}

/// A second C export with a signature that others fixed, which forwards to the kernel.
#[derive(Clone, Debug)]
pub struct DropIn {
    /// Exported C name, with `{T}` for parameters.
    pub symbol: String,
    /// Its parameters in C order, behind the queue. Shapes are only with those of the kernel.
    pub params: Vec<Param>,
    /// Where each parameter of the kernel comes from, in order.
    pub given: Vec<Given>,
}

/// Where a drop-in has a parameter of the kernel from.
#[derive(Clone, Debug)]
pub enum Given {
    /// From its own parameter at this position.
    Passed(usize),
    /// Worked out; [`ExprKind::Param`] in it is the position of one of the drop-in's own.
    Value(Expr),
    /// It is not told: `INT64_MAX` stands for however many there are. With the word's token.
    Unbounded(Span),
}

impl Kernel {
    /// Signed parameters that `shapes(..)`, the grid or a `lanes` loop counts with. Launchers refuse negative ones.
    pub fn sizes(&self) -> BTreeSet<ParamId> {
        let mut counted = BTreeSet::new();
        let mut count = |e: &Expr| {
            e.walk(&mut |part| {
                if let ExprKind::Param(id) = part.kind
                    && matches!(self.params[id].kind, ParamKind::Scalar(ty) if ty.is_signed())
                {
                    counted.insert(id);
                }
            });
        };
        for (_, buffer) in self.buffers() {
            for dim in &buffer.shape {
                count(&dim.extent);
                dim.stride.iter().for_each(&mut count);
            }
        }
        self.grid.axes().into_iter().for_each(|(_, extent)| count(extent));
        walk(&self.body, &mut |stmt| {
            if let StmtKind::Lanes(lanes) = &stmt.kind {
                count(&lanes.extent);
            }
        });
        counted
    }

    /// The parameters that the launcher makes constants, by `specialize(..)`.
    pub fn specialized(&self) -> impl Iterator<Item = (ParamId, Scalar, &[i64])> {
        self.params
            .iter()
            .enumerate()
            .filter_map(|(id, param)| match param.kind {
                ParamKind::Scalar(ty) if !param.values.is_empty() => Some((id, ty, &*param.values)),
                _ => None,
            })
    }

    /// Parameters that the drop-in does not tell, with the words that say so.
    pub fn unbounded(&self) -> BTreeMap<ParamId, Span> {
        let given = self.attributes.drop_in.iter().flat_map(|drop_in| &drop_in.given);
        given
            .enumerate()
            .filter_map(|(id, given)| match given {
                Given::Unbounded(at) => Some((id, *at)),
                _ => None,
            })
            .collect()
    }

    /// Calls `visit` on every expression: those of shapes, of host code, of the grid, of its body and of functions.
    pub fn walk_exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for (_, buffer) in self.buffers() {
            for dim in &buffer.shape {
                dim.extent.walk(visit);
                dim.stride.iter().for_each(|stride| stride.walk(visit));
            }
        }
        walk_exprs(&self.host, visit);
        self.grid
            .axes()
            .into_iter()
            .for_each(|(_, extent)| extent.walk(visit));
        walk_exprs(&self.body, visit);
        for function in &self.functions {
            walk_exprs(&function.body.stmts, visit);
            function.body.value.walk(visit);
        }
    }

    /// Calls `visit` on every expression but those of functions, parts before the whole.
    pub fn walk_own_exprs_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        for param in &mut self.params {
            if let ParamKind::Buffer(buffer) = &mut param.kind {
                for dim in &mut buffer.shape {
                    dim.extent.walk_mut(visit);
                    dim.stride.iter_mut().for_each(|stride| stride.walk_mut(visit));
                }
            }
        }
        walk_exprs_mut(&mut self.host, visit);
        match &mut self.grid {
            Grid::Groups { extents, .. } => extents.iter_mut().for_each(|e| e.walk_mut(visit)),
            Grid::Elements { extent, .. } => extent.walk_mut(visit),
        }
        walk_exprs_mut(&mut self.body, visit);
    }

    /// Every combination of element types, in the order of the type parameters; the last group changes fastest.
    pub fn combinations(&self) -> Vec<Vec<DType>> {
        self.type_groups.iter().fold(vec![vec![]], |all, group| {
            let with = |head: &Vec<DType>| -> Vec<Vec<DType>> {
                let rows = group.rows.iter();
                rows.map(|row| [&head[..], row].concat()).collect()
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// The buffers that a place may lie in.
    pub fn buffers_of(&self, place: Place) -> Vec<ParamId> {
        match place {
            Place::Buffer(param) => vec![param],
            Place::Row(row) => self.rows[row].buffers.clone(),
        }
    }

    /// One of the buffers that a place may lie in, all of which hold the same and may be written alike.
    pub fn buffer_like(&self, place: Place) -> &Buffer {
        self.buffer(self.buffers_of(place)[0])
    }

    /// The name of a place in Rust.
    pub fn place_name(&self, place: Place) -> &str {
        match place {
            Place::Buffer(param) => &self.params[param].name,
            Place::Row(row) => &self.rows[row].name,
        }
    }

    /// The buffer parameters.
    pub fn buffers(&self) -> impl Iterator<Item = (ParamId, &Buffer)> {
        self.params
            .iter()
            .enumerate()
            .filter_map(|(id, p)| match &p.kind {
                ParamKind::Buffer(b) => Some((id, b)),
                ParamKind::Scalar(_) => None,
            })
    }

    /// The buffer that parameter `id` is.
    ///
    /// # Panics
    /// If it is a scalar; places name only buffers.
    pub fn buffer(&self, id: ParamId) -> &Buffer {
        match &self.params[id].kind {
            ParamKind::Buffer(b) => b,
            ParamKind::Scalar(_) => unreachable!("places name only buffers"),
        }
    }

    /// The type of a buffer's elements as values.
    pub fn value_of(&self, element: Element) -> Scalar {
        match element {
            Element::Param(id) => self.types[id].dtypes[0].value(),
            Element::DType(dtype) => dtype.value(),
        }
    }

    /// Whether two buffers may be the same memory with the same layout, by `alias(..)`.
    pub fn may_alias(&self, a: ParamId, b: ParamId) -> bool {
        a == b || self.buffer(a).aliases.contains(&b) || self.buffer(b).aliases.contains(&a)
    }
}

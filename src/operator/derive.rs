//! Which of a kernel's numbers its arrays tell.

use std::collections::BTreeSet;

use oxysycl_codegen::ir::{self, Expr, ExprKind, Kernel as Ir, ParamId, ParamKind, Place};

/// A number that sizes are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    /// A scalar parameter.
    Param(ParamId),
    /// A const parameter, by position.
    Const(usize),
}

/// A dimension of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dimension {
    pub(super) buffer: ParamId,
    pub(super) at: usize,
}

/// How a number follows from arrays, once those before it are known.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The extent of the dimension is made of it and of known numbers.
    Extent(Symbol, Dimension),
    /// The stride of each of these is it, as far as there is more than one position.
    Stride(Symbol, Vec<Dimension>),
}

/// What follows from what.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    /// What inputs tell, and then what results do, in this order.
    pub(super) steps: Vec<Step>,
    /// What is to be said, in the order of the kernel's parameters.
    asked: Vec<Symbol>,
    results: Vec<ParamId>,
    /// Buffers whose outermost dimension the grid runs over.
    batched: Vec<ParamId>,
}

impl Derived {
    pub(super) fn new(ir: &Ir) -> Self {
        let read = read_buffers(ir);
        let is_result = |id: ParamId, buffer: &ir::Buffer| {
            buffer.mutable && buffer.scattered_by.is_none() && !read.contains(&id)
        };
        let of = |wanted: &dyn Fn(ParamId, &ir::Buffer) -> bool| -> Vec<ParamId> {
            ir.buffers()
                .filter(|(id, buffer)| wanted(*id, buffer))
                .map(|(id, _)| id)
                .collect()
        };
        let results = of(&is_result);
        // An array that need not be given tells nothing.
        let inputs = of(&|id, buffer| !is_result(id, buffer) && !buffer.optional);
        let mut unknown = numbers(ir);
        let mut steps = extents(ir, &inputs, &mut unknown);
        steps.extend(strides(ir, inputs.iter().chain(&results), &mut unknown));
        let order = |symbol: &Symbol| match *symbol {
            Symbol::Param(id) => (1, id),
            Symbol::Const(at) => (0, at),
        };
        let mut asked: Vec<Symbol> = unknown.into_iter().collect();
        asked.extend(plain_numbers(ir));
        asked.sort_by_key(order);
        Self {
            steps,
            asked,
            results,
            batched: batched(ir),
        }
    }

    pub(super) fn asked(&self) -> impl Iterator<Item = Symbol> {
        self.asked.iter().copied()
    }

    pub(super) fn results(&self) -> impl Iterator<Item = ParamId> {
        self.results.iter().copied()
    }

    pub(super) fn is_batched(&self, param: ParamId) -> bool {
        self.batched.contains(&param)
    }
}

/// The buffers that the kernel loads from.
fn read_buffers(ir: &Ir) -> BTreeSet<ParamId> {
    let mut read = BTreeSet::new();
    let mut load = |place: &Place| read.extend(ir.buffers_of(*place));
    ir.walk_exprs(&mut |e| {
        if let ExprKind::Load(place, _) = &e.kind {
            load(place);
        }
    });
    read
}

/// The integers of a kernel: what its sizes can be made of.
fn numbers(ir: &Ir) -> BTreeSet<Symbol> {
    let consts = ir.consts.iter().enumerate();
    let consts = consts.filter(|(_, param)| param.ty.is_integer());
    let params = ir.params.iter().enumerate();
    let params = params.filter(|(_, param)| matches!(param.kind, ParamKind::Scalar(ty) if ty.is_integer()));
    consts
        .map(|(at, _)| Symbol::Const(at))
        .chain(params.map(|(id, _)| Symbol::Param(id)))
        .collect()
}

/// The other numbers of a kernel.
fn plain_numbers(ir: &Ir) -> Vec<Symbol> {
    let integers = numbers(ir);
    let consts = (0..ir.consts.len()).map(Symbol::Const);
    let params = ir.params.iter().enumerate();
    let params = params.filter(|(_, param)| matches!(param.kind, ParamKind::Scalar(_)));
    consts
        .chain(params.map(|(id, _)| Symbol::Param(id)))
        .filter(|symbol| !integers.contains(symbol))
        .collect()
}

/// What the extents of `inputs` tell: each that has one unknown number gives it. Where a sum has several, all of them are
/// to be said, and it tells none.
fn extents(ir: &Ir, inputs: &[ParamId], unknown: &mut BTreeSet<Symbol>) -> Vec<Step> {
    let dimensions = || {
        inputs.iter().flat_map(|&buffer| {
            let dims = ir.buffer(buffer).shape.iter().enumerate();
            dims.map(move |(at, dim)| (Dimension { buffer, at }, symbols(&dim.extent)))
        })
    };
    let mut steps = Vec::new();
    loop {
        let found = dimensions().find_map(|(dimension, symbols)| {
            let mut open = symbols.intersection(unknown);
            let (first, second) = (open.next(), open.next());
            first
                .filter(|_| second.is_none())
                .map(|symbol| (*symbol, dimension))
        });
        let Some((symbol, dimension)) = found else {
            return steps;
        };
        unknown.remove(&symbol);
        steps.push(Step::Extent(symbol, dimension));
    }
}

/// What strides of `buffers` tell.
fn strides<'a>(
    ir: &Ir,
    buffers: impl Iterator<Item = &'a ParamId>,
    unknown: &mut BTreeSet<Symbol>,
) -> Vec<Step> {
    let mut steps: Vec<(Symbol, Vec<Dimension>)> = Vec::new();
    for &buffer in buffers {
        for (at, dim) in ir.buffer(buffer).shape.iter().enumerate() {
            let Some(symbol) = dim.stride.as_ref().and_then(symbol) else {
                continue;
            };
            let dimension = Dimension { buffer, at };
            if let Some((_, places)) = steps.iter_mut().find(|(known, _)| *known == symbol) {
                places.push(dimension);
            } else if unknown.remove(&symbol) {
                steps.push((symbol, vec![dimension]));
            }
        }
    }
    steps
        .into_iter()
        .map(|(symbol, places)| Step::Stride(symbol, places))
        .collect()
}

/// The buffers whose outermost extent is a number that the grid runs over.
fn batched(ir: &Ir) -> Vec<ParamId> {
    let grid: BTreeSet<Symbol> = ir
        .grid
        .axes()
        .into_iter()
        .filter_map(|(_, extent)| symbol(extent))
        .collect();
    ir.buffers()
        .filter(|(_, buffer)| {
            let first = buffer.shape.first().and_then(|dim| symbol(&dim.extent));
            first.is_some_and(|symbol| grid.contains(&symbol))
        })
        .map(|(id, _)| id)
        .collect()
}

/// The number that an expression is.
fn symbol(e: &Expr) -> Option<Symbol> {
    match &e.kind {
        ExprKind::Param(id) => Some(Symbol::Param(*id)),
        ExprKind::Const(at) => Some(Symbol::Const(*at)),
        ExprKind::Cast(inner) => symbol(inner),
        _ => None,
    }
}

/// The numbers that an expression is made of.
fn symbols(e: &Expr) -> BTreeSet<Symbol> {
    let mut found = BTreeSet::new();
    e.walk(&mut |part| match part.kind {
        ExprKind::Param(id) => _ = found.insert(Symbol::Param(id)),
        ExprKind::Const(at) => _ = found.insert(Symbol::Const(at)),
        _ => {}
    });
    found
}

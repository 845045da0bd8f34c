//! What can be loaded and stored in vectors: accesses of neighbouring elements by neighbouring lanes.

use std::collections::BTreeMap;

use crate::check::{self, Atom, Known, Poly};
use crate::ir::{
    Binary, Expr, ExprKind, Grid, Kernel, LocalId, ParamId, Place, Stmt, StmtId, StmtKind, Type, walk,
    walk_exprs,
};

/// The id under which the vectors of an `elements` grid are kept: it is no statement.
pub(crate) const GRID: StmtId = StmtId::MAX;

/// Vector accesses of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    /// By loop.
    pub(crate) loops: BTreeMap<StmtId, LoopVectors>,
    /// Buffers whose start has to be aligned to a vector.
    pub(crate) bases: Vec<ParamId>,
    /// Numbers that have to be multiples of the vector width.
    pub(crate) divisible: Vec<Divisible>,
}

/// Vector accesses of one loop, in the order first met.
pub(crate) type LoopVectors = Vec<Vector>;

/// A vector register of one loop.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    /// What it is loaded from or stored to.
    pub(crate) place: Place,
    /// What is added to the loop's index.
    pub(crate) offset: Option<Expr>,
    /// Whether it is loaded.
    pub(crate) loaded: bool,
    /// Whether it is stored.
    pub(crate) stored: bool,
}

/// A number known on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divisible {
    /// A scalar parameter.
    Param(ParamId),
    /// A const parameter.
    Const(usize),
}

impl Vectors {
    pub(crate) fn is_empty(&self) -> bool {
        self.loops.values().all(Vec::is_empty)
    }

    /// The vector register of `loop_id` for an access, if it is one.
    pub(crate) fn find(
        &self,
        loop_id: StmtId,
        index_of_loop: LocalId,
        place: Place,
        index: &Expr,
    ) -> Option<usize> {
        let offset = lane_offset(index, index_of_loop)?;
        self.loops
            .get(&loop_id)?
            .iter()
            .position(|v| v.place == place && same(&v.offset, &offset))
    }
}

/// Finds the accesses of a checked kernel that can be done in vectors.
pub(crate) fn find(kernel: &Kernel) -> Vectors {
    let mut search = Search {
        kernel,
        known: check::known_values(kernel),
        vectors: Vectors::default(),
    };
    for block in [&kernel.host, &kernel.body] {
        walk(block, &mut |stmt| search.bind(stmt));
    }
    if let Grid::Elements { index, .. } = kernel.grid {
        search.add(GRID, index, &kernel.body);
    }
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind {
            search.add(stmt.id, lanes.index, &lanes.body);
        }
    });
    search.vectors
}

struct Search<'k> {
    kernel: &'k Kernel,
    known: Known,
    vectors: Vectors,
}

impl Search<'_> {
    /// Remembers what a `let` binds, so that rows are seen through it.
    fn bind(&mut self, stmt: &Stmt) {
        if let StmtKind::Let(id, Some(init)) = &stmt.kind
            && matches!(init.ty, Type::Scalar(ty) if ty.is_integer())
        {
            let value = self.known.poly(init);
            self.known.bind(*id, value);
        }
    }

    fn add(&mut self, id: StmtId, index: LocalId, body: &[Stmt]) {
        let mut candidates = LoopVectors::new();
        for stmt in body {
            self.unconditional(stmt, index, &mut candidates);
        }
        let refused: Vec<ParamId> = self
            .kernel
            .buffers()
            .map(|(b, _)| b)
            .filter(|b| !self.agrees(*b, index, body, &candidates))
            .collect();
        candidates.retain(|v| {
            !self
                .kernel
                .buffers_of(v.place)
                .iter()
                .any(|b| refused.contains(b))
        });
        let mut kept = LoopVectors::new();
        for vector in candidates {
            if let Some(divisible) = self.alignment(&vector) {
                for base in self.kernel.buffers_of(vector.place) {
                    push_new(&mut self.vectors.bases, base);
                }
                divisible
                    .into_iter()
                    .for_each(|d| push_new(&mut self.vectors.divisible, d));
                kept.push(vector);
            }
        }
        self.vectors.loops.insert(id, kept);
    }

    /// Notes the accesses that every lane does, whatever the data.
    fn unconditional(&self, stmt: &Stmt, index: LocalId, out: &mut LoopVectors) {
        stmt.exprs(&mut |e| self.loads(e, index, out));
        if let StmtKind::Store(place, at, _) = &stmt.kind {
            note(out, *place, at, index, true);
        }
    }

    fn loads(&self, e: &Expr, index: LocalId, out: &mut LoopVectors) {
        match &e.kind {
            ExprKind::Select(cond, ..) => self.loads(cond, index, out),
            ExprKind::Binary(op, a, _) if op.is_lazy() => self.loads(a, index, out),
            _ => e.children(&mut |child| self.loads(child, index, out)),
        }
        if let ExprKind::Load(place, at) = &e.kind {
            note(out, *place, at, index, false);
        }
    }

    /// Whether all accesses of a buffer in a loop can be done in vectors, if any of them stores: registers and memory must
    /// not hold different values of one element.
    fn agrees(&self, buffer: ParamId, index: LocalId, body: &[Stmt], candidates: &LoopVectors) -> bool {
        let mut accesses: Vec<(Place, &Expr, bool)> = Vec::new();
        walk(body, &mut |stmt| {
            if let StmtKind::Store(place, at, _) = &stmt.kind {
                accesses.push((*place, at, true));
            }
        });
        walk_exprs(body, &mut |e| {
            if let ExprKind::Load(place, at) = &e.kind {
                accesses.push((*place, at, false));
            }
        });
        accesses.retain(|(place, ..)| self.kernel.buffers_of(*place).contains(&buffer));
        if !accesses.iter().any(|(_, _, write)| *write) {
            return true;
        }
        let first = accesses[0].0;
        accesses.iter().all(|(place, at, write)| {
            let vector = lane_offset(at, index).and_then(|offset| {
                candidates
                    .iter()
                    .find(|v| v.place == *place && same(&v.offset, &offset))
            });
            *place == first && vector.is_some_and(|v| if *write { v.stored } else { v.loaded })
        })
    }

    /// What has to be a multiple of the width for a vector to be aligned; `None` if that cannot be told on the host.
    fn alignment(&mut self, vector: &Vector) -> Option<Vec<Divisible>> {
        let kernel = self.kernel;
        let starts: Vec<Poly> = match vector.place {
            Place::Row(row) => {
                let places = kernel.rows[row].start.places();
                places
                    .into_iter()
                    .map(|(_, offset)| self.known.poly(offset))
                    .collect()
            }
            Place::Buffer(_) => vec![Poly::default()],
        };
        let offset = vector.offset.as_ref().map(|offset| self.known.poly(offset));
        starts
            .iter()
            .chain(&offset)
            .flat_map(Poly::terms)
            .map(|(atoms, _)| {
                atoms.iter().find_map(|atom| match atom {
                    Atom::Param(id) => Some(Divisible::Param(*id)),
                    Atom::Const(id) => Some(Divisible::Const(*id)),
                    _ => None,
                })
            })
            .collect()
    }
}

fn note(out: &mut LoopVectors, place: Place, at: &Expr, index: LocalId, write: bool) {
    let Some(offset) = lane_offset(at, index) else {
        return;
    };
    let known = out
        .iter()
        .position(|v| v.place == place && same(&v.offset, &offset));
    let entry = match known {
        Some(at) => &mut out[at],
        None => {
            out.push(Vector {
                place,
                offset: offset.cloned(),
                loaded: false,
                stored: false,
            });
            out.last_mut().expect("just pushed")
        }
    };
    if write {
        entry.stored = true;
    } else {
        entry.loaded = true;
    }
}

/// What is added to the loop's index: `Some(None)` for the index alone, `None` for any other form.
fn lane_offset(at: &Expr, index: LocalId) -> Option<Option<&Expr>> {
    let is_index = |e: &Expr| matches!(e.kind, ExprKind::Local(id) if id == index);
    if is_index(at) {
        return Some(None);
    }
    let ExprKind::Binary(Binary::Add, a, b) = &at.kind else {
        return None;
    };
    let offset = if is_index(a) {
        b
    } else if is_index(b) {
        a
    } else {
        return None;
    };
    let host = !offset.any(&mut |e| {
        !matches!(
            e.kind,
            ExprKind::Int(_) | ExprKind::Param(_) | ExprKind::Const(_) | ExprKind::Binary(..)
        )
    });
    host.then_some(Some(&**offset))
}

fn same(a: &Option<Expr>, b: &Option<&Expr>) -> bool {
    let mut known = Known::default();
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => known.poly(a) == known.poly(b),
        _ => false,
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

//! The body of a work-item.

use super::{Code, Lowering, scalar};
use crate::ir::{self, Binary, Grid, LocalId, Scalar, StmtKind, Unary, Update, walk};
use crate::program::{End, Expr, ExprKind, If, Loop, LoopKind, Stmt, WorkItem};
use crate::schedule::{GRID, extents, is_constant, is_decided};

impl Lowering<'_> {
    /// What a work-item does: the grid's loop and what is in it.
    pub(super) fn body(&mut self) -> Vec<Stmt> {
        let kernel = self.kernel;
        let place = |id, item| Stmt::Let(id, Some(Expr::index(ExprKind::WorkItem(item))));
        let mut out = Vec::new();
        match &kernel.grid {
            Grid::Elements { index, extent } => {
                out.push(place(self.lane, WorkItem::Lane));
                out.push(place(self.lanes, WorkItem::Lanes));
                self.part(&mut out);
                self.code = Code::Lane;
                self.lanes(GRID, *index, extent, &kernel.body, &mut out);
            }
            Grid::Groups { .. } if kernel.body.is_empty() => {}
            Grid::Groups { indices, extents } => {
                out.push(place(self.lane, WorkItem::Lane));
                if has_lanes(kernel) {
                    out.push(place(self.lanes, WorkItem::Lanes));
                }
                self.part(&mut out);
                self.code = Code::Group;
                out.push(self.groups(indices, extents));
            }
        }
        out
    }

    /// Where the part of a row begins and ends that a work-group does, if rows are split among work-groups.
    fn part(&mut self, out: &mut Vec<Stmt>) {
        let (Some(chunk), [extent]) = (self.chunk, &extents(self.kernel)[..]) else {
            return;
        };
        let variable = |id| Expr::index(ExprKind::Local(id));
        let extent = self.value(extent);
        let part = self.made("part", Scalar::I64);
        out.push(Stmt::Let(
            part,
            Some(Expr::index(ExprKind::WorkItem(WorkItem::Part))),
        ));
        let begin = self.made("begin", Scalar::I64);
        let first = Expr::arithmetic(Binary::Mul, variable(part), variable(chunk));
        out.push(Stmt::Let(begin, Some(first)));
        let end = self.made("end", Scalar::I64);
        let next = Expr::arithmetic(Binary::Add, variable(begin), variable(chunk));
        let is_last = Expr {
            kind: ExprKind::Binary(Binary::Lt, Box::new(extent.clone()), Box::new(next.clone())),
            ty: Scalar::Bool,
        };
        let last = ExprKind::Select(Box::new(is_last), Box::new(extent), Box::new(next));
        out.push(Stmt::Let(end, Some(Expr::index(last))));
        self.part = Some((begin, end));
    }

    /// The loop over groups. The last of two indices runs fastest.
    fn groups(&mut self, indices: &[LocalId], extents: &[ir::Expr]) -> Stmt {
        let kernel = self.kernel;
        let extents: Vec<Expr> = extents.iter().map(|e| self.value(e)).collect();
        let bound = extents
            .iter()
            .cloned()
            .reduce(|a, b| Expr::arithmetic(Binary::Mul, a, b))
            .expect("a grid has a dimension");
        let mut body = Vec::new();
        let index = match indices {
            [one] => self.declare(*one),
            _ => self.made("group", Scalar::I64),
        };
        if let [outer, inner] = indices {
            for (id, op) in [(outer, Binary::Div), (inner, Binary::Rem)] {
                let group = Expr::index(ExprKind::Local(index));
                let value = Expr::arithmetic(op, group, extents[1].clone());
                body.push(Stmt::Let(self.declare(*id), Some(value)));
            }
        }
        body.extend(self.block(&kernel.body));
        Stmt::Loop(Loop {
            kind: LoopKind::Groups,
            index,
            start: Expr::index(ExprKind::WorkItem(WorkItem::Row)),
            end: End::Below(bound),
            step: Expr::index(ExprKind::WorkItem(WorkItem::Rows)),
            body,
        })
    }

    /// Statements with a scope of their own.
    pub(super) fn block(&mut self, block: &[ir::Stmt]) -> Vec<Stmt> {
        let reductions = self.reductions.clone();
        let mut out = Vec::new();
        for stmt in block {
            self.stmt(stmt, &mut out);
        }
        self.reductions = reductions;
        out
    }

    pub(super) fn stmt(&mut self, stmt: &ir::Stmt, out: &mut Vec<Stmt>) {
        if self.code == Code::Group && self.kernel.barriers.contains(&stmt.id) {
            out.push(Stmt::Barrier);
        }
        if self.reduce(stmt, out) {
            return;
        }
        if let StmtKind::For(_) | StmtKind::Lanes(_) = stmt.kind {
            // Every round comes after those before it.
            self.reductions.forget_changed(stmt);
        }
        match &stmt.kind {
            StmtKind::Row(id, start) => {
                let start = self.start(start);
                out.push(Stmt::Row(self.declare_row(*id), start));
            }
            StmtKind::Store(place, at, value) => out.push(self.store(*place, at, value)),
            StmtKind::Lanes(lanes) => {
                // What lanes gather is in no order.
                let round = self.round.take();
                self.code = Code::Lane;
                self.lanes(stmt.id, lanes.index, &lanes.extent, &lanes.body, out);
                self.code = Code::Group;
                self.round = round;
            }
            StmtKind::Let(id, init) => {
                let init = init.as_ref().map(|init| self.value(init));
                out.push(Stmt::Let(self.declare(*id), init));
            }
            StmtKind::Assign(id, value) => out.push(self.assign(*id, value)),
            StmtKind::Update(id, update, value) => out.push(self.update(*id, *update, value)),
            StmtKind::If(condition, then, otherwise) => {
                let branch = If {
                    condition: self.value(condition),
                    constant: self.is_decided(condition),
                    then: self.block(then),
                    otherwise: self.block(otherwise),
                };
                out.push(Stmt::If(branch));
            }
            StmtKind::For(f) => out.push(self.rounds(f)),
            StmtKind::Assert(condition, assertion) => {
                out.push(Stmt::Assert(self.value(condition), assertion.clone()));
            }
        }
        self.reductions.forget_changed(stmt);
    }

    /// A float that a loop carries from round to round is said to be one.
    fn assign(&self, id: LocalId, value: &ir::Expr) -> Stmt {
        let mut value = self.value(value);
        if self.is_carried(id) {
            value = Expr {
                ty: value.ty,
                kind: ExprKind::Carried(Box::new(value)),
            };
        }
        Stmt::Assign(self.local_of[id], value)
    }

    /// Whether a variable is a float from outside the loop around.
    fn is_carried(&self, id: LocalId) -> bool {
        self.round.is_some_and(|index| id < index) && scalar(self.source[id].ty) == Scalar::F32
    }

    /// Floats are updated in place; integers may need a guard.
    fn update(&self, id: LocalId, update: Update, value: &ir::Expr) -> Stmt {
        let local = &self.source[id];
        match update {
            Update::Operator(op)
                if scalar(local.ty) == Scalar::F32 && op != Binary::Rem && !self.is_carried(id) =>
            {
                Stmt::Update(self.local_of[id], op, self.value(value))
            }
            _ => self.assign(id, &update.applied(id, local.ty, value)),
        }
    }

    /// A loop of one work-item.
    fn rounds(&mut self, f: &ir::For) -> Stmt {
        let (start, end) = (self.value(&f.start), self.value(&f.end));
        let index = self.declare(f.index);
        let ty = self.locals[index].ty;
        let end = match f.closed {
            false => End::Below(end),
            true if has_next(&end) => End::Through(end),
            true => End::ThroughLast(end, self.made("more", ty)),
        };
        let around = self.round.replace(f.index);
        let body = self.block(&f.body);
        self.round = around;
        Stmt::Loop(Loop {
            kind: LoopKind::Rounds,
            index,
            start,
            end,
            step: Expr {
                kind: ExprKind::Int(1),
                ty,
            },
            body,
        })
    }

    /// Whether a condition is known when a variant is compiled.
    fn is_decided(&self, condition: &ir::Expr) -> bool {
        match self.code {
            Code::Scalars => is_constant(condition),
            Code::Group | Code::Lane => is_decided(condition, self.kernel),
        }
    }

    /// What all work-items of a row would store, one of them does.
    fn store(&self, place: ir::Place, at: &ir::Expr, value: &ir::Expr) -> Stmt {
        let value = self.value(value);
        let held = self.vector.as_ref().and_then(|vector| vector.held(place, at));
        let store = match held {
            Some(held) => Stmt::Store(self.register_memory(held.register), held.element, value),
            None => Stmt::Store(self.memory(place), self.index(at), value),
        };
        if self.code == Code::Group {
            Stmt::Leader(self.lane, vec![store])
        } else {
            store
        }
    }
}

/// Whether a number is sure not to be the last one of its type.
fn has_next(e: &Expr) -> bool {
    let last = |e: &Expr| e.ty.range().map(|(_, last)| last);
    match &e.kind {
        ExprKind::Int(value) => Some(*value) < last(e),
        ExprKind::Unary(Unary::Neg, a) => matches!(a.kind, ExprKind::Int(_)),
        ExprKind::Cast(a) => last(a) < last(e) && last(a).is_some(),
        _ => false,
    }
}

fn has_lanes(kernel: &ir::Kernel) -> bool {
    let mut has = false;
    walk(&kernel.body, &mut |stmt| {
        has |= matches!(stmt.kind, StmtKind::Lanes(_))
    });
    has
}

//! The memory accesses of a kernel, in the order in which they happen.

use proc_macro2::Span;

use super::known::{Around, Begin, Known};
use super::poly::Poly;
use crate::ir::{
    Binary, Expr, ExprKind, Grid, Kernel, LocalId, ParamId, Place, Start, Stmt, StmtKind, scanned,
};

/// Reads or writes of one element per lane, or of one element by the group.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The buffer.
    pub(crate) buffer: ParamId,
    /// How the user reached it.
    pub(crate) place: Place,
    /// Whether it is a store.
    pub(crate) write: bool,
    /// The element, counted from the buffer's start.
    pub(crate) index: Poly,
    /// Who does it.
    pub(crate) actor: Actor,
    /// Sequential loops around it that each work-item runs by itself.
    pub(crate) repeats: Vec<Repeat>,
    /// Sequential loops around its `lanes` loop, which the work-items of a row run together.
    pub(crate) rounds: Vec<Repeat>,
    /// What is at least 0 where it happens, by the conditions around it.
    pub(crate) holds: Vec<Poly>,
    /// Whether every group does it, under no condition and in no loop that may not run.
    pub(crate) certain: bool,
    /// Whether its loop deals lanes one by one, since it adds them up.
    pub(crate) one_by_one: bool,
    /// The index's or method's token.
    pub(crate) span: Span,
}

/// Which work-items do an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// Every work-item reads the same element; one writes it.
    Group,
    /// Each lane its own: the loop's index and extent.
    Lane(LocalId, Poly),
    /// One lane alone, by `if i == constant`: the loop's index and extent, and that lane.
    One(LocalId, Poly, Poly),
}

/// A sequential loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// The index.
    pub(crate) index: LocalId,
    /// First value.
    pub(crate) start: Poly,
    /// One past the last value.
    pub(crate) end: Poly,
}

impl Access {
    /// Puts `value` for the index of a sequential loop around. What hides that index becomes unknown.
    pub(crate) fn put(&mut self, index: LocalId, value: &Poly, known: &Known) {
        let put = |poly: &mut Poly| {
            *poly = poly.substitute(index, value).unwrap_or_else(|| {
                let others = poly.locals().into_iter().filter(|local| *local != index);
                known.unknown(others.collect())
            });
        };
        self.holds.iter_mut().for_each(put);
        put(&mut self.index);
        match &mut self.actor {
            Actor::One(_, _, only) => put(only),
            // The number of lanes is the same in every round.
            Actor::Group | Actor::Lane(..) => {}
        }
        for repeat in self.repeats.iter_mut().chain(&mut self.rounds) {
            put(&mut repeat.start);
            put(&mut repeat.end);
        }
    }

    /// Whether this is an access of the same elements by the same work-items as another one, wherever that happens.
    pub(crate) fn covers(&self, other: &Access) -> bool {
        (self.buffer, self.write) == (other.buffer, other.write)
            && (&self.index, &self.actor) == (&other.index, &other.actor)
            && (&self.repeats, &self.rounds) == (&other.repeats, &other.rounds)
            && self.holds.iter().all(|fact| other.holds.contains(fact))
    }
}

/// Collects accesses of statements, given what surrounds them.
#[derive(Clone, Debug)]
pub(crate) struct Collector {
    pub(crate) known: Known,
    actor: Actor,
    repeats: Vec<Repeat>,
    rounds: Vec<Repeat>,
    /// Whether the current place is under no condition and in no loop that may not run.
    certain: bool,
    one_by_one: bool,
}

impl Collector {
    /// A collector at the start of the grid's body.
    pub(crate) fn new(kernel: &Kernel, mut known: Known) -> Collector {
        for stmt in &kernel.host {
            match &stmt.kind {
                StmtKind::Let(id, init) => known.let_be(*id, init.as_ref()),
                StmtKind::Assert(cond, _) => {
                    known.assume(cond, true);
                }
                _ => {}
            }
        }
        let mut actor = Actor::Group;
        for (index, extent) in kernel.grid.axes() {
            let extent = known.poly(extent);
            known.enter(Around::Together(index), &Poly::default(), &extent);
            if matches!(kernel.grid, Grid::Elements { .. }) {
                actor = Actor::Lane(index, extent);
            }
        }
        Collector {
            known,
            actor,
            repeats: Vec::new(),
            rounds: Vec::new(),
            certain: true,
            one_by_one: false,
        }
    }

    /// Accesses of `stmt`, with those of statements inside it.
    pub(crate) fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Access>) {
        self.own(stmt, out);
        if stmt.is_invalid() {
            return;
        }
        let certain = std::mem::replace(&mut self.certain, false);
        match &stmt.kind {
            StmtKind::If(cond, then, otherwise) => {
                self.under(cond, true, &mut |collector| {
                    let actor = collector.actor.clone();
                    collector.narrow(cond);
                    collector.block(then, out);
                    collector.actor = actor;
                });
                self.under(cond, false, &mut |collector| collector.block(otherwise, out));
            }
            StmtKind::For(f) => {
                let start = self.known.poly(&f.start);
                let end = self.known.past(f);
                self.known.enter(Around::Rounds(f.index), &start, &end);
                self.certain = certain && end.minus(&start).minus(&Poly::constant(1)).is_nonnegative();
                self.repeats.push(Repeat {
                    index: f.index,
                    start,
                    end,
                });
                self.block(&f.body, out);
                self.repeats.pop();
                self.known.leave();
            }
            StmtKind::Lanes(lanes) => {
                let extent = self.known.poly(&lanes.extent);
                self.known
                    .enter(Around::Together(lanes.index), &Poly::default(), &extent);
                let actor = std::mem::replace(&mut self.actor, Actor::Lane(lanes.index, extent));
                self.rounds = std::mem::take(&mut self.repeats);
                self.one_by_one = !scanned(&lanes.body).is_empty();
                self.block(&lanes.body, out);
                self.one_by_one = false;
                self.known.leave();
                self.actor = actor;
                self.repeats = std::mem::take(&mut self.rounds);
            }
            _ => {}
        }
        self.certain = certain;
    }

    /// Accesses of a block.
    pub(crate) fn block(&mut self, block: &[Stmt], out: &mut Vec<Access>) {
        for stmt in block {
            self.stmt(stmt, out);
        }
    }

    /// Accesses of the statement itself, and what it makes known.
    pub(crate) fn own(&mut self, stmt: &Stmt, out: &mut Vec<Access>) {
        match &stmt.kind {
            StmtKind::Row(_, start) => self.start(start, out),
            _ => stmt.exprs(&mut |e| self.loads(e, out)),
        }
        match &stmt.kind {
            StmtKind::Let(id, init) => self.known.let_be(*id, init.as_ref()),
            // A row that begins where a problem is reported already has no place, and no access of it is looked at.
            StmtKind::Row(id, start) if !stmt.is_invalid() => self.known.bind_row(*id, start),
            StmtKind::Store(place, index, _) => self.access(*place, index, true, out),
            _ => {}
        }
    }

    fn start(&mut self, start: &Start, out: &mut Vec<Access>) {
        match start {
            Start::At(_, offset) => self.loads(offset, out),
            Start::Either(cond, a, b) => {
                self.loads(cond, out);
                self.under(cond, true, &mut |collector| collector.start(a, out));
                self.under(cond, false, &mut |collector| collector.start(b, out));
            }
        }
    }

    fn loads(&mut self, e: &Expr, out: &mut Vec<Access>) {
        match &e.kind {
            ExprKind::Select(cond, a, b) => {
                self.loads(cond, out);
                self.under(cond, true, &mut |collector| collector.loads(a, out));
                self.under(cond, false, &mut |collector| collector.loads(b, out));
            }
            ExprKind::Binary(op, a, b) if op.is_lazy() => {
                self.loads(a, out);
                self.under(a, *op == Binary::And, &mut |collector| collector.loads(b, out));
            }
            _ => e.children(&mut |child| self.loads(child, out)),
        }
        if let ExprKind::Load(place, index) = &e.kind {
            self.access(*place, index, false, out);
        }
    }

    /// Looks at what happens only where a condition is true, or only where it is false.
    fn under(&mut self, cond: &Expr, truth: bool, look: &mut dyn FnMut(&mut Self)) {
        if self.known.truth(cond) == Some(!truth) {
            return;
        }
        let certain = std::mem::replace(&mut self.certain, false);
        let outer = self.known.assume(cond, truth);
        look(self);
        self.known.holds = outer;
        self.certain = certain;
    }

    /// An access, one for each place where its row may begin, unless a problem in its index is already reported.
    fn access(&mut self, place: Place, index: &Expr, write: bool, out: &mut Vec<Access>) {
        let element = self.known.poly(index);
        let begins = match place {
            Place::Buffer(buffer) => vec![Begin {
                buffer,
                offset: Poly::default(),
                holds: Vec::new(),
            }],
            Place::Row(row) => self.known.row(row).into_iter().cloned().collect(),
        };
        if index.is_invalid() {
            return;
        }
        let certain = self.certain && self.actor == Actor::Group && begins.len() == 1;
        for begin in begins {
            let holds = [&*self.known.holds, &*begin.holds].concat();
            if contradict(&holds) {
                continue;
            }
            out.push(Access {
                buffer: begin.buffer,
                place,
                write,
                index: element.plus(&begin.offset),
                actor: self.actor.clone(),
                repeats: self.repeats.clone(),
                rounds: self.rounds.clone(),
                holds,
                certain,
                one_by_one: self.one_by_one,
                span: index.span,
            });
        }
    }

    /// Inside `if i == constant` one lane is left.
    fn narrow(&mut self, cond: &Expr) {
        let (op, a, b) = match &cond.kind {
            ExprKind::Binary(op, a, b) => (*op, a, b),
            _ => return,
        };
        if op == Binary::And {
            self.narrow(a);
            self.narrow(b);
        }
        let Actor::Lane(lane, extent) = self.actor.clone() else {
            return;
        };
        if op == Binary::Eq {
            let (a, b) = (self.known.poly(a), self.known.poly(b));
            let index = Poly::local(lane);
            let only = if a == index {
                b
            } else if b == index {
                a
            } else {
                return;
            };
            // What differs from lane to lane, or from round to round of a lane's own loops, names no single lane.
            let differs = only.depends_on(lane) || self.repeats.iter().any(|r| only.depends_on(r.index));
            if !differs {
                self.actor = Actor::One(lane, extent, only);
            }
        }
    }
}

/// Whether numbers cannot all be at least 0, so that what needs them does not happen.
pub(super) fn contradict(holds: &[Poly]) -> bool {
    let excludes = |a: &Poly, b: &Poly| a.is_opposite(b) && a.plus(b).is_negative();
    holds
        .iter()
        .enumerate()
        .any(|(at, a)| a.is_negative() || holds[..at].iter().any(|b| excludes(a, b)))
}

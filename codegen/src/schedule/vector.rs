//! What can be loaded and stored in vectors: accesses of neighbouring elements by neighbouring lanes.

use std::collections::{BTreeMap, BTreeSet};

use super::form::{Form, written};
use super::variant;
use crate::check::{self, Atom, Known, Poly};
use crate::ir::{
    Expr, ExprKind, Grid, Kernel, LocalId, ParamId, Place, RowId, Scalar, Stmt, StmtId, StmtKind, Type,
    scanned, walk, walk_exprs,
};

/// The id under which the vectors of an `elements` grid are kept: it is no statement.
pub(crate) const GRID: StmtId = StmtId::MAX;

/// `bool` const parameters that one loop is planned for, at most: it is emitted once for each of their values.
const CHOICES: usize = 4;

/// Vector accesses of a kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    /// By loop.
    pub(crate) loops: BTreeMap<StmtId, Plan>,
    /// Buffers whose start has to be aligned to a vector.
    pub(crate) bases: Vec<ParamId>,
    /// Numbers that have to be multiples of the vector width.
    pub(crate) divisible: Vec<Divisible>,
}

/// How a loop over lanes is done in vectors.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// In one way.
    Loop(LoopVectors),
    /// In a way that a `bool` const parameter chooses: the one where it holds, and the other.
    Choice(usize, Box<Plan>, Box<Plan>),
}

/// A loop in whole vectors.
#[derive(Clone, Debug)]
pub(crate) struct LoopVectors {
    /// Its registers, in the order first met.
    pub(crate) registers: Vec<Vector>,
    /// What is done for each lane. Indices of registers' elements are written out in it.
    pub(crate) body: Vec<Stmt>,
    /// What has to be a multiple of the width for its registers.
    divisible: Vec<Divisible>,
}

/// A vector register of one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vector {
    /// What it is loaded from or stored to.
    pub(crate) place: Place,
    /// How many elements each lane has in it, one after the other.
    pub(crate) step: u8,
    /// What is added to `step` times the loop's index.
    start: Poly,
    /// Whether it is loaded.
    pub(crate) loaded: bool,
    /// Whether it is stored.
    pub(crate) stored: bool,
}

/// A number known on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Divisible {
    /// A scalar parameter.
    Param(ParamId),
    /// A const parameter.
    Const(usize),
    /// A part of one, such as `N / 2`.
    Quotient(Poly),
}

impl Vectors {
    pub(crate) fn is_empty(&self) -> bool {
        self.loops
            .values()
            .flat_map(Plan::loops)
            .all(|l| l.registers.is_empty())
    }
}

impl Plan {
    /// The loops, one of which is run.
    pub(crate) fn loops(&self) -> Vec<&LoopVectors> {
        match self {
            Plan::Loop(vectors) => vec![vectors],
            Plan::Choice(_, yes, no) => [yes.loops(), no.loops()].concat(),
        }
    }

    fn has_registers_of(&self, other: &Plan) -> bool {
        match (self, other) {
            (Plan::Loop(a), Plan::Loop(b)) => a.registers == b.registers,
            (Plan::Choice(a, a_yes, a_no), Plan::Choice(b, b_yes, b_no)) => {
                a == b && a_yes.has_registers_of(b_yes) && a_no.has_registers_of(b_no)
            }
            _ => false,
        }
    }
}

impl LoopVectors {
    /// The register of an access, by position, and which of the lane's elements in it that is.
    pub(crate) fn find(&self, lane: LocalId, place: Place, index: &Expr) -> Option<(usize, u8)> {
        let form = Form::of(&Known::default().poly(index), lane)?;
        let at = self.registers.iter().position(|v| v.holds(place, &form))?;
        Some((at, form.at))
    }
}

impl Vector {
    /// What is added to `step` times the loop's index, if anything is.
    pub(crate) fn offset(&self, kernel: &Kernel) -> Option<Expr> {
        written(&self.start, kernel)
    }

    fn holds(&self, place: Place, form: &Form) -> bool {
        (self.place, self.step, &self.start) == (place, form.step, &form.start)
    }
}

impl Divisible {
    /// The number as an expression.
    pub(crate) fn written(&self, kernel: &Kernel) -> Expr {
        let number = match self {
            Divisible::Param(id) => Poly::atom(Atom::Param(*id)),
            Divisible::Const(id) => Poly::atom(Atom::Const(*id)),
            Divisible::Quotient(number) => number.clone(),
        };
        written(&number, kernel).expect("an atom is not 0")
    }
}

/// Finds the accesses of a checked kernel that can be done in vectors.
pub(crate) fn find(kernel: &Kernel) -> Vectors {
    counted(kernel).0
}

/// Finds the vectors of a checked kernel, and counts how often a loop was searched for them.
pub(super) fn counted(kernel: &Kernel) -> (Vectors, usize) {
    let mut count = 0;
    let mut plan = |lane: LocalId, body: &[Stmt]| {
        Plan::of(kernel, &mut |chosen| {
            count += 1;
            Search::new(kernel, lane, chosen).vectors(body)
        })
    };
    let mut plans = BTreeMap::new();
    if let Grid::Elements { index, .. } = kernel.grid {
        plans.insert(GRID, plan(index, &kernel.body));
    }
    walk(&kernel.body, &mut |stmt| {
        if let StmtKind::Lanes(lanes) = &stmt.kind
            && scanned(&lanes.body).is_empty()
        {
            plans.insert(stmt.id, plan(lanes.index, &lanes.body));
        }
    });
    let mut vectors = Vectors::default();
    for found in plans.values().flat_map(Plan::loops) {
        for vector in &found.registers {
            for base in kernel.buffers_of(vector.place) {
                push_new(&mut vectors.bases, base);
            }
        }
        for number in &found.divisible {
            push_new(&mut vectors.divisible, number.clone());
        }
    }
    vectors.loops = plans;
    (vectors, count)
}

/// Values of `bool` const parameters.
type Chosen = BTreeMap<usize, bool>;

/// What is a vector in a loop where so much is chosen.
type Searched<'a> = dyn FnMut(&Chosen) -> LoopVectors + 'a;

impl Plan {
    fn of(kernel: &Kernel, search: &mut Searched<'_>) -> Plan {
        let is_bool = |id: &usize| kernel.consts[*id].ty == Scalar::Bool;
        let bools: Vec<usize> = (0..kernel.consts.len()).filter(is_bool).collect();
        Plan::choose(&deciding(bools, search), &Chosen::new(), search)
    }

    /// A plan for each value of the `open` const parameters where they change what is a vector, given the others' values.
    fn choose(open: &[usize], chosen: &Chosen, search: &mut Searched<'_>) -> Plan {
        let Some((id, open)) = open.split_first() else {
            return Plan::Loop(search(chosen));
        };
        let either = Plan::choose(open, chosen, search);
        let [yes, no] = [true, false].map(|value| {
            let mut chosen = chosen.clone();
            chosen.insert(*id, value);
            Plan::choose(open, &chosen, search)
        });
        if yes.has_registers_of(&either) && no.has_registers_of(&either) {
            either
        } else {
            Plan::Choice(*id, Box::new(yes), Box::new(no))
        }
    }
}

/// The const parameters that a loop is planned for: where there are many, first those that change by themselves what is a
/// vector.
fn deciding(bools: Vec<usize>, search: &mut Searched<'_>) -> Vec<usize> {
    if bools.len() <= CHOICES {
        return bools;
    }
    let open = search(&Chosen::new());
    let mut decides = |id: &usize| {
        let mut changes = |value| search(&Chosen::from([(*id, value)])).registers != open.registers;
        changes(true) || changes(false)
    };
    let (alone, together): (Vec<usize>, Vec<usize>) = bools.into_iter().partition(|id| decides(id));
    let mut deciding: Vec<usize> = alone.into_iter().chain(together).take(CHOICES).collect();
    deciding.sort_unstable();
    deciding
}

/// What lanes access of a register.
struct Candidate {
    place: Place,
    step: u8,
    start: Poly,
    /// Elements of each lane.
    loaded: BTreeSet<u8>,
    stored: BTreeSet<u8>,
}

impl Candidate {
    /// Whether the register has nothing in it that its lanes do not reach, and stores nothing that they do not.
    fn is_whole(&self) -> bool {
        let whole = |elements: &BTreeSet<u8>| elements.len() == usize::from(self.step);
        let reached = self.loaded.union(&self.stored).copied().collect();
        whole(&reached) && (self.stored.is_empty() || whole(&self.stored))
    }

    fn vector(&self) -> Vector {
        Vector {
            place: self.place,
            step: self.step,
            start: self.start.clone(),
            loaded: !self.loaded.is_empty(),
            stored: !self.stored.is_empty(),
        }
    }
}

/// The search for the vectors of one loop.
struct Search<'k> {
    kernel: &'k Kernel,
    lane: LocalId,
    known: Known,
    /// Where rows may begin.
    starts: BTreeMap<RowId, Vec<Poly>>,
}

impl<'k> Search<'k> {
    fn new(kernel: &'k Kernel, lane: LocalId, chosen: &BTreeMap<usize, bool>) -> Search<'k> {
        let mut known = check::known_values(kernel);
        known.bools.clone_from(chosen);
        let mut search = Search {
            kernel,
            lane,
            known,
            starts: BTreeMap::new(),
        };
        for block in [&kernel.host, &kernel.body] {
            walk(block, &mut |stmt| search.bind(stmt));
        }
        search
    }

    /// Remembers what a `let` binds, so that rows and indices are seen through it.
    fn bind(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let(id, Some(init)) if matches!(init.ty, Type::Scalar(ty) if ty.is_integer()) => {
                let value = self.known.poly(init);
                self.known.bind(*id, value);
            }
            StmtKind::Row(id, start) => {
                let places = start.places().into_iter();
                let starts = places.map(|(_, offset)| self.known.poly(offset)).collect();
                self.starts.insert(*id, starts);
            }
            _ => {}
        }
    }

    fn vectors(mut self, body: &[Stmt]) -> LoopVectors {
        let mut body = body.to_vec();
        variant::choose(&mut body, &self.known);
        let mut candidates = Vec::new();
        for stmt in &body {
            self.unconditional(stmt, &mut candidates);
        }
        let inside = rows_bound_in(&body);
        candidates.retain(|c| c.is_whole() && !inside.contains(&c.place));
        let mut registers: Vec<Vector> = candidates.iter().map(Candidate::vector).collect();
        let buffers = self.kernel.buffers().map(|(id, _)| id);
        let refused: Vec<ParamId> = buffers.filter(|b| !self.agrees(*b, &body, &registers)).collect();
        registers.retain(|v| {
            !self
                .kernel
                .buffers_of(v.place)
                .iter()
                .any(|b| refused.contains(b))
        });
        let mut divisible = Vec::new();
        registers.retain(|vector| match self.alignment(vector) {
            Some(numbers) => {
                numbers.into_iter().for_each(|n| push_new(&mut divisible, n));
                true
            }
            None => false,
        });
        let (kernel, lane) = (self.kernel, self.lane);
        variant::write_out(&mut body, &mut |place, index| {
            let form = self.form(index)?;
            let held = registers.iter().any(|v| v.holds(place, &form));
            held.then(|| form.written(lane, kernel))
        });
        LoopVectors {
            registers,
            body,
            divisible,
        }
    }

    fn form(&mut self, index: &Expr) -> Option<Form> {
        let index = self.known.poly(index);
        Form::of(&index, self.lane)
    }

    /// Notes the accesses that every lane does, whatever the data.
    fn unconditional(&mut self, stmt: &Stmt, out: &mut Vec<Candidate>) {
        stmt.exprs(&mut |e| self.loads(e, out));
        if let StmtKind::Store(place, index, _) = &stmt.kind
            && let Some((candidate, at)) = self.note(*place, index, out)
        {
            candidate.stored.insert(at);
        }
    }

    fn loads(&mut self, e: &Expr, out: &mut Vec<Candidate>) {
        match &e.kind {
            ExprKind::Select(cond, ..) => self.loads(cond, out),
            ExprKind::Binary(op, a, _) if op.is_lazy() => self.loads(a, out),
            _ => e.children(&mut |child| self.loads(child, out)),
        }
        if let ExprKind::Load(place, index) = &e.kind
            && let Some((candidate, at)) = self.note(*place, index, out)
        {
            candidate.loaded.insert(at);
        }
    }

    /// The register that an access could be in, and which of the lane's elements it is.
    fn note<'c>(
        &mut self,
        place: Place,
        index: &Expr,
        out: &'c mut Vec<Candidate>,
    ) -> Option<(&'c mut Candidate, u8)> {
        let Form { step, start, at } = self.form(index)?;
        let known = out
            .iter()
            .position(|c| (c.place, c.step, &c.start) == (place, step, &start));
        let known = known.unwrap_or_else(|| {
            out.push(Candidate {
                place,
                step,
                start,
                loaded: BTreeSet::new(),
                stored: BTreeSet::new(),
            });
            out.len() - 1
        });
        Some((&mut out[known], at))
    }

    /// Whether all accesses of a buffer in a loop can be done in vectors, if any of them stores: registers and memory must
    /// not hold different values of one element.
    fn agrees(&mut self, buffer: ParamId, body: &[Stmt], registers: &[Vector]) -> bool {
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
            let form = self.form(at);
            let vector = form.and_then(|form| registers.iter().find(|v| v.holds(*place, &form)));
            *place == first && vector.is_some_and(|v| if *write { v.stored } else { v.loaded })
        })
    }

    /// What has to be a multiple of the width for a vector to be aligned; `None` if that cannot be told on the host.
    fn alignment(&mut self, vector: &Vector) -> Option<Vec<Divisible>> {
        let rows: Vec<Poly> = match vector.place {
            Place::Row(row) => {
                let starts = self.starts.get(&row);
                starts.cloned().unwrap_or_default()
            }
            Place::Buffer(_) => vec![Poly::default()],
        };
        let starts: Vec<Poly> = rows.iter().map(|row| row.plus(&vector.start)).collect();
        starts
            .iter()
            .flat_map(Poly::terms)
            .map(|(atoms, _)| {
                atoms.iter().find_map(|atom| match atom {
                    Atom::Param(id) => Some(Divisible::Param(*id)),
                    Atom::Const(id) => Some(Divisible::Const(*id)),
                    Atom::Quotient(..) => {
                        let number = Poly::atom(atom.clone());
                        super::form::is_host(&number).then_some(Divisible::Quotient(number))
                    }
                    _ => None,
                })
            })
            .collect()
    }
}

/// Rows that begin somewhere else for each lane.
fn rows_bound_in(body: &[Stmt]) -> Vec<Place> {
    let mut rows = Vec::new();
    walk(body, &mut |stmt| {
        if let StmtKind::Row(id, _) = stmt.kind {
            rows.push(Place::Row(id));
        }
    });
    rows
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

//! Runs a kernel: all work-items of a group between two barriers, or one lane after the other as Rust does.
//!
//! The work-items of a group do the same statements outside `lanes`; each has variables of its own, so that what should be
//! the same in all of them and is not shows. Between barriers any order of work-items is legal. The one taken here runs the
//! last work-item first, as unlike the native order as it can be.

mod expr;
mod group;
mod lane;

use std::collections::BTreeSet;

use oxysycl_codegen::Checked;
use oxysycl_codegen::ir::{
    Expr, Grid, Kernel, LocalId, ParamId, Place, RowId, Scalar, Start, StmtKind, Type, scanned,
};
use proc_macro2::Span;

use crate::case::{Case, Memory, kept};
use crate::finding::{Finding, Kind, Stop};
use crate::value::Value;
use crate::watch::{Access, Actor, Watch, place};

/// Statements after which a run is given up.
const STEPS: u64 = 200_000;

/// Variables of one work-item.
#[derive(Clone, Debug)]
struct Item {
    locals: Vec<Value>,
    /// Where its rows begin.
    rows: Vec<Option<(ParamId, i128)>>,
}

/// A run of a kernel.
pub(crate) struct Machine<'k> {
    kernel: &'k Kernel,
    barriers: &'k BTreeSet<u32>,
    case: &'k Case,
    memories: Vec<Memory>,
    /// The memory of each parameter.
    memory_of: Vec<usize>,
    items: Vec<Item>,
    watch: Option<Watch<'k>>,
    /// Who does what is being done.
    actor: Actor,
    /// Runs of `lanes` loops so far.
    runs: u64,
    steps: u64,
    /// Running sums, which all work-items have.
    running: BTreeSet<LocalId>,
    /// Whether a sum was rounded, so that its order shows.
    rounded: bool,
    /// Buffers that were stored to.
    stored: BTreeSet<ParamId>,
    /// Loads outside the shapes of buffers, which must not be stored to then.
    outside: Vec<(ParamId, Finding)>,
}

/// What a kernel leaves behind.
pub(crate) struct Outcome {
    /// The elements of each parameter.
    pub(crate) memories: Vec<Vec<Value>>,
    /// Whether a sum was rounded, so that its order shows.
    pub(crate) rounded: bool,
}

/// The meaning in Rust: one lane after the other.
pub(crate) fn native(checked: &Checked, case: &Case, memories: &[Memory]) -> Result<Outcome, Stop> {
    let one = Case {
        items: 1,
        ..case.clone()
    };
    Machine::new(checked, &one, memories, false).run()
}

/// What work-items do.
pub(crate) fn parallel(checked: &Checked, case: &Case, memories: &[Memory]) -> Result<Outcome, Stop> {
    Machine::new(checked, case, memories, true).run()
}

impl<'k> Machine<'k> {
    fn new(checked: &'k Checked, case: &'k Case, memories: &[Memory], watched: bool) -> Self {
        let kernel = &checked.kernel;
        let memories = memories.to_vec();
        let mut memory_of = vec![usize::MAX; kernel.params.len()];
        for (at, (id, _)) in kernel.buffers().enumerate() {
            memory_of[id] = at;
        }
        if case.aliased {
            for (output, buffer) in kernel.buffers() {
                buffer
                    .aliases
                    .iter()
                    .for_each(|input| memory_of[*input] = memory_of[output]);
            }
        }
        let watch = watched.then(|| Watch::new(memories.iter().map(|memory| memory.values.len())));
        let item = Item {
            locals: vec![Value::Unset; kernel.locals.len()],
            rows: vec![None; kernel.rows.len()],
        };
        Machine {
            kernel,
            barriers: &checked.barriers,
            case,
            memories,
            memory_of,
            items: vec![item; case.items],
            watch,
            actor: Actor { item: 0, lane: None },
            running: scanned(&kernel.body),
            runs: 0,
            steps: 0,
            rounded: false,
            stored: BTreeSet::new(),
            outside: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Outcome, Stop> {
        if self.host()? {
            match &self.kernel.grid {
                Grid::Groups { indices, extents } => self.groups(indices, extents)?,
                Grid::Elements { index, extent } => {
                    let extent = self.evaluate(extent)?.int();
                    self.deal(*index, extent, &self.kernel.body)?;
                }
            }
        }
        self.outside_loads()?;
        let memories = self.memory_of.iter().map(|at| match self.memories.get(*at) {
            Some(memory) => memory.values.clone(),
            None => Vec::new(),
        });
        Ok(Outcome {
            memories: memories.collect(),
            rounded: self.rounded,
        })
    }

    /// Buffers that are not stored to may be read anywhere, where they have elements.
    fn outside_loads(&mut self) -> Result<(), Stop> {
        let stored = |id: ParamId| self.stored.iter().any(|other| self.kernel.may_alias(*other, id));
        let wrong = self.outside.iter().find(|(param, _)| stored(*param));
        match wrong {
            Some((_, finding)) => Err(Stop::Finding(finding.clone())),
            None if self.outside.is_empty() => Ok(()),
            None => Err(Stop::Panic),
        }
    }

    /// Host code; whether every assertion holds.
    fn host(&mut self) -> Result<bool, Stop> {
        for stmt in &self.kernel.host {
            match &stmt.kind {
                StmtKind::Assert(cond, _) if !self.evaluate(cond)?.truth() => return Ok(false),
                StmtKind::Assert(..) => {}
                _ => self.group_stmt(stmt)?,
            }
        }
        Ok(true)
    }

    fn groups(&mut self, indices: &[LocalId], extents: &[Expr]) -> Result<(), Stop> {
        let mut counts = Vec::new();
        for extent in extents {
            counts.push(self.evaluate(extent)?.int());
        }
        let (outer, inner) = (counts[0], counts.get(1).copied().unwrap_or(1));
        for a in 0..outer {
            for b in 0..inner {
                if let Some(watch) = &mut self.watch {
                    watch.next_group();
                }
                for item in &mut self.items {
                    for (index, value) in indices.iter().zip([a, b]) {
                        item.locals[*index] = Value::Int(value);
                    }
                }
                self.group_block(&self.kernel.body)?;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS {
            Err(Stop::Steps)
        } else {
            Ok(())
        }
    }

    /// Where a row begins for the work-item at work.
    fn begin(&mut self, row: RowId, mut start: &Start) -> Result<(), Stop> {
        while let Start::Either(cond, a, b) = start {
            start = if self.evaluate(cond)?.truth() { a } else { b };
        }
        let Start::At(buffer, offset) = start else {
            unreachable!("the loop ends at a place")
        };
        let offset = self.evaluate(offset)?.int();
        self.item().rows[row] = Some((*buffer, offset));
        Ok(())
    }

    fn item(&mut self) -> &mut Item {
        &mut self.items[self.actor.item]
    }

    /// Notes an access; gives the memory and the element, `None` for a load outside the shape.
    fn access(
        &mut self,
        to: Place,
        index: i128,
        write: bool,
        at: Span,
    ) -> Result<Option<(usize, usize)>, Stop> {
        let (param, element) = match to {
            Place::Buffer(param) => (param, index),
            Place::Row(row) => {
                let (param, offset) = self.item().rows[row].expect("a row is bound before it is used");
                (param, offset + index)
            }
        };
        let memory = self.memory_of[param];
        let name = &self.kernel.params[param].name;
        if self.kernel.buffer(param).optional && !self.case.given[param] {
            return Err(Stop::Finding(Finding {
                kind: Kind::Null,
                what: format!("{}: {name} is null here", place(at)),
            }));
        }
        let Memory { values, inside } = &self.memories[memory];
        let within = usize::try_from(element)
            .ok()
            .filter(|element| *element < values.len());
        let Some(inside) = inside else {
            return within.map(|element| Some((memory, element))).ok_or(Stop::Panic);
        };
        let Some(element) = within.filter(|element| inside[*element]) else {
            let finding = Finding {
                kind: Kind::Outside,
                what: format!("{}: {name}[{element}] is outside its shape", place(at)),
            };
            if write {
                return Err(Stop::Finding(finding));
            }
            self.outside.push((param, finding));
            return Ok(None);
        };
        if write {
            self.stored.insert(param);
        }
        if let Some(watch) = &mut self.watch {
            let access = Access {
                actor: self.actor,
                write,
                name,
                at,
            };
            watch.access(memory, element, access).map_err(Stop::Finding)?;
        }
        Ok(Some((memory, element)))
    }

    fn load(&mut self, from: Place, index: i128, e: &Expr) -> Result<Value, Stop> {
        let loaded = self.access(from, index, false, e.span)?;
        Ok(match loaded {
            Some((memory, element)) => self.memories[memory].values[element],
            None if e.ty == Type::Scalar(Scalar::F32) => Value::Float(0.0),
            None => Value::Int(0),
        })
    }

    fn store(&mut self, to: Place, index: &Expr, value: &Expr) -> Result<(), Stop> {
        let at = index.span;
        let index = self.evaluate(index)?.int();
        let value = self.evaluate(value)?;
        if let Some((memory, element)) = self.access(to, index, true, at)? {
            self.memories[memory].values[element] = kept(self.kernel.buffer_like(to), value);
        }
        Ok(())
    }
}

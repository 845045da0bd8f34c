//! What the work-items of a group do together: statements outside `lanes`.

use oxysycl_codegen::ir::{Expr, Stmt, StmtKind};
use proc_macro2::Span;

use super::Machine;
use crate::finding::{Finding, Kind, Stop};
use crate::value::Value;
use crate::watch::{Actor, place};

impl<'k> Machine<'k> {
    pub(super) fn group_block(&mut self, block: &'k [Stmt]) -> Result<(), Stop> {
        block.iter().try_for_each(|stmt| self.group_stmt(stmt))
    }

    pub(super) fn group_stmt(&mut self, stmt: &'k Stmt) -> Result<(), Stop> {
        self.step()?;
        if self.barriers.contains(&stmt.id)
            && let Some(watch) = &mut self.watch
        {
            watch.barrier();
        }
        match &stmt.kind {
            StmtKind::Let(_, None) => {}
            StmtKind::Let(id, Some(e)) | StmtKind::Assign(id, e) => {
                let values = self.each(|machine| machine.evaluate(e))?;
                self.set(*id, values);
            }
            StmtKind::Update(id, update, e) => {
                let values = self.each(|machine| machine.update(*id, *update, e))?;
                self.set(*id, values);
            }
            StmtKind::Row(row, start) => {
                self.each(|machine| machine.begin(*row, start))?;
            }
            StmtKind::Store(to, index, value) => {
                self.actor = Actor { item: 0, lane: None };
                self.store(*to, index, value)?;
            }
            StmtKind::If(cond, then, otherwise) => {
                let taken = if self.common(cond)?.truth() {
                    then
                } else {
                    otherwise
                };
                self.group_block(taken)?;
            }
            StmtKind::For(f) => {
                let (start, end) = (self.common(&f.start)?.int(), self.common(&f.end)?.int());
                for round in start..end + i128::from(f.closed) {
                    self.step()?;
                    for item in &mut self.items {
                        item.locals[f.index] = Value::Int(round);
                    }
                    self.group_block(&f.body)?;
                }
            }
            StmtKind::Lanes(lanes) => {
                let extent = self.common(&lanes.extent)?.int();
                self.deal(lanes.index, extent, &lanes.body)?;
            }
            other => return Err(Stop::unknown(other)),
        }
        Ok(())
    }

    /// What each work-item makes of something.
    fn each<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T, Stop>) -> Result<Vec<T>, Stop> {
        let mut results = Vec::new();
        for item in 0..self.items.len() {
            self.actor = Actor { item, lane: None };
            results.push(work(self)?);
        }
        Ok(results)
    }

    fn set(&mut self, id: usize, values: Vec<Value>) {
        for (item, value) in self.items.iter_mut().zip(values) {
            item.locals[id] = value;
        }
    }

    /// A value on which all work-items have to agree, since it decides whether they meet.
    fn common(&mut self, e: &Expr) -> Result<Value, Stop> {
        let values = self.each(|machine| machine.evaluate(e))?;
        match values.iter().position(|value| !value.is(values[0])) {
            None => Ok(values[0]),
            Some(other) => Err(Stop::Finding(divergence(e.span, values[0], other, values[other]))),
        }
    }
}

fn divergence(at: Span, first: Value, item: usize, value: Value) -> Finding {
    Finding {
        kind: Kind::Divergence,
        what: format!(
            "{}: this is {} in work-item 0, and {} in work-item {item}",
            place(at),
            first.said(),
            value.said()
        ),
    }
}

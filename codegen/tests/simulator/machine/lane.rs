//! What one work-item does for one lane.

use oxysycl_codegen::ir::{LocalId, Stmt, StmtKind, scanned};

use super::Machine;
use crate::finding::Stop;
use crate::value::Value;
use crate::watch::Actor;

impl<'k> Machine<'k> {
    /// Runs a loop over lanes: each work-item does those that it is dealt, the last work-item first.
    pub(super) fn deal(&mut self, index: LocalId, extent: i128, body: &'k [Stmt]) -> Result<(), Stop> {
        self.runs += 1;
        let items = self.items.len();
        if !scanned(body).is_empty() {
            return self.deal_in_order(index, extent, body);
        }
        for item in (0..items).rev() {
            for lane in 0..extent {
                if items > 1 && self.case.dealing.item(lane, extent, items) != item {
                    continue;
                }
                self.actor = Actor {
                    item,
                    lane: Some((self.runs, lane)),
                };
                self.item().locals[index] = Value::Int(lane);
                self.lane_block(body)?;
            }
        }
        Ok(())
    }

    /// A loop with running sums, whose lanes see those before them.
    fn deal_in_order(&mut self, index: LocalId, extent: i128, body: &'k [Stmt]) -> Result<(), Stop> {
        let items = self.items.len();
        for lane in 0..extent {
            let item = match items {
                1 => 0,
                // In a way of its own.
                _ => (lane % items as i128) as usize,
            };
            self.actor = Actor {
                item,
                lane: Some((self.runs, lane)),
            };
            self.item().locals[index] = Value::Int(lane);
            self.lane_block(body)?;
        }
        Ok(())
    }

    fn lane_block(&mut self, block: &'k [Stmt]) -> Result<(), Stop> {
        block.iter().try_for_each(|stmt| self.lane_stmt(stmt))
    }

    fn lane_stmt(&mut self, stmt: &'k Stmt) -> Result<(), Stop> {
        self.step()?;
        match &stmt.kind {
            StmtKind::Let(_, None) => {}
            StmtKind::Let(id, Some(e)) | StmtKind::Assign(id, e) => {
                let value = self.evaluate(e)?;
                self.item().locals[*id] = value;
            }
            StmtKind::Update(id, update, e) => {
                let value = self.update(*id, *update, e)?;
                self.item().locals[*id] = value;
                if self.running.contains(id) {
                    self.items.iter_mut().for_each(|item| item.locals[*id] = value);
                }
            }
            StmtKind::Row(row, start) => self.begin(*row, start)?,
            StmtKind::Store(to, index, value) => self.store(*to, index, value)?,
            StmtKind::If(cond, then, otherwise) => {
                let taken = if self.evaluate(cond)?.truth() {
                    then
                } else {
                    otherwise
                };
                self.lane_block(taken)?;
            }
            StmtKind::For(f) => {
                let (start, end) = (self.evaluate(&f.start)?.int(), self.evaluate(&f.end)?.int());
                for round in start..end + i128::from(f.closed) {
                    self.step()?;
                    self.item().locals[f.index] = Value::Int(round);
                    self.lane_block(&f.body)?;
                }
            }
            other => return Err(Stop::unknown(other)),
        }
        Ok(())
    }
}

//! Names for what the blocks of a program declare: those of blocks beside each other may be the same.

use super::names::Names;
use super::printer::Spelling;
use crate::ir::LocalId;
use crate::program::{End, Local, Register, Row, Stmt};

/// What is named in one walk: variables of the author, or what the schedule made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Author,
    Schedule,
}

/// Names the variables and rows of one origin.
pub(super) struct Scope<'p> {
    pub(super) locals: &'p [Local],
    pub(super) rows: &'p [Row],
    pub(super) registers: &'p [Register],
    pub(super) origin: Origin,
}

impl Scope<'_> {
    /// Names a variable in the scope that `names` stands for.
    pub(super) fn local(&self, id: LocalId, names: &mut Names, spelling: &mut Spelling) {
        let local = &self.locals[id];
        if local.made == (self.origin == Origin::Schedule) {
            spelling.locals[id] = names.give(&local.name);
        }
    }

    /// Names what a block declares. Names of inner blocks are not those of blocks around them.
    pub(super) fn block(&self, block: &[Stmt], names: &mut Names, spelling: &mut Spelling) {
        for stmt in block {
            self.stmt(stmt, names, spelling);
        }
    }

    /// Names what a statement declares.
    pub(super) fn stmt(&self, stmt: &Stmt, names: &mut Names, spelling: &mut Spelling) {
        match stmt {
            Stmt::Let(id, _) | Stmt::Reduce { into: id, .. } | Stmt::Scan { into: id, .. } => {
                self.local(*id, names, spelling)
            }
            Stmt::Row(id, _) if self.origin == Origin::Author => {
                spelling.rows[*id] = names.give(&self.rows[*id].name);
            }
            Stmt::Register(id) => self.register(*id, names, spelling),
            Stmt::VectorLoad(access) => self.register(access.register, names, spelling),
            _ => {}
        }
        for inner in stmt.blocks() {
            let mut names = names.clone();
            if let Stmt::Lanes(l) = stmt {
                self.local(l.index, &mut names, spelling);
            }
            if let Stmt::Loop(l) = stmt {
                self.local(l.index, &mut names, spelling);
                if let End::ThroughLast(_, more) = l.end {
                    self.local(more, &mut names, spelling);
                }
            }
            self.block(inner, &mut names, spelling);
        }
    }

    fn register(&self, id: usize, names: &mut Names, spelling: &mut Spelling) {
        if self.origin == Origin::Schedule {
            spelling.registers[id] = names.give(&self.registers[id].name);
        }
    }
}

/// Takes every name given, so that none of them is given again anywhere.
pub(super) fn reserve(spelling: &Spelling, names: &mut Names) {
    let given = spelling.locals.iter().chain(&spelling.rows);
    given.for_each(|name| names.take(name));
}

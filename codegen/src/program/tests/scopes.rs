//! What holds for every program.

use std::collections::BTreeSet;

use crate::ir::LocalId;
use crate::program::{Dealing, End, Expr, ExprKind, LoopKind, Place, Program, RegisterId, Stmt, walk};

/// Checks that everything is declared once, before its uses and around them, and that all work-items of a row meet at
/// barriers and reductions.
pub(super) fn check(program: &Program) {
    let mut scopes = Scopes::default();
    let host: Vec<Stmt> = program.launch.host().cloned().collect();
    let mut scope = Scope::default();
    for stmt in &host {
        scopes.stmt(stmt, &mut scope, true);
    }
    if let Some(chunk) = program.launch.grid.chunk {
        scopes.local(chunk, &mut scope);
    }
    scopes.block(&program.body, scope, true);
    if program.launch.grid.dealing != Dealing::Together {
        walk(&program.body, &mut |stmt| {
            let alone = !matches!(stmt, Stmt::Barrier | Stmt::Reduce { .. } | Stmt::Scan { .. });
            assert!(
                alone,
                "work-items of several rows, or of parts of one, meet at {stmt:?}"
            );
        });
    }
    if program.launch.grid.dealing == Dealing::Split {
        walk(&program.body, &mut |stmt| {
            assert!(
                !matches!(stmt, Stmt::Leader(..)),
                "each part of a row has a leader"
            );
        });
    }
}

/// What is declared anywhere.
#[derive(Default)]
struct Scopes {
    locals: BTreeSet<LocalId>,
    rows: BTreeSet<usize>,
    registers: BTreeSet<RegisterId>,
}

/// What is declared around.
#[derive(Clone, Default)]
struct Scope {
    locals: BTreeSet<LocalId>,
    rows: BTreeSet<usize>,
    registers: BTreeSet<RegisterId>,
}

impl Scopes {
    fn block(&mut self, block: &[Stmt], mut scope: Scope, together: bool) {
        for stmt in block {
            self.stmt(stmt, &mut scope, together);
        }
    }

    /// `together` says whether all work-items of a row do this.
    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope, together: bool) {
        stmt.exprs(&mut |e| uses(e, scope));
        match stmt {
            Stmt::Let(id, _) => self.local(*id, scope),
            Stmt::Assign(id, _) | Stmt::Update(id, ..) | Stmt::Leader(id, _) => {
                assert!(scope.locals.contains(id), "{stmt:?} is in no scope of local {id}");
            }
            Stmt::Row(id, _) => {
                assert!(self.rows.insert(*id), "row {id} is declared twice");
                scope.rows.insert(*id);
            }
            Stmt::Store(memory, ..) => place(memory.place, scope),
            Stmt::Register(id) => self.register(*id, scope),
            Stmt::VectorLoad(access) => {
                place(access.memory.place, scope);
                self.register(access.register, scope);
            }
            Stmt::VectorStore(access) => {
                place(access.memory.place, scope);
                assert!(scope.registers.contains(&access.register));
            }
            Stmt::Barrier => assert!(together, "some work-items wait alone"),
            Stmt::Reduce { into, part, .. } => {
                assert!(together, "some work-items combine alone");
                assert!(
                    scope.locals.contains(part),
                    "local {part} is reduced outside its scope"
                );
                self.local(*into, scope);
            }
            Stmt::Scan { into, term, sum, .. } => {
                assert!(together, "some work-items add up alone");
                for id in [term, sum] {
                    assert!(
                        scope.locals.contains(id),
                        "local {id} is added up outside its scope"
                    );
                }
                self.local(*into, scope);
            }
            Stmt::Lanes(l) => {
                for id in [l.lane, l.lanes] {
                    assert!(
                        scope.locals.contains(&id),
                        "local {id} deals lanes outside its scope"
                    );
                }
            }
            Stmt::If(_) | Stmt::Loop(_) | Stmt::Assert(..) => {}
        }
        let together = together
            && match stmt {
                Stmt::Leader(..) | Stmt::Lanes(_) => false,
                Stmt::Loop(l) => matches!(l.kind, LoopKind::Groups | LoopKind::Chunks | LoopKind::Rounds),
                _ => true,
            };
        for inner in stmt.blocks() {
            let mut scope = scope.clone();
            if let Stmt::Lanes(l) = stmt {
                self.local(l.index, &mut scope);
            }
            if let Stmt::Loop(l) = stmt {
                self.local(l.index, &mut scope);
                if let End::ThroughLast(_, more) = l.end {
                    self.local(more, &mut scope);
                }
            }
            self.block(inner, scope, together);
        }
    }

    fn local(&mut self, id: LocalId, scope: &mut Scope) {
        assert!(self.locals.insert(id), "local {id} is declared twice");
        scope.locals.insert(id);
    }

    fn register(&mut self, id: RegisterId, scope: &mut Scope) {
        assert!(self.registers.insert(id), "register {id} is declared twice");
        scope.registers.insert(id);
    }
}

fn uses(e: &Expr, scope: &Scope) {
    e.walk(&mut |e| match &e.kind {
        ExprKind::Local(id) => assert!(scope.locals.contains(id), "local {id} is read outside its scope"),
        ExprKind::Load(memory, _) => place(memory.place, scope),
        _ => {}
    });
}

fn place(place: Place, scope: &Scope) {
    match place {
        Place::Buffer(_) => {}
        Place::Row(id) => assert!(scope.rows.contains(&id), "row {id} is used outside its scope"),
        Place::Register(id) => assert!(
            scope.registers.contains(&id),
            "register {id} is used outside its scope"
        ),
    }
}

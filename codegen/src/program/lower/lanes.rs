//! Loops over lanes, dealt to work-items: in whole vectors, then, where the extent is not known to be a multiple of
//! them, one by one.

use super::Lowering;
use crate::ir::{self, Binary, LocalId, Scalar, StmtId};
use crate::program::{
    End, Expr, ExprKind, If, Lanes, Loop, LoopKind, Register, RegisterId, Stmt, VectorAccess,
};
use crate::schedule::{LoopVectors, Plan, Vector, is_constant};

/// A loop over whole vectors.
pub(super) struct VectorLoop<'a> {
    vectors: &'a LoopVectors,
    /// Its index in the kernel.
    pub(super) index: LocalId,
    /// The position inside a vector.
    pub(super) position: LocalId,
    /// By position in the schedule's list: the register, and the variable that its current element is bound to.
    registers: Vec<(RegisterId, Option<LocalId>)>,
}

/// The lanes of a loop that one work-group does.
struct Span {
    begin: Expr,
    end: Expr,
}

impl Span {
    /// Where the last whole vector ends.
    fn whole(&self) -> Expr {
        let from_begin = !matches!(self.begin.kind, ExprKind::Int(0));
        let mut length = self.end.clone();
        if from_begin {
            length = Expr::arithmetic(Binary::Sub, length, self.begin.clone());
        }
        let vectors = Expr::arithmetic(Binary::Div, length, width());
        let whole = Expr::arithmetic(Binary::Mul, vectors, width());
        match from_begin {
            true => Expr::arithmetic(Binary::Add, self.begin.clone(), whole),
            false => whole,
        }
    }
}

/// An element of a register.
pub(super) struct Held {
    pub(super) register: RegisterId,
    /// Which one.
    pub(super) element: Expr,
    /// The variable that holds its loaded value.
    pub(super) value: Option<LocalId>,
}

impl VectorLoop<'_> {
    /// The element of a register that an access reaches.
    pub(super) fn held(&self, place: ir::Place, index: &ir::Expr) -> Option<Held> {
        let (at, which) = self.vectors.find(self.index, place, index)?;
        let (register, value) = self.registers[at];
        let position = i32(ExprKind::Local(self.position));
        let element = match (self.vectors.registers[at].step, which) {
            (1, _) => position,
            (step, 0) => times(step, position),
            (step, which) => {
                let which = i32(ExprKind::Int(which.into()));
                let first = times(step, position);
                i32(ExprKind::Binary(Binary::Add, Box::new(first), Box::new(which)))
            }
        };
        Some(Held {
            register,
            element,
            value,
        })
    }
}

fn i32(kind: ExprKind) -> Expr {
    Expr {
        kind,
        ty: Scalar::I32,
    }
}

fn times(step: u8, position: Expr) -> Expr {
    let step = i32(ExprKind::Int(step.into()));
    i32(ExprKind::Binary(Binary::Mul, Box::new(step), Box::new(position)))
}

fn width() -> Expr {
    i32(ExprKind::Width)
}

fn variable(id: LocalId) -> Expr {
    Expr::index(ExprKind::Local(id))
}

impl<'a> Lowering<'a> {
    /// Deals the lanes of the loop `id` to work-items.
    pub(super) fn lanes(
        &mut self,
        id: StmtId,
        index: LocalId,
        extent: &ir::Expr,
        body: &[ir::Stmt],
        out: &mut Vec<Stmt>,
    ) {
        if !ir::scanned(body).is_empty() {
            let bound = self.value(extent);
            let chunks = self.chunks(index, &bound, body);
            return out.push(chunks);
        }
        let span = self.span(extent);
        if self.schedule.width.is_none() {
            let index = self.declare(index);
            let body = self.block(body);
            return out.push(self.dealt(index, &span, Expr::int(1), body));
        }
        let plan = &self.schedule.vectors.loops[&id];
        if is_constant(extent) {
            return out.extend(self.vector_loops(plan, index, &span));
        }
        let whole = self.made("whole", Scalar::I64);
        out.push(Stmt::Let(whole, Some(span.whole())));
        let vectors = Span {
            begin: span.begin,
            end: variable(whole),
        };
        out.extend(self.vector_loops(plan, index, &vectors));
        out.push(Stmt::Loop(Loop {
            kind: LoopKind::Tail,
            index: self.declare(index),
            start: Expr::arithmetic(Binary::Add, variable(whole), variable(self.lane)),
            end: End::Below(span.end),
            step: variable(self.lanes),
            body: self.block(body),
        }));
    }

    /// The lanes of a loop that a work-group does: all, or those of its part of the row.
    fn span(&self, extent: &ir::Expr) -> Span {
        match self.part {
            Some((begin, end)) => Span {
                begin: variable(begin),
                end: variable(end),
            },
            None => Span {
                begin: Expr::int(0),
                end: self.value(extent),
            },
        }
    }

    fn dealt(&self, index: LocalId, span: &Span, run: Expr, body: Vec<Stmt>) -> Stmt {
        Stmt::Lanes(Lanes {
            index,
            lane: self.lane,
            lanes: self.lanes,
            begin: span.begin.clone(),
            end: span.end.clone(),
            run,
            body,
        })
    }

    /// One loop for each way in which const parameters let a loop be done.
    fn vector_loops(&mut self, plan: &'a Plan, index: LocalId, span: &Span) -> Vec<Stmt> {
        match plan {
            Plan::Loop(vectors) => vec![self.vector_loop(vectors, index, span)],
            Plan::Choice(id, yes, no) => vec![Stmt::If(If {
                condition: Expr {
                    kind: ExprKind::Const(*id),
                    ty: Scalar::Bool,
                },
                constant: true,
                then: self.vector_loops(yes, index, span),
                otherwise: self.vector_loops(no, index, span),
            })],
        }
    }

    fn vector_loop(&mut self, vectors: &'a LoopVectors, index: LocalId, span: &Span) -> Stmt {
        let first = self.declare(index);
        let position = self.made("v", Scalar::I32);
        let registers: Vec<_> = vectors
            .registers
            .iter()
            .map(|v| self.register(v, index))
            .collect();
        let mut body = Vec::new();
        for (v, (register, _)) in vectors.registers.iter().zip(&registers) {
            body.push(match v.loaded {
                true => Stmt::VectorLoad(self.access(v, *register, first)),
                false => Stmt::Register(*register),
            });
        }
        let mut inner: Vec<Stmt> = Vec::new();
        for (register, value) in &registers {
            if let Some(value) = value {
                let load = ExprKind::Load(
                    self.register_memory(*register),
                    Box::new(i32(ExprKind::Local(position))),
                );
                let ty = self.locals[*value].ty;
                inner.push(Stmt::Let(*value, Some(Expr { kind: load, ty })));
            }
        }
        let stores: Vec<Stmt> = vectors
            .registers
            .iter()
            .zip(&registers)
            .filter(|(v, _)| v.stored)
            .map(|(v, (register, _))| Stmt::VectorStore(self.access(v, *register, first)))
            .collect();
        self.vector = Some(VectorLoop {
            vectors,
            index,
            position,
            registers,
        });
        inner.extend(self.block(&vectors.body));
        self.vector = None;
        body.push(Stmt::Loop(Loop {
            kind: LoopKind::Positions,
            index: position,
            start: i32(ExprKind::Int(0)),
            end: End::Below(width()),
            step: i32(ExprKind::Int(1)),
            body: inner,
        }));
        body.extend(stores);
        self.dealt(first, span, width(), body)
    }

    /// A register, and a variable for its current element where that is only read.
    fn register(&mut self, v: &Vector, index: LocalId) -> (RegisterId, Option<LocalId>) {
        let place = self.kernel.place_name(v.place);
        let element = self.kernel.buffer_like(v.place).element;
        self.registers.push(Register {
            name: format!("{place}_vec"),
            element,
            step: v.step,
            mutable: v.stored,
        });
        let value = (v.step == 1 && v.loaded && !v.stored).then(|| {
            let ty = self.kernel.value_of(element);
            self.made(&format!("{place}_{}", self.source[index].name), ty)
        });
        (self.registers.len() - 1, value)
    }

    fn access(&self, v: &Vector, register: RegisterId, index: LocalId) -> VectorAccess {
        let mut first = variable(index);
        if v.step > 1 {
            first = Expr::arithmetic(Binary::Mul, Expr::int(v.step.into()), first);
        }
        if let Some(offset) = v.offset(self.kernel) {
            first = Expr::arithmetic(Binary::Add, first, self.index(&offset));
        }
        VectorAccess {
            register,
            memory: self.memory(v.place),
            first,
        }
    }
}

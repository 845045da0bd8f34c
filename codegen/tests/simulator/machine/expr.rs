//! Values of expressions, for the work-item at work.

use oxysycl_codegen::ir::{Binary, Expr, ExprKind, LocalId, Reduce, Scalar, Type, Update};

use super::Machine;
use crate::finding::Stop;
use crate::value::{self, Value};

fn scalar(ty: Type) -> Scalar {
    ty.scalar().expect("kernels of the simulator name no other items")
}

impl Machine<'_> {
    pub(super) fn evaluate(&mut self, e: &Expr) -> Result<Value, Stop> {
        Ok(match &e.kind {
            ExprKind::Int(value) if scalar(e.ty) == Scalar::F32 => Value::Float(*value as f32),
            ExprKind::Int(value) => Value::Int(*value),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Local(id) => self.item().locals[*id],
            ExprKind::Param(id) => self.case.args[*id],
            ExprKind::Const(id) => self.case.consts[*id],
            ExprKind::Unary(op, a) => {
                let a = self.evaluate(a)?;
                value::unary(*op, scalar(e.ty), a)?
            }
            ExprKind::Binary(op, a, b) => self.operation(*op, a, b)?,
            ExprKind::Cast(a) => {
                let a = self.evaluate(a)?;
                value::cast(scalar(e.ty), a)
            }
            ExprKind::Math(math, args) => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.evaluate(arg)?);
                }
                value::math(*math, scalar(args[0].ty), &values)?
            }
            ExprKind::Select(cond, a, b) => {
                let taken = if self.evaluate(cond)?.truth() { a } else { b };
                self.evaluate(taken)?
            }
            ExprKind::IsEmpty(id) => Value::Bool(!self.case.given[*id]),
            ExprKind::Load(place, index) => {
                let index = self.evaluate(index)?.int();
                self.load(*place, index, e)?
            }
            ExprKind::Reduce(reduce, part) => match part.kind {
                // All work-items have it.
                ExprKind::Local(id) if self.running.contains(&id) => self.item().locals[id],
                ExprKind::Local(id) => self.reduced(*reduce, id),
                _ => return Err(Stop::unknown("a reduction of a value")),
            },
            ExprKind::ScanSum(sum) => self.evaluate(sum)?,
            ExprKind::ReducePlace(reduce, extreme, place) => match (&extreme.kind, &place.kind) {
                (ExprKind::Local(extreme), ExprKind::Local(place)) => {
                    self.reduced_place(*reduce, *extreme, *place)
                }
                _ => return Err(Stop::unknown("the place of a value")),
            },
            other => return Err(Stop::unknown(other)),
        })
    }

    fn operation(&mut self, op: Binary, a: &Expr, b: &Expr) -> Result<Value, Stop> {
        let ty = scalar(a.ty);
        let a = self.evaluate(a)?;
        match op {
            Binary::And if !a.truth() => return Ok(a),
            Binary::Or if a.truth() => return Ok(a),
            _ => {}
        }
        let b = self.evaluate(b)?;
        let value = value::binary(op, ty, a, b)?;
        if let (Value::Float(value), Value::Float(a), Value::Float(b)) = (value, a, b) {
            self.note_rounding(op, f64::from(a), f64::from(b), value);
        }
        Ok(value)
    }

    /// Sums of rounded numbers depend on their order.
    fn note_rounding(&mut self, op: Binary, a: f64, b: f64, value: f32) {
        let exact = match op {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            _ => return,
        };
        self.rounded |= exact.is_finite() && exact != f64::from(value);
    }

    /// What all work-items gathered.
    fn reduced(&mut self, reduce: Reduce, part: LocalId) -> Value {
        let parts: Vec<Value> = self.items.iter().map(|item| item.locals[part]).collect();
        match scalar(self.kernel.locals[part].ty) {
            Scalar::F32 => Value::Float(self.reduced_floats(reduce, parts)),
            Scalar::Bool => {
                let mut parts = parts.into_iter().map(Value::truth);
                Value::Bool(match reduce {
                    Reduce::Any => parts.any(|part| part),
                    Reduce::All => parts.all(|part| part),
                    _ => panic!("the checks refuse `{}` of `bool`", reduce.word()),
                })
            }
            ty => {
                let parts = parts.into_iter().map(Value::int);
                let combined = match reduce {
                    Reduce::Sum => Some(parts.sum()),
                    Reduce::Max => parts.max(),
                    Reduce::Min => parts.min(),
                    _ => panic!("the checks refuse `{}` of integers", reduce.word()),
                };
                Value::Int(value::wrapped(ty, combined.expect("there are work-items")))
            }
        }
    }

    fn reduced_floats(&mut self, reduce: Reduce, parts: Vec<Value>) -> f32 {
        let parts: Vec<f32> = parts.into_iter().map(Value::float).collect();
        let fold = |f: fn(f32, f32) -> f32| parts.iter().copied().reduce(f).expect("there are work-items");
        match reduce {
            Reduce::Sum => {
                let exact: f64 = parts.iter().copied().map(f64::from).sum();
                self.rounded |= exact.is_finite() && exact != f64::from(exact as f32);
                exact as f32
            }
            Reduce::Max => fold(f32::max),
            Reduce::Min => fold(f32::min),
            _ => panic!("the checks refuse `{}` of floats", reduce.word()),
        }
    }

    /// The least place of those work-items whose value no other one's is beyond.
    fn reduced_place(&mut self, reduce: Reduce, extreme: LocalId, place: LocalId) -> Value {
        let beyond = |a: Value, b: Value| match (a, b) {
            (Value::Float(a), Value::Float(b)) if reduce == Reduce::Max => a > b,
            (Value::Float(a), Value::Float(b)) => a < b,
            (a, b) if reduce == Reduce::Max => a.int() > b.int(),
            (a, b) => a.int() < b.int(),
        };
        let values = || self.items.iter().map(|item| item.locals[extreme]);
        let best = self
            .items
            .iter()
            .filter(|item| !values().any(|other| beyond(other, item.locals[extreme])))
            .map(|item| item.locals[place].int());
        Value::Int(best.min().expect("no value is beyond all others"))
    }

    pub(super) fn update(&mut self, id: LocalId, update: Update, e: &Expr) -> Result<Value, Stop> {
        let ty = self.kernel.locals[id].ty;
        self.evaluate(&update.applied(id, ty, e))
    }
}

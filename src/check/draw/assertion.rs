//! Arguments that meet what a kernel asserts.

use oxysycl_codegen::eval::{self, Values};
use oxysycl_codegen::ir::{Binary, Expr, ExprKind, Kernel, ParamId, ParamKind, Scalar, StmtKind};

/// Numbers that no size follows from.
const FLOATS: [f32; 4] = [1e-6, 0.75, 1.5, 3.0];
pub(super) const INTEGERS: [i64; 4] = [1, 0, 2, 3];

/// Arguments tried until the assertions hold.
const TRIES: usize = 5000;

/// Gives each parameter of `free` a value, such that all assertions hold if that can be done; `seed` decides which values are
/// tried first.
pub(super) fn complete(ir: &Kernel, free: &[ParamId], seed: u64, values: Values) -> Values {
    let mut search = Search {
        ir,
        conditions: conditions(ir),
        seed,
        left: TRIES,
    };
    let mut order = free.to_vec();
    // What another argument determines comes after it.
    order.sort_by_key(|id| {
        search
            .conditions
            .iter()
            .any(|(op, a, b)| *op == Binary::Eq && is(*id, a, b))
    });
    let first = order.iter().fold(values.clone(), |values, id| {
        let value = search.values(*id, &values).into_iter().next();
        value
            .into_iter()
            .fold(values, |values, value| value.given(*id, values))
    });
    search.complete(&order, values).unwrap_or(first)
}

/// A value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Integer(i64),
    Float(f32),
}

impl Value {
    fn given(self, id: ParamId, mut values: Values) -> Values {
        match self {
            Value::Integer(value) => _ = values.params.insert(id, value),
            Value::Float(value) => _ = values.float_params.insert(id, value),
        }
        values
    }
}

/// What is tried for the parameters, one after the other.
struct Search<'a> {
    ir: &'a Kernel,
    /// Comparisons that must all hold.
    conditions: Vec<(Binary, &'a Expr, &'a Expr)>,
    seed: u64,
    left: usize,
}

impl Search<'_> {
    fn complete(&mut self, free: &[ParamId], values: Values) -> Option<Values> {
        if self.left == 0 || !eval::asserted(self.ir, &values) {
            self.left = self.left.saturating_sub(1);
            return None;
        }
        let Some((id, rest)) = free.split_first() else {
            return Some(values);
        };
        let tried = self.values(*id, &values);
        tried
            .into_iter()
            .find_map(|value| self.complete(rest, value.given(*id, values.clone())))
    }

    /// Values of a parameter: some plain ones, and those at and about the bounds that assertions set, as far as these are
    /// known from what others have.
    fn values(&self, id: ParamId, values: &Values) -> Vec<Value> {
        let ParamKind::Scalar(ty) = self.ir.params[id].kind else {
            return Vec::new();
        };
        let values = eval::before_grid(self.ir, values);
        let bounds = self.conditions.iter().filter(|(_, a, b)| is(id, a, b));
        let mut all: Vec<Value> = match ty {
            Scalar::F32 => FLOATS.map(Value::Float).to_vec(),
            Scalar::Bool => [1, 0].map(Value::Integer).to_vec(),
            _ => INTEGERS.map(Value::Integer).to_vec(),
        };
        for (op, a, b) in bounds {
            let bound = if is_param(id, a) { b } else { a };
            let about = match ty {
                Scalar::F32 => eval::float(bound, &values).map(floats_about).unwrap_or_default(),
                _ => eval::integer(bound, &values)
                    .map(integers_about)
                    .unwrap_or_default(),
            };
            if *op == Binary::Eq && !about.is_empty() {
                return about[..1].to_vec();
            }
            all.extend(about);
        }
        all.retain(|value| has(ty, *value));
        all.dedup();
        let first = (self.seed as usize + id) % all.len().max(1);
        all.rotate_left(first);
        all
    }
}

/// All that the assertions compare, where nothing but `&&` joins comparisons.
fn conditions(ir: &Kernel) -> Vec<(Binary, &Expr, &Expr)> {
    fn collect<'a>(e: &'a Expr, all: &mut Vec<(Binary, &'a Expr, &'a Expr)>) {
        match &e.kind {
            ExprKind::Binary(Binary::And, a, b) => {
                collect(a, all);
                collect(b, all);
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => all.push((*op, a, b)),
            // One of two is enough, but both are worth a try.
            ExprKind::Binary(Binary::Or, a, b) => {
                let mut either = Vec::new();
                collect(a, &mut either);
                collect(b, &mut either);
                all.extend(either.into_iter().filter(|(op, ..)| *op != Binary::Eq));
            }
            _ => {}
        }
    }
    let mut all = Vec::new();
    for stmt in &ir.host {
        if let StmtKind::Assert(condition, _) = &stmt.kind {
            collect(condition, &mut all);
        }
    }
    all
}

/// Whether one side of a comparison is the parameter.
fn is(id: ParamId, a: &Expr, b: &Expr) -> bool {
    is_param(id, a) || is_param(id, b)
}

fn is_param(id: ParamId, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Param(param) => *param == id,
        ExprKind::Cast(inner) => is_param(id, inner),
        _ => false,
    }
}

fn integers_about(bound: i64) -> Vec<Value> {
    let about = [
        Some(bound),
        bound.checked_sub(1),
        bound.checked_add(1),
        Some(bound / 2),
    ];
    about.into_iter().flatten().map(Value::Integer).collect()
}

fn floats_about(bound: f32) -> Vec<Value> {
    let about = [
        bound,
        bound / 2.0,
        bound * 2.0,
        bound - 1.0,
        bound + 1.0,
        bound.next_down(),
        bound.next_up(),
    ];
    about.into_iter().map(Value::Float).collect()
}

/// Whether a type has this value.
fn has(ty: Scalar, value: Value) -> bool {
    let Value::Integer(value) = value else {
        return true;
    };
    let bits = if ty == Scalar::Bool {
        1
    } else {
        ty.bits() - u32::from(ty.is_signed())
    };
    let most = (1i128 << bits) - 1;
    let least = if ty.is_signed() { -most - 1 } else { 0 };
    (least..=most).contains(&value.into())
}

//! Functions of scalars.

use super::Lowering;
use crate::ir::{self, Kernel};
use crate::program::{Function, prune};
use crate::schedule::Schedule;

/// A function that `kernel` calls.
pub(super) fn function(function: &ir::Function, kernel: &Kernel, schedule: &Schedule) -> Function {
    // Callers may pass any integer.
    let data = (0..function.locals.len()).collect();
    let mut lowering = Lowering::of(kernel, schedule, &function.locals, data);
    let params = function
        .params
        .iter()
        .map(|id| (lowering.declare(*id), prune::reads_param(function, *id)))
        .collect();
    let body = lowering.block(&function.body.stmts);
    let value = lowering.value(&function.body.value);
    Function {
        path: function.path.clone(),
        name: function.name.clone(),
        docs: function.docs.clone(),
        params,
        locals: lowering.locals,
        returns: function.returns,
        body,
        value,
    }
}

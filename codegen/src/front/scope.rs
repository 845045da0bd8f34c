//! What names stand for, block by block.

use crate::ir::{LocalId, ParamId, RowId};

/// What a name stands for inside a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// A buffer parameter.
    Buffer(ParamId),
    /// A scalar parameter of a kernel.
    Param(ParamId),
    /// A const parameter.
    Const(usize),
    /// A `let` binding, loop index or parameter of a `#[sycl_fn]`.
    Local(LocalId),
    /// A row.
    Row(RowId),
    /// A name whose declaration was refused.
    Invalid,
}

/// Nested scopes; later bindings hide earlier ones.
#[derive(Debug)]
pub(super) struct Scopes {
    stack: Vec<Vec<(String, Binding)>>,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes {
            stack: vec![Vec::new()],
        }
    }

    pub(super) fn enter(&mut self) {
        self.stack.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    pub(super) fn bind(&mut self, name: String, binding: Binding) {
        self.stack
            .last_mut()
            .expect("the outermost scope is never left")
            .push((name, binding));
    }

    pub(super) fn find(&self, name: &str) -> Option<Binding> {
        let all = self.stack.iter().rev().flat_map(|scope| scope.iter().rev());
        all.into_iter().find(|(n, _)| n == name).map(|(_, b)| *b)
    }
}

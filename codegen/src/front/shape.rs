//! `shapes(..)`, `alias(..)` and `scatter(..)`.

use syn::Ident;
use syn::spanned::Spanned;

use super::attribute::Arguments;
use super::lower::{Lower, plain};
use super::scope::Binding;
use crate::ir::{Buffer, Dim, Expr, ExprKind, Math, Param, ParamId, ParamKind, Place, Scalar, Type};

impl Lower<'_> {
    /// `shapes(..)`, `alias(..)` and `scatter(..)`.
    pub(super) fn shapes(&mut self, arguments: &Arguments) {
        for (name, dims) in &arguments.shapes {
            let Some(id) = self.buffer_named(name) else {
                continue;
            };
            let shape = dims.iter().map(|dim| Dim {
                extent: self.size(&dim.extent),
                stride: dim.stride.as_ref().map(|stride| self.size(stride)),
            });
            let shape: Vec<Dim> = shape.collect();
            if let Some(last) = dims.last().and_then(|dim| dim.stride.as_ref()) {
                self.error(
                    last.span(),
                    "the innermost dimension is contiguous; a stride belongs to an outer one",
                );
            }
            let outer = dims.iter().rposition(|dim| dim.stride.is_some()).unwrap_or(0);
            if let Some(stride) = dims
                .get(outer)
                .filter(|_| outer > 1)
                .and_then(|dim| dim.stride.as_ref())
            {
                self.error(
                    stride.span(),
                    "at most two dimensions are outside a contiguous one; split the grid, or pass one stride less",
                );
            }
            self.buffer_mut(id).shape = shape;
        }
        for (output, input) in &arguments.alias {
            self.alias(output, input);
        }
        for (buffer, by) in &arguments.scatter {
            self.scatter(buffer, by);
        }
        for id in 0..self.params.len() {
            let Param { name, kind, span, .. } = &self.params[id];
            if !arguments.incomplete && matches!(kind, ParamKind::Buffer(b) if b.shape.is_empty()) {
                let message = format!(
                    "what does `{name}` hold? Add `{name} = [rows @ row_stride, width]` to `shapes(..)`"
                );
                let span = *span;
                self.error(span, message);
            }
        }
    }

    fn alias(&mut self, output: &Ident, input: &Ident) {
        let (Some(out), Some(source)) = (self.buffer_named(output), self.buffer_named(input)) else {
            return;
        };
        let Buffer { mutable, element, .. } = *self.buffer_mut(source);
        if !self.buffer_mut(out).mutable || mutable {
            self.error(
                output.span(),
                "`alias(output = input)` names a `&mut [T]` parameter and a `&[T]` one",
            );
        } else if self.buffer_mut(out).element != element {
            self.error(
                output.span(),
                format_args!("`{output}` and `{input}` hold different types, so they cannot be one buffer"),
            );
        } else {
            self.buffer_mut(out).aliases.push(source);
        }
    }

    fn scatter(&mut self, buffer: &Ident, by: &Ident) {
        let (Some(target), Some(indices)) = (self.buffer_named(buffer), self.buffer_named(by)) else {
            return;
        };
        if !self.buffer_mut(target).mutable {
            self.error(
                buffer.span(),
                format_args!("`{buffer}` is not written; loads gather by any index, without `scatter(..)`"),
            );
        } else if self.buffer_mut(indices).mutable
            || self.element_value(Place::Buffer(indices)) != Type::Scalar(Scalar::I64)
        {
            self.error(
                by.span(),
                format_args!("`{by}` is no `&[T]` of integers, by which rows could be addressed"),
            );
        } else {
            self.buffer_mut(target).scattered_by = Some(indices);
        }
    }

    /// An extent or stride: integers that the host works out from the arguments.
    fn size(&mut self, e: &syn::Expr) -> Expr {
        let (stmts, size) = self.in_block(|lower| lower.value(e));
        let arithmetic = |part: &Expr| {
            matches!(
                &part.kind,
                ExprKind::Int(_)
                    | ExprKind::Bool(_)
                    | ExprKind::Param(_)
                    | ExprKind::Const(_)
                    | ExprKind::Item(_)
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Cast(_)
                    | ExprKind::Select(..)
                    | ExprKind::Math(Math::Max | Math::Min, _)
                    | ExprKind::Invalid
            )
        };
        if !stmts.is_empty() || size.any(&mut |part| !arithmetic(part)) {
            return self.invalid(
                e.span(),
                "sizes and strides are integer arithmetic on parameters and constants",
            );
        }
        if size.ty != Type::Opaque && self.infer.unify(size.ty, Type::Scalar(Scalar::I64)).is_err() {
            return self.invalid(e.span(), "sizes and strides are `i64`; convert with `as i64`");
        }
        size
    }

    pub(super) fn buffer_named(&mut self, name: &Ident) -> Option<ParamId> {
        match self.scopes.find(&plain(name)) {
            Some(Binding::Buffer(id)) => Some(id),
            Some(Binding::Invalid) => None,
            _ => {
                self.error(
                    name.span(),
                    format_args!("`{name}` is no buffer parameter of this kernel"),
                );
                None
            }
        }
    }

    pub(super) fn buffer_mut(&mut self, id: ParamId) -> &mut Buffer {
        match &mut self.params[id].kind {
            ParamKind::Buffer(buffer) => buffer,
            ParamKind::Scalar(_) => unreachable!("buffer bindings name buffers"),
        }
    }
}

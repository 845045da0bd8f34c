//! Calls: the words of the language, built-in functions and methods, and `#[sycl_fn]`s.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr as SynExpr, ExprCall, ExprMethodCall};

use super::Externals;
use super::lower::{Context, Lower, plain};
use super::scope::Binding;
use crate::ir::{
    Combines, Element, Expr, ExprKind, GroupWord, Math, ParamId, ParamKind, Place, Reduce, SCAN_SUM, Scalar,
    Slot, Syntax, Type,
};
use crate::source::Callee;

/// The words that loops run over.
const LOOPS: [&str; 3] = ["groups", "elements", "lanes"];

/// A call of one of the language's words: its name and arguments.
pub(super) fn word_call(e: &SynExpr) -> Option<(String, Vec<&SynExpr>)> {
    let SynExpr::Call(call) = e else { return None };
    let name = word(&call.func)?;
    Some((name, call.args.iter().collect()))
}

fn word(func: &SynExpr) -> Option<String> {
    let SynExpr::Path(path) = func else { return None };
    let name = path.path.segments.last()?.ident.to_string();
    (LOOPS.contains(&name.as_str()) || GroupWord::named(&name).is_some()).then_some(name)
}

/// The operation that a function of a type is: `f32::from_bits`.
fn associated(path: &syn::Path) -> Option<Math> {
    let segments: Vec<_> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    match &segments[..] {
        [.., ty, name] if ty == "f32" => Math::find(Syntax::Associated, name),
        _ => None,
    }
}

impl Lower<'_> {
    pub(super) fn call(&mut self, call: &ExprCall) -> Expr {
        let span = call.span();
        if let Some(name) = word(&call.func) {
            return match GroupWord::named(&name) {
                Some(word) => self.group_word(word, &name, call),
                None => self.invalid(
                    span,
                    format_args!("`{name}(..)` stands only after `in`: `for i in {name}(n)`"),
                ),
            };
        }
        let SynExpr::Path(path) = &*call.func else {
            call.args.iter().for_each(|arg| self.value_if_scalar(arg));
            return self.invalid(call.func.span(), "only functions are called here, by their path");
        };
        if let Some(math) = associated(&path.path) {
            let args = call.args.iter().map(|arg| self.value(arg)).collect();
            return self.math(math, args, span);
        }
        if let Some(refusal) = self.not_callable(path) {
            call.args.iter().for_each(|arg| self.value_if_scalar(arg));
            return self.invalid(path.span(), refusal);
        }
        let args: Vec<Expr> = call.args.iter().map(|arg| self.value(arg)).collect();
        let name = super::path_name(path);
        if !self.paths.calls.contains(path) {
            self.paths.calls.push(path.clone());
        }
        match self.externals {
            Externals::Unknown => {
                // What the function takes decides the types of literals.
                for arg in &args {
                    self.same(arg.ty, Type::Opaque, arg.span);
                }
                Expr {
                    kind: ExprKind::Call(name, args),
                    ty: Type::Opaque,
                    span,
                }
            }
            Externals::Known { calls, .. } => match calls.iter().find(|(path, _)| *path == name) {
                Some((_, Callee::Builtin(builtin))) => self.builtin(builtin, args, span),
                Some((_, Callee::Function(source))) => self.function_call(name, source(), args, span),
                None => self.invalid(span, format_args!("`{name}` is not known")),
            },
        }
    }

    /// Why a path is no function that kernels may call, if its look tells.
    fn not_callable(&self, path: &syn::ExprPath) -> Option<String> {
        let segments: Vec<&syn::PathSegment> = path.path.segments.iter().collect();
        let [owners @ .., last] = &segments[..] else {
            return None;
        };
        let (name, owner) = (&last.ident, owners.last().map(|s| s.ident.to_string()));
        if owners.is_empty() && plain(name) == self.name {
            return Some(format!(
                "`{name}` calls itself, which a device cannot do; write a loop"
            ));
        }
        if owner
            .as_deref()
            .is_some_and(|owner| Scalar::from_rust(owner).is_some())
        {
            return Some(format!(
                "functions of types are called as methods, `x.{name}(..)`, and numbers are converted with `as`"
            ));
        }
        let of_type = owner.unwrap_or_else(|| name.to_string());
        if of_type.starts_with(char::is_uppercase) {
            return Some(format!(
                "values in kernels are scalars; `{of_type}` has no place among them"
            ));
        }
        let generic = path.qself.is_some() || segments.iter().any(|s| !s.arguments.is_none());
        generic.then(|| "functions that kernels call have no generic parameters".to_owned())
    }

    fn function_call(
        &mut self,
        name: String,
        function: &crate::source::FunctionSource,
        args: Vec<Expr>,
        span: Span,
    ) -> Expr {
        let Ok(item) = syn::parse_str::<syn::ItemFn>(function.text) else {
            return self.invalid(span, format_args!("the source of `{name}` cannot be read"));
        };
        let types: Vec<&syn::Type> = item
            .sig
            .inputs
            .iter()
            .filter_map(|arg| match arg {
                syn::FnArg::Typed(arg) => Some(&*arg.ty),
                syn::FnArg::Receiver(_) => None,
            })
            .collect();
        for (arg, ty) in args.iter().zip(types) {
            if let Some(ty) = self.scalar_type(ty) {
                self.same(arg.ty, Type::Scalar(ty), arg.span);
            }
        }
        let ty = match &item.sig.output {
            syn::ReturnType::Type(_, ty) => self.scalar_type(ty).map_or(Type::Opaque, Type::Scalar),
            syn::ReturnType::Default => Type::Opaque,
        };
        Expr {
            kind: ExprKind::Call(name, args),
            ty,
            span,
        }
    }

    fn group_word(&mut self, group_word: GroupWord, word: &str, call: &ExprCall) -> Expr {
        let refusal = match (self.context, group_word) {
            (Context::Lanes, GroupWord::ScanSum) => None,
            (Context::Group, GroupWord::ScanSum) => Some(format!(
                "`{word}` is the sum up to a lane, so it stands inside `lanes`; the sum over all lanes is `group_sum(..)`, after the loop"
            )),
            (Context::Group, _) => None,
            (Context::Lanes, _) => Some(format!(
                "`{word}` inside `lanes`: a reduction is done by all work-items of the row together; gather in the loop and reduce after it"
            )),
            (Context::Elements, _) => Some(format!(
                "`{word}` inside `elements`, where there are no rows; use `groups` and `lanes`"
            )),
            (Context::Host, _) => Some(format!(
                "`{word}` combines what the lanes of a row gathered, so it stands inside `groups`"
            )),
            (Context::Function, _) => Some(format!(
                "a `#[sycl_fn]` works on scalars; `{word}` belongs in the kernel"
            )),
        };
        if let Some(refusal) = refusal {
            call.args.iter().for_each(|arg| self.value_if_scalar(arg));
            return self.invalid(call.func.span(), refusal);
        }
        match group_word {
            GroupWord::Reduce(reduce) => self.reduce(reduce, call),
            GroupWord::Place(reduce) => self.reduce_place(reduce, word, call),
            GroupWord::ScanSum => self.scan_sum(call),
        }
    }

    fn reduce(&mut self, reduce: Reduce, call: &ExprCall) -> Expr {
        let (span, word) = (call.span(), reduce.word());
        let [arg] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.invalid(span, format_args!("`{word}(x)` takes one value"));
        };
        let value = self.value(arg);
        let ty = match reduce.row().combines {
            // The only floats that are combined.
            Combines::Numbers if self.infer.is_float(value.ty) => {
                self.same(value.ty, Type::Scalar(Scalar::F32), arg.span())
            }
            Combines::Numbers => value.ty,
            Combines::Conditions => self.same(value.ty, Type::Scalar(Scalar::Bool), arg.span()),
        };
        Expr {
            kind: ExprKind::Reduce(reduce, Box::new(value)),
            ty,
            span,
        }
    }

    fn scan_sum(&mut self, call: &ExprCall) -> Expr {
        let span = call.span();
        let [arg] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.invalid(span, format_args!("`{SCAN_SUM}(x)` takes one value"));
        };
        let value = self.value(arg);
        let ty = value.ty;
        Expr {
            kind: ExprKind::ScanSum(Box::new(value)),
            ty,
            span,
        }
    }

    fn reduce_place(&mut self, reduce: Reduce, word: &str, call: &ExprCall) -> Expr {
        let span = call.span();
        let [extreme, place] = call.args.iter().collect::<Vec<_>>()[..] else {
            call.args.iter().for_each(|arg| self.value_if_scalar(arg));
            return self.invalid(
                span,
                format_args!("`{word}(m, place)` takes what lanes found and where they found it"),
            );
        };
        let (extreme, place) = (self.value(extreme), self.value(place));
        let ty = self.same(place.ty, Type::Scalar(Scalar::I64), place.span);
        Expr {
            kind: ExprKind::ReducePlace(reduce, Box::new(extreme), Box::new(place)),
            ty,
            span,
        }
    }

    pub(super) fn method(&mut self, call: &ExprMethodCall) -> Expr {
        let span = call.span();
        let at = call.method.span();
        let name = call.method.to_string();
        if let Some(id) = self
            .optional_buffer(&call.receiver)
            .filter(|_| name == "is_empty")
        {
            return Expr {
                kind: ExprKind::IsEmpty(id),
                ty: Type::Scalar(Scalar::Bool),
                span,
            };
        }
        match name.as_str() {
            "load" => return self.load(call),
            "sin_cos" => {
                return self.invalid(at, "`sin_cos` gives two values: `let (sin, cos) = x.sin_cos();`");
            }
            "store" => return self.invalid(at, "`store` gives no value; it is a statement of its own"),
            "row" | "row_mut" => {
                return self.invalid(at, "bind the row to a name first: `let x = buffer.row(offset);`");
            }
            "len" | "is_empty" => {
                return self.invalid(
                    at,
                    format_args!("`.{name}()` is not known on the device; pass the size as a parameter"),
                );
            }
            _ => {}
        }
        let Some(math) = Math::find(Syntax::Method, &name) else {
            self.value_if_scalar(&call.receiver);
            return self.invalid(at, super::advice::unknown_method(&name));
        };
        let mut args = vec![self.value(&call.receiver)];
        args.extend(call.args.iter().map(|arg| self.value(arg)));
        self.math(math, args, span)
    }

    /// The sine and the cosine of one value.
    pub(super) fn sin_cos(&mut self, call: &ExprMethodCall) -> Vec<Expr> {
        let span = call.span();
        let angle = self.value(&call.receiver);
        let angle = self.bind_value(angle, "angle");
        let of = |lower: &mut Self, math| lower.math(math, vec![angle.clone()], span);
        vec![of(self, Math::Sin), of(self, Math::Cos)]
    }

    /// The buffer that an expression is, if it may be null.
    fn optional_buffer(&self, e: &SynExpr) -> Option<ParamId> {
        match self.scopes.find(&plain(super::stmt::ident(e)?))? {
            Binding::Buffer(id) => match &self.params[id].kind {
                ParamKind::Buffer(buffer) if buffer.optional => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    /// Looks into a part of something that was refused for further problems, unless it is a buffer.
    fn value_if_scalar(&mut self, e: &SynExpr) {
        if super::stmt::ident(e).is_none() || self.is_scalar_name(e) {
            let value = self.value(e);
            self.same(value.ty, Type::Opaque, value.span);
        }
    }

    fn builtin(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Expr {
        match Math::find(Syntax::Function, name) {
            Some(math) => self.math(math, args, span),
            None => self.invalid(span, format_args!("there is no built-in `{name}`")),
        }
    }

    fn math(&mut self, math: Math, args: Vec<Expr>, span: Span) -> Expr {
        let row = math.row();
        if args.len() != row.takes.len() {
            let (given, count) = (args.len(), row.takes.len());
            return self.invalid(
                span,
                format_args!(
                    "`{}` works on {count} values, not {given}, the one before the dot among them",
                    math.name()
                ),
            );
        }
        // What is of one type in all slots is that of the first argument.
        let mut shared = args[0].ty;
        for (arg, slot) in args.iter().zip(row.takes) {
            match slot {
                Slot::Fixed(scalar) => {
                    self.same(arg.ty, Type::Scalar(*scalar), arg.span);
                }
                Slot::Integer | Slot::Number => shared = self.same(arg.ty, shared, arg.span),
            }
        }
        let ty = match row.gives {
            Slot::Fixed(scalar) => Type::Scalar(scalar),
            Slot::Integer | Slot::Number => shared,
        };
        Expr {
            kind: ExprKind::Math(math, args),
            ty,
            span,
        }
    }

    fn load(&mut self, call: &ExprMethodCall) -> Expr {
        let span = call.span();
        let Some(place) = self.place(&call.receiver) else {
            return super::grid::placeholder(span);
        };
        let [index] = call.args.iter().collect::<Vec<_>>()[..] else {
            return self.invalid(call.method.span(), "`load(i)` takes an index");
        };
        if self.context == Context::Host {
            self.device_memory_on_host(call.method.span());
        }
        let index = self.extent(index);
        let ty = self.element_value(place);
        Expr {
            kind: ExprKind::Load(place, Box::new(index)),
            ty,
            span,
        }
    }

    /// The type that loads from a place give.
    pub(super) fn element_value(&self, place: Place) -> Type {
        let buffer = match place {
            Place::Buffer(id) => id,
            Place::Row(id) => self.rows[id].buffers[0],
        };
        let dtype = match &self.params[buffer].kind {
            crate::ir::ParamKind::Buffer(buffer) => match buffer.element {
                Element::DType(dtype) => dtype,
                Element::Param(param) => self.types[param].dtypes[0],
            },
            crate::ir::ParamKind::Scalar(_) => unreachable!("places name only buffers"),
        };
        Type::Scalar(dtype.value())
    }
}

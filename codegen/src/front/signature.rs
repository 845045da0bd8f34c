//! Signatures, and the attribute's arguments that speak of parameters.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Ident, ItemFn, Pat, ReturnType, Safety, Type as SynType};

use super::attribute::Arguments;
use super::lower::{Lower, plain};
use super::scope::Binding;
use crate::ir::{
    Attributes, Buffer, ConstParam, DType, Dim, Element, LocalId, Param, ParamId, ParamKind, Scalar, Type,
    TypeParam,
};

impl Lower<'_> {
    /// Type, const and ordinary parameters of a kernel.
    pub(super) fn kernel_signature(&mut self, arguments: &Arguments, item: &ItemFn) {
        self.plain_function(item, "kernel");
        if let ReturnType::Type(_, ty) = &item.sig.output {
            self.error(
                ty.span(),
                "a kernel returns nothing; store the result in a `&mut [T]` parameter",
            );
        }
        for generic in &item.sig.generics.params {
            self.generic(generic, arguments);
        }
        for (name, _) in &arguments.types {
            if !self.types.iter().any(|t| name == &t.name) {
                self.error(
                    name.span(),
                    format_args!("`{name}` is no type parameter of this kernel"),
                );
            }
        }
        for (name, _) in &arguments.instances {
            if !self.consts.iter().any(|c| name == &c.name) {
                self.error(
                    name.span(),
                    format_args!("`{name}` is no const parameter of this kernel"),
                );
            }
        }
        for arg in &item.sig.inputs {
            self.param(arg);
        }
    }

    /// Parameters and return type of a `#[sycl_fn]`.
    pub(super) fn function_signature(&mut self, item: &ItemFn) -> (Vec<LocalId>, Scalar) {
        self.plain_function(item, "`#[sycl_fn]`");
        if let Some(generic) = item.sig.generics.params.first() {
            self.error(
                generic.span(),
                "a `#[sycl_fn]` has no generic parameters; values in kernels are `f32`, integers or `bool`",
            );
        }
        let mut params = Vec::new();
        for arg in &item.sig.inputs {
            let Some((name, mutable, ty)) = self.argument(arg) else {
                continue;
            };
            match self.scalar_type(ty) {
                Some(ty) => params.push(self.bind_local(name, mutable, Type::Scalar(ty))),
                None => self.error(ty.span(), "a `#[sycl_fn]` takes scalars by value: `f32`, `bool` or a sized integer; load elements in the kernel and pass them"),
            }
        }
        let returns = match &item.sig.output {
            ReturnType::Type(_, ty) => self.scalar_type(ty).ok_or(ty.span()),
            ReturnType::Default => Err(item.sig.ident.span()),
        };
        let returns = returns.unwrap_or_else(|span| {
            self.error(
                span,
                "a `#[sycl_fn]` returns one scalar: `f32`, `bool` or a sized integer",
            );
            Scalar::F32
        });
        (params, returns)
    }

    fn plain_function(&mut self, item: &ItemFn, what: &str) {
        let sig = &item.sig;
        let odd = [
            (sig.asyncness.as_ref().map(|t| t.span()), "async"),
            (
                matches!(sig.safety, Safety::Unsafe(_)).then(|| sig.safety.span()),
                "unsafe",
            ),
            (sig.abi.as_ref().map(|t| t.span()), "extern"),
            (sig.constness.as_ref().map(|t| t.span()), "const"),
        ];
        for (span, word) in odd {
            if let Some(span) = span {
                self.error(span, format_args!("a {what} is a plain function, not `{word}`"));
            }
        }
    }

    fn generic(&mut self, generic: &GenericParam, arguments: &Arguments) {
        match generic {
            GenericParam::Lifetime(lifetime) => {
                self.error(
                    lifetime.span(),
                    "a kernel needs no lifetimes; its slices live as long as the call",
                );
            }
            GenericParam::Type(param) => {
                let dtypes = self.dtypes(&param.ident, arguments);
                self.types.push(TypeParam {
                    name: plain(&param.ident),
                    dtypes,
                });
            }
            GenericParam::Const(param) => {
                let ty = self.scalar_type(&param.ty).filter(|ty| *ty != Scalar::F32);
                let ty = ty.unwrap_or_else(|| {
                    self.error(
                        param.ty.span(),
                        "a const parameter is `bool` or a sized integer such as `i64`",
                    );
                    Scalar::I64
                });
                let id = self.consts.len();
                let instances = self.instances(&param.ident, ty, arguments);
                self.consts.push(ConstParam {
                    name: plain(&param.ident),
                    ty,
                    instances,
                });
                self.scopes.bind(plain(&param.ident), Binding::Const(id));
            }
        }
    }

    fn dtypes(&mut self, param: &Ident, arguments: &Arguments) -> Vec<DType> {
        let Some((_, list)) = arguments.types.iter().find(|(name, _)| name == param) else {
            self.error(
                param.span(),
                format_args!(
                    "which element types does `{param}` stand for? Add `types({param} = [f32, f16, bf16])`"
                ),
            );
            return vec![DType::F32];
        };
        let mut dtypes = Vec::new();
        for name in list {
            match DType::from_rust(&name.to_string()) {
                Some(dtype) if dtypes.contains(&dtype) => {
                    self.error(name.span(), format_args!("`{name}` is listed twice"));
                }
                Some(dtype) => dtypes.push(dtype),
                None => {
                    let known = DType::ALL.map(DType::rust).join(", ");
                    self.error(
                        name.span(),
                        format_args!("`{name}` is no element type; there are {known}"),
                    );
                }
            }
        }
        if dtypes.iter().any(|d| d.is_float() != dtypes[0].is_float()) {
            self.error(
                param.span(),
                format_args!("`{param}` mixes float and integer types, whose loads give different types"),
            );
        }
        if dtypes.is_empty() {
            self.error(param.span(), format_args!("`{param}` has no element types"));
            dtypes.push(DType::F32);
        }
        dtypes
    }

    fn instances(&mut self, param: &Ident, ty: Scalar, arguments: &Arguments) -> Vec<i64> {
        if ty == Scalar::Bool {
            return vec![0, 1];
        }
        let Some((_, list)) = arguments.instances.iter().find(|(name, _)| name == param) else {
            return Vec::new();
        };
        let mut values = Vec::new();
        for e in list {
            match e {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Int(lit),
                    ..
                }) => match lit.base10_parse() {
                    Ok(value) => values.push(value),
                    Err(error) => self.errors.syntax(error),
                },
                other => self.error(other.span(), "an instance is an integer literal"),
            }
        }
        values
    }

    fn param(&mut self, arg: &FnArg) {
        let Some((name, _, ty)) = self.argument(arg) else {
            return;
        };
        let id = self.params.len();
        let kind = match ty {
            SynType::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                let element = match &*reference.elem {
                    SynType::Slice(slice) => self.element(&slice.elem),
                    _ => None,
                };
                element.map(|element| {
                    ParamKind::Buffer(Buffer {
                        element,
                        mutable,
                        shape: vec![],
                        aliases: vec![],
                    })
                })
            }
            other => self.scalar_type(other).map(ParamKind::Scalar),
        };
        let Some(kind) = kind else {
            self.error(
                ty.span(),
                "a kernel takes `&[T]`, `&mut [T]`, `f32`, `bool` and sized integers such as `i64`",
            );
            self.scopes.bind(plain(name), Binding::Invalid);
            return;
        };
        let binding = match kind {
            ParamKind::Buffer(_) => Binding::Buffer(id),
            ParamKind::Scalar(_) => Binding::Param(id),
        };
        self.params.push(Param {
            name: plain(name),
            kind,
            span: name.span(),
        });
        self.scopes.bind(plain(name), binding);
    }

    /// Name, mutability and type of an argument `name: Type`.
    fn argument<'t>(&mut self, arg: &'t FnArg) -> Option<(&'t Ident, bool, &'t SynType)> {
        match arg {
            FnArg::Typed(arg) => match &*arg.pat {
                Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                    Some((&pat.ident, pat.mutability.is_some(), &arg.ty))
                }
                pat => {
                    self.error(
                        pat.span(),
                        "a parameter is one name; take values apart inside the function",
                    );
                    None
                }
            },
            FnArg::Receiver(receiver) => {
                self.error(receiver.span(), "this is for free functions, not methods");
                None
            }
        }
    }

    fn element(&self, ty: &SynType) -> Option<Element> {
        let name = single_name(ty)?;
        let by_param = self.types.iter().position(|t| t.name == name).map(Element::Param);
        by_param.or_else(|| DType::from_rust(&name).map(Element::DType))
    }

    /// The scalar type that `ty` names.
    pub(super) fn scalar_type(&self, ty: &SynType) -> Option<Scalar> {
        single_name(ty).and_then(|name| Scalar::from_rust(&name))
    }

    /// Symbol, header, selection macros and schedule hints.
    pub(super) fn attributes(&mut self, arguments: &Arguments, item: &ItemFn) -> Attributes {
        let name = plain(&item.sig.ident);
        let parameters: Vec<String> = self
            .types
            .iter()
            .map(|t| &t.name)
            .chain(self.consts.iter().map(|c| &c.name))
            .cloned()
            .collect();
        let symbol = match &arguments.symbol {
            Some(lit) => lit.value(),
            None => parameters
                .iter()
                .fold(format!("{name}_forward"), |s, p| format!("{s}_{{{p}}}")),
        };
        let span = arguments
            .symbol
            .as_ref()
            .map_or(item.sig.ident.span(), |lit| lit.span());
        self.symbol(&symbol, &parameters, span);
        for (param, _) in &arguments.select {
            if !parameters.iter().any(|p| param == p) {
                self.error(
                    param.span(),
                    format_args!("`{param}` is no type or const parameter of this kernel"),
                );
            }
        }
        let select = parameters.iter().map(|param| {
            let given = arguments.select.iter().find(|(name, _)| name == param);
            let macro_name = given.map(|(_, lit)| lit.value()).unwrap_or_else(|| {
                let kind = if self.types.iter().any(|t| t.name == *param) {
                    "_DTYPE_{}"
                } else {
                    ""
                };
                let kind = kind.replace("{}", &format!("{{{param}}}"));
                format!("OXYSYCL_{}_{}{kind}", name.to_uppercase(), param.to_uppercase())
            });
            (param.clone(), macro_name)
        });
        let select: Vec<_> = select.collect();
        for (_, lit) in &arguments.select {
            if lit
                .value()
                .contains(|c: char| !(c.is_ascii_alphanumeric() || "_{}".contains(c)))
            {
                self.error(lit.span(), format_args!("`{}` is no macro name", lit.value()));
            }
        }
        let header = arguments
            .header
            .as_ref()
            .map_or(format!("{name}.hpp"), |lit| lit.value());
        if header.starts_with('/')
            || header
                .split('/')
                .any(|part| part.is_empty() || part.starts_with('.'))
        {
            let span = arguments.header.as_ref().map_or(span, |lit| lit.span());
            self.error(
                span,
                format_args!("`{header}` is no relative file path such as `elementwise/{name}.hpp`"),
            );
        }
        Attributes {
            symbol,
            header,
            select,
            work_group: self.hint(&arguments.work_group, "work_group", |n| (1..=1024).contains(&n)),
            sub_group: self.hint(&arguments.sub_group, "sub_group", |n| n == 16 || n == 32),
            vector: self.hint(&arguments.vector, "vector", |n| matches!(n, 1 | 2 | 4 | 8 | 16)),
        }
    }

    fn symbol(&mut self, symbol: &str, parameters: &[String], span: Span) {
        let mut rest = symbol.to_owned();
        for param in parameters {
            let placeholder = format!("{{{param}}}");
            if !rest.contains(&placeholder) {
                self.error(
                    span,
                    format_args!(
                        "the symbol needs `{placeholder}`, so that each instance has a name of its own"
                    ),
                );
            }
            rest = rest.replace(&placeholder, "");
        }
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if rest.is_empty() || !rest.chars().all(valid) || rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.error(
                span,
                format_args!("`{symbol}` is no C name with placeholders such as `{{T}}`"),
            );
        }
    }

    fn hint(&mut self, lit: &Option<syn::LitInt>, what: &str, allowed: fn(u32) -> bool) -> Option<u32> {
        let lit = lit.as_ref()?;
        let value = lit.base10_parse::<u32>().ok().filter(|n| allowed(*n));
        if value.is_none() {
            let choices = match what {
                "sub_group" => "16 or 32",
                "vector" => "1, 2, 4, 8 or 16",
                _ => "1 to 1024",
            };
            self.error(lit.span(), format_args!("`{what}` is {choices}, or `auto`"));
        }
        value
    }

    /// `shapes(..)` and `alias(..)`.
    pub(super) fn shapes(&mut self, arguments: &Arguments) {
        for (name, dims) in &arguments.shapes {
            let Some(id) = self.buffer_named(name) else {
                continue;
            };
            let shape: Vec<Dim> = dims
                .iter()
                .map(|dim| Dim {
                    extent: self.size(&dim.extent),
                    stride: dim.stride.as_ref().map(|stride| self.size(stride)),
                })
                .collect();
            if let Some(last) = dims.last().and_then(|dim| dim.stride.as_ref()) {
                self.error(
                    last.span(),
                    "the innermost dimension is contiguous; a stride belongs to an outer one",
                );
            }
            if dims.is_empty() {
                self.error(
                    name.span(),
                    format_args!("the shape of `{name}` has no dimension"),
                );
            }
            self.buffer_mut(id).shape = shape;
        }
        for (output, input) in &arguments.alias {
            let (Some(out), Some(source)) = (self.buffer_named(output), self.buffer_named(input)) else {
                continue;
            };
            let source_element = self.buffer_mut(source).element;
            if !self.buffer_mut(out).mutable || self.buffer_mut(source).mutable {
                self.error(
                    output.span(),
                    "`alias(output = input)` names a `&mut [T]` parameter and a `&[T]` one",
                );
            } else if self.buffer_mut(out).element != source_element {
                self.error(
                    output.span(),
                    format_args!(
                        "`{output}` and `{input}` hold different types, so they cannot be one buffer"
                    ),
                );
            } else {
                self.buffer_mut(out).aliases.push(source);
            }
        }
        for id in 0..self.params.len() {
            let Param { name, kind, span } = &self.params[id];
            if matches!(kind, ParamKind::Buffer(b) if b.shape.is_empty()) {
                let message = format!(
                    "what does `{name}` hold? Add `{name} = [rows @ row_stride, width]` to `shapes(..)`"
                );
                let span = *span;
                self.error(span, message);
            }
        }
    }

    fn size(&mut self, e: &syn::Expr) -> crate::ir::Expr {
        let size = self.value(e);
        if size.ty != Type::Opaque && self.infer.unify(size.ty, Type::Scalar(Scalar::I64)).is_err() {
            self.error(e.span(), "sizes and strides are `i64`; convert with `as i64`");
        }
        size
    }

    fn buffer_named(&mut self, name: &Ident) -> Option<ParamId> {
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

    fn buffer_mut(&mut self, id: ParamId) -> &mut Buffer {
        match &mut self.params[id].kind {
            ParamKind::Buffer(buffer) => buffer,
            ParamKind::Scalar(_) => unreachable!("buffer bindings name buffers"),
        }
    }
}

/// The name of a type that is a single word.
fn single_name(ty: &SynType) -> Option<String> {
    match ty {
        SynType::Path(path) if path.qself.is_none() => path
            .path
            .segments
            .last()
            .filter(|s| s.arguments.is_none())
            .map(|s| plain(&s.ident)),
        _ => None,
    }
}

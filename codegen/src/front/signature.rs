//! Signatures: what a kernel or a `#[sycl_fn]` takes and gives.

use syn::spanned::Spanned;
use syn::{
    FnArg, GenericParam, Generics, Ident, ItemFn, Pat, ReturnType, Safety, Type as SynType,
    TypeParam as TypeParamSyntax, TypeParamBound, WherePredicate,
};

use super::attribute::{Arguments, TypesSyntax};
use super::lower::{Lower, plain};
use super::scope::Binding;
use crate::ir::{
    Buffer, ConstParam, DType, Element, LocalId, Param, ParamKind, Scalar, Type, TypeGroup, TypeParam,
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
            self.generic(generic, &item.sig.generics, arguments);
        }
        for types in &arguments.types {
            self.type_group(types);
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

    /// Type parameters whose element types `types(..)` lists together.
    fn type_group(&mut self, types: &TypesSyntax) {
        let mut params = Vec::new();
        for name in &types.names {
            match self.types.iter().position(|t| name == &t.name) {
                Some(at) => params.push(at),
                None => self.error(
                    name.span(),
                    format_args!("`{name}` is no type parameter of this kernel"),
                ),
            }
        }
        if params.windows(2).any(|pair| pair[1] != pair[0] + 1) {
            self.error(
                types.names[0].span(),
                "element types that go together are listed in the order of the signature, with no other between them",
            );
        }
        let mut rows: Vec<Vec<DType>> = Vec::new();
        for row in &types.rows {
            let dtypes: Option<Vec<DType>> = row
                .iter()
                .map(|element| DType::from_rust(&element.to_string()))
                .collect();
            // What is unknown was said of each element.
            let Some(dtypes) = dtypes else { continue };
            if row.len() > 1 && rows.contains(&dtypes) {
                self.error(row[0].span(), "these are listed twice");
            }
            rows.push(dtypes);
        }
        self.type_groups.push(TypeGroup { params, rows });
    }

    /// Parameters and return type of a `#[sycl_fn]`.
    pub(super) fn function_signature(&mut self, item: &ItemFn) -> (Vec<LocalId>, Option<Scalar>) {
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
                None => {
                    self.error(ty.span(), "a `#[sycl_fn]` takes scalars by value: `f32`, `bool` or a sized integer; load elements in the kernel and pass them");
                    self.scopes.bind(plain(name), Binding::Invalid);
                }
            }
        }
        let returns = match &item.sig.output {
            ReturnType::Type(_, ty) => self.scalar_type(ty).ok_or(ty.span()),
            ReturnType::Default => Err(item.sig.ident.span()),
        };
        if let Err(span) = returns {
            self.error(
                span,
                "a `#[sycl_fn]` returns one scalar: `f32`, `bool` or a sized integer",
            );
        }
        (params, returns.ok())
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

    fn generic(&mut self, generic: &GenericParam, generics: &Generics, arguments: &Arguments) {
        match generic {
            GenericParam::Lifetime(lifetime) => {
                self.error(
                    lifetime.span(),
                    "a kernel needs no lifetimes; its slices live as long as the call",
                );
            }
            GenericParam::Type(param) => {
                let dtypes = self.dtypes(param, generics, arguments);
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

    fn dtypes(&mut self, param: &TypeParamSyntax, generics: &Generics, arguments: &Arguments) -> Vec<DType> {
        let name = &param.ident;
        let bound = element_bound(generics, param);
        if bound.is_none() {
            self.error(
                name.span(),
                format_args!("what do loads of `{name}` give? Write `{name}: Float` or `{name}: Index`"),
            );
        }
        let float = bound != Some(Bound::Index);
        let Some((types, at)) = arguments
            .types
            .iter()
            .find_map(|types| Some((types, types.names.iter().position(|of| of == name)?)))
        else {
            if !arguments.incomplete {
                self.error(
                    name.span(),
                    format_args!(
                        "which element types does `{name}` stand for? Add `types({name} = [f32, f16, bf16])`"
                    ),
                );
            }
            return vec![DType::F32];
        };
        let mut dtypes: Vec<DType> = Vec::new();
        let list = types.rows.iter().map(|row| &row[at]);
        for element in list {
            let known = DType::from_rust(&element.to_string());
            let refusal = match known {
                None => format!("`{element}` is no element type; there are {}", element_types()),
                Some(dtype) if dtypes.contains(&dtype) && types.names.len() > 1 => continue,
                Some(dtype) if dtypes.contains(&dtype) => format!("`{element}` is listed twice"),
                Some(dtype) if (dtype.value() == Scalar::F32) != float || dtype == DType::Bool => {
                    let what = if float { "floats" } else { "integers" };
                    format!("`{name}` stands for {what}, and `{element}` is none")
                }
                Some(dtype) => {
                    dtypes.push(dtype);
                    continue;
                }
            };
            self.error(element.span(), refusal);
        }
        if types.rows.is_empty() {
            self.error(name.span(), format_args!("`{name}` has no element types"));
        }
        if dtypes.is_empty() {
            dtypes.push(if float { DType::F32 } else { DType::I64 });
        }
        dtypes
    }

    fn instances(&mut self, param: &Ident, ty: Scalar, arguments: &Arguments) -> Vec<i64> {
        let given = arguments.instances.iter().find(|(name, _)| name == param);
        if ty == Scalar::Bool {
            if let Some((name, _)) = given {
                self.error(
                    name.span(),
                    format_args!("`{name}` is a `bool`, and always compiled for both values"),
                );
            }
            return vec![0, 1];
        }
        let mut values = Vec::new();
        for e in given.into_iter().flat_map(|(_, list)| list) {
            match instance(e, ty) {
                Some(value) if values.contains(&value) => {
                    self.error(e.span(), format_args!("{value} is listed twice"));
                }
                Some(value) => values.push(value),
                None => self.error(
                    e.span(),
                    format_args!("an instance is a literal that a `{ty}` holds, from 0 on"),
                ),
            }
        }
        values
    }

    fn param(&mut self, arg: &FnArg) {
        let Some((name, _, ty)) = self.argument(arg) else {
            return;
        };
        let kind = match slice(ty) {
            Some((mutable, element)) => self.element(element).map(|element| {
                ParamKind::Buffer(Buffer {
                    element,
                    mutable,
                    shape: vec![],
                    optional: false,
                    aliases: vec![],
                    scattered_by: None,
                })
            }),
            None => self.scalar_param(ty).map(ParamKind::Scalar),
        };
        let id = self.params.len();
        let binding = match kind {
            Some(ParamKind::Buffer(_)) => Binding::Buffer(id),
            Some(ParamKind::Scalar(_)) => Binding::Param(id),
            None => Binding::Invalid,
        };
        self.params.extend(kind.map(|kind| Param {
            name: plain(name),
            kind,
            values: vec![],
            span: name.span(),
        }));
        self.scopes.bind(plain(name), binding);
    }

    /// The type of a scalar parameter.
    fn scalar_param(&mut self, ty: &SynType) -> Option<Scalar> {
        let scalar = self.scalar_type(ty);
        if scalar.is_none() {
            self.error(
                ty.span(),
                "a kernel takes `&[T]`, `&mut [T]`, `f32`, `bool` and sized integers such as `i64`",
            );
        }
        scalar
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
                    self.bind_invalid(pat);
                    None
                }
            },
            FnArg::Receiver(receiver) => {
                self.error(receiver.span(), "this is for free functions, not methods");
                None
            }
        }
    }

    /// What a buffer holds.
    fn element(&mut self, ty: &SynType) -> Option<Element> {
        let name = single_name(ty);
        let element = name.as_ref().and_then(|name| {
            let by_param = self
                .types
                .iter()
                .position(|t| t.name == *name)
                .map(Element::Param);
            by_param.or_else(|| DType::from_rust(name).map(Element::DType))
        });
        if element.is_none() {
            self.error(
                ty.span(),
                format_args!("buffers hold a type parameter, or one of {}", element_types()),
            );
        }
        element
    }

    /// The scalar type that `ty` names.
    pub(super) fn scalar_type(&self, ty: &SynType) -> Option<Scalar> {
        match ty {
            SynType::Path(path) if path.qself.is_none() => {
                Scalar::from_rust(&path.path.get_ident()?.to_string())
            }
            _ => None,
        }
    }
}

/// The prelude's traits that bound what a type parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Float,
    Index,
}

/// The bound of a type parameter, in its list or in the `where` clause.
pub(crate) fn element_bound(generics: &Generics, param: &TypeParamSyntax) -> Option<Bound> {
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let there = clauses.filter_map(|predicate| match predicate {
        WherePredicate::Type(of) if single_name(&of.bounded_ty)? == plain(&param.ident) => Some(&of.bounds),
        _ => None,
    });
    let bounds = param.bounds.iter().chain(there.flatten());
    let mut names = bounds.filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    });
    names.find_map(|name| match name.as_str() {
        "Float" => Some(Bound::Float),
        "Index" => Some(Bound::Index),
        _ => None,
    })
}

/// The element types, for messages.
fn element_types() -> String {
    let names: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.rust()).collect();
    names.join(", ")
}

/// The value of a const parameter that `e` lists.
fn instance(e: &syn::Expr, ty: Scalar) -> Option<i64> {
    let syn::Expr::Lit(syn::ExprLit {
        lit: syn::Lit::Int(lit),
        ..
    }) = e
    else {
        return None;
    };
    let (_, most) = ty.range()?;
    lit.base10_parse::<i64>()
        .ok()
        .filter(|value| i128::from(*value) <= most)
}

/// Mutability and element of `&[T]` and `&mut [T]`.
fn slice(ty: &SynType) -> Option<(bool, &SynType)> {
    let SynType::Reference(reference) = ty else {
        return None;
    };
    match &*reference.elem {
        SynType::Slice(slice) => Some((reference.mutability.is_some(), &slice.elem)),
        _ => None,
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

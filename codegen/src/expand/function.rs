//! `#[sycl_fn]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{FnArg, Ident, ItemFn, Pat};

use super::{group, neighbour, shadow};
use crate::diagnostics::Errors;
use crate::front::{self, Externals, Paths, path_name};

/// Expands `#[sycl_fn]`.
pub fn sycl_fn(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => return unreadable(&item, error),
    };
    group::show(&mut function);
    let mut errors = Errors::default();
    if let Some(token) = attribute.into_iter().next() {
        errors.at(token.span(), "`#[sycl_fn]` has no arguments");
    }
    let (_, paths) = front::function("", &function, Externals::Unknown, &mut errors);
    neighbour::check(&function, &paths, &mut errors);
    match errors.finish(()) {
        Ok(()) => {
            let source = source(&function, &paths);
            let beside = beside(
                &function,
                shadow::rewrite(&function.block, &paths).to_token_stream(),
                &paths,
                quote!(::oxysycl::__private::Callee::Function(|| &#source)),
            );
            quote!(#function #beside)
        }
        Err(error) => {
            // What calls the function still finds it, so that its author reads of nothing but these errors.
            let beside = beside(
                &function,
                quote!({ ::core::unreachable!("this does not compile") }),
                &Paths::default(),
                quote!(::oxysycl::__private::Callee::Builtin("")),
            );
            with_errors(&quote!(#item #beside), &function.sig.ident, error)
        }
    }
}

/// What is no function, as it stands, and why.
pub(super) fn unreadable(item: &TokenStream, error: syn::Error) -> TokenStream {
    let errors = error.into_compile_error();
    quote!(#item #errors)
}

/// The item as it stands, so that other code still finds it, and what is wrong with it. In a constant of their own the errors
/// do not silence what rustc says of names that it cannot find; it has a name, since it may stand among methods.
pub(super) fn with_errors(item: &TokenStream, name: &Ident, error: syn::Error) -> TokenStream {
    let errors = error.into_compile_error();
    let home = format_ident!("errors_of_{}", name.unraw());
    quote! {
        #item
        #[allow(dead_code, non_upper_case_globals)]
        const #home: () = { #errors };
    }
}

/// The enum beside a function, with its twin and its source.
fn beside(function: &ItemFn, shadow: TokenStream, paths: &Paths, callee: TokenStream) -> TokenStream {
    let (vis, name) = (&function.vis, &function.sig.ident);
    let inputs = function.sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Typed(arg) => {
            let (pat, ty) = (&arg.pat, shadow::ty(&arg.ty));
            Some(quote!(#pat: #ty))
        }
        FnArg::Receiver(_) => None,
    });
    let output = match &function.sig.output {
        syn::ReturnType::Type(_, ty) => shadow::ty(ty).to_token_stream(),
        syn::ReturnType::Default => quote!(()),
    };
    let generics = &function.sig.generics;
    // A function is made of those that it calls, so that rustc refuses one that calls itself by way of others.
    let calls = &paths.calls;
    let variants = (0..calls.len()).map(|at| format_ident!("Calls{at}"));
    let docs = format!("The twin in `f64` of [`{name}`](fn@{name}), and its source.");
    // What rustc has to say of it, such as that functions call each other in a circle, it says at the function's name.
    let at = Span::call_site().located_at(name.span());
    quote_spanned! {at=>
        #[doc = #docs]
        #[allow(non_camel_case_types, private_interfaces, dead_code)]
        #vis enum #name {
            #(#[doc(hidden)] #variants(#calls)),*
        }

        #[allow(dead_code, unused, clippy::all)]
        impl #name {
            /// The function in `f64`, with a running bound of the error that `f32` may make.
            #vis fn shadow #generics(#(#inputs),*) -> #output #shadow

            /// What kernels that call the function embed.
            pub const CALLEE: ::oxysycl::__private::Callee = #callee;
        }
    }
}

/// The `FunctionSource` of a function.
pub(super) fn source(function: &ItemFn, paths: &Paths) -> TokenStream {
    let text = function.to_token_stream().to_string();
    let calls = paths.calls.iter().map(|path| {
        let name = path_name(path);
        quote!((#name, #path::CALLEE))
    });
    let constants = paths.constants.iter().map(|path| {
        let name = path_name(path);
        quote!((#name, || ::oxysycl::__private::ConstantType::constant(#path)))
    });
    quote! {
        ::oxysycl::__private::FunctionSource {
            text: #text,
            calls: &[#(#calls),*],
            constants: &[#(#constants),*],
        }
    }
}

/// The name of a parameter that the front end accepted.
pub(super) fn param_name(pat: &Pat) -> &Ident {
    match pat {
        Pat::Ident(pat) => &pat.ident,
        _ => unreachable!("the front end refuses other patterns"),
    }
}

//! What the attributes say of an item that is given as text, for tools and tests that try many.

use proc_macro2::TokenStream;
use syn::{Attribute, ItemFn, Meta};

use crate::check;
use crate::diagnostics::Errors;
use crate::front::{self, Externals};

/// Judges a `#[sycl_kernel(..)]` or a `#[sycl_fn]` as its attribute does, before rustc has seen anything of it.
///
/// ```
/// let carried = "#[sycl_kernel(shapes(a = [n]))]
///     fn last(a: &mut [f32], n: i64) {
///         for i in elements(n) { a.store(0, 1.0); }
///     }";
/// let problems = oxysycl_codegen::judge(carried).unwrap_err();
/// assert!(problems[0].contains("every lane stores to this one element of `a`"), "{problems:?}");
/// ```
///
/// # Errors
/// Everything that is wrong with it: one message for each problem, in the order of the text.
pub fn judge(item: &str) -> Result<(), Vec<String>> {
    let mut errors = Errors::default();
    if let Err(error) = look(item, &mut errors) {
        errors.syntax(error);
    }
    let all = |errors: syn::Error| errors.into_iter().map(|e| e.to_string()).collect();
    errors.finish(()).map_err(all)
}

fn look(item: &str, errors: &mut Errors) -> syn::Result<()> {
    let mut item: ItemFn = syn::parse_str(item)?;
    let find = |item: &ItemFn, name: &str| {
        let is_it = |attribute: &Attribute| attribute.path().is_ident(name);
        item.attrs.iter().position(is_it)
    };
    if let Some(at) = find(&item, "sycl_kernel") {
        let arguments = match item.attrs.remove(at).meta {
            Meta::List(list) => list.tokens,
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        let (kernel, _) = front::kernel(arguments, &item, Externals::Unknown, errors);
        check::check(&kernel, errors);
    } else if find(&item, "sycl_fn").is_some() {
        front::function(&item.sig.ident.to_string(), &item, Externals::Unknown, errors);
    } else {
        errors.at(
            item.sig.ident.span(),
            "there is neither `#[sycl_kernel(..)]` nor `#[sycl_fn]` on this",
        );
    }
    Ok(())
}

//! A kernel beside what the checks say of it, for tests that run its work-items without a device.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use syn::{ItemFn, Meta};

use crate::check;
use crate::diagnostics::Errors;
use crate::front::{self, Externals};
use crate::ir::{Kernel, ParamId, StmtId};

/// A kernel and what the checks say of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The kernel; not whole where there are problems of the front end.
    pub kernel: Kernel,
    /// Statements before which the work-items of a row wait for each other.
    pub barriers: BTreeSet<StmtId>,
    /// Buffers that every group accesses: where one of them is empty, launchers submit nothing.
    pub certain: BTreeSet<ParamId>,
    /// Why the kernel is refused, each problem at its token; empty where it is accepted.
    pub problems: Vec<syn::Error>,
}

/// Lowers and checks the text of a `#[sycl_kernel(..)]` that calls no other items.
///
/// # Errors
/// It is no Rust function, or has no such attribute.
pub fn checked(item: &str) -> syn::Result<Checked> {
    let mut item: ItemFn = syn::parse_str(item)?;
    let is_kernel = |attribute: &syn::Attribute| attribute.path().is_ident("sycl_kernel");
    let Some(at) = item.attrs.iter().position(is_kernel) else {
        return Err(syn::Error::new(item.sig.ident.span(), "this is no kernel"));
    };
    let arguments = match item.attrs.remove(at).meta {
        Meta::List(list) => list.tokens,
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    let mut errors = Errors::default();
    let (kernel, _) = front::kernel(arguments, &item, Externals::Unknown, &mut errors);
    let barriers = check::check(&kernel, &mut errors);
    let problems = match errors.finish(()) {
        Ok(()) => Vec::new(),
        Err(all) => all.into_iter().collect(),
    };
    let certain = check::certainly_accessed(&kernel);
    Ok(Checked {
        kernel,
        barriers,
        certain,
        problems,
    })
}

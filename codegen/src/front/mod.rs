//! The front end: from a Rust function to the typed IR.
//!
//! The macro runs it for its diagnostics, when other items are not yet known; [`kernel`](crate::kernel) runs it again on
//! the kept tokens, with everything resolved. What rustc reports better, types above all, is left to rustc.

mod advice;
mod arm;
mod attribute;
mod binding;
mod call;
mod choice;
mod drop_in;
mod export;
mod exported;
mod expr;
mod flow;
mod grid;
mod infer;
mod literal;
mod loops;
mod lower;
mod scope;
mod sequence;
mod shape;
mod signature;
mod stmt;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::ItemFn;

use crate::diagnostics::Errors;
use crate::ir::{Function, Kernel};
use crate::source::{Callee, Constant, Named};

/// What is known of the items outside a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Externals<'a> {
    /// Nothing yet: the macro sees one item at a time.
    Unknown,
    /// What rustc resolved the paths to.
    Known {
        /// Called functions by path.
        calls: &'a [Named<Callee>],
        /// Constants by path.
        constants: &'a [Named<fn() -> Constant>],
    },
}

/// Paths in a function that lead to other items, in the order met, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// Called functions.
    pub(crate) calls: Vec<syn::ExprPath>,
    /// Constants.
    pub(crate) constants: Vec<syn::ExprPath>,
}

/// Lowers a kernel. Problems go to `errors`; with none there, the kernel is whole.
pub(crate) fn kernel(
    attribute: TokenStream,
    item: &ItemFn,
    externals: Externals<'_>,
    errors: &mut Errors,
) -> (Kernel, Paths) {
    let arguments = attribute::Arguments::parse(attribute, errors);
    lower::Lower::new(externals, errors).kernel(&arguments, item)
}

/// Lowers a `#[sycl_fn]` that callers name by `path`.
pub(crate) fn function(
    path: &str,
    item: &ItemFn,
    externals: Externals<'_>,
    errors: &mut Errors,
) -> (Function, Paths) {
    lower::Lower::new(externals, errors).function(path, item)
}

pub(crate) use self::signature::element_bound;

/// A path as a name: its tokens without spaces.
pub(crate) fn path_name(path: &syn::ExprPath) -> String {
    quote::ToTokens::to_token_stream(path)
        .to_string()
        .replace(' ', "")
}

//! Functions in a kernel's own module that it calls without `#[sycl_fn]`: rustc would speak of a module that it cannot find.

use std::fs;

use syn::{Attribute, Ident, Item, ItemFn};

use crate::diagnostics::Errors;
use crate::front::Paths;

/// Notes calls of such functions. Says nothing where the file cannot be read: then rustc does.
pub(super) fn check(function: &ItemFn, paths: &Paths, errors: &mut Errors) {
    let names = paths.calls.iter().filter_map(|path| path.path.get_ident());
    let names: Vec<&Ident> = names.collect();
    if names.is_empty() {
        return;
    }
    let name = &function.sig.ident;
    let text = name
        .span()
        .local_file()
        .and_then(|path| fs::read_to_string(path).ok());
    let Some(file) = text.and_then(|text| syn::parse_file(&text).ok()) else {
        return;
    };
    let mut modules = Vec::new();
    modules_with(name, &file.items, &mut modules);
    // Of two functions of this name it is not known which one this is.
    let [module] = modules[..] else { return };
    for called in names {
        if is_plain(module, called) {
            errors.at(
                called.span(),
                format_args!(
                    "kernels call only functions with an attribute; write `#[sycl_fn]` above `fn {called}`"
                ),
            );
        }
    }
}

/// The items of every module that has a function of this name.
fn modules_with<'f>(name: &Ident, items: &'f [Item], found: &mut Vec<&'f [Item]>) {
    let is_it = |item: &Item| matches!(item, Item::Fn(f) if f.sig.ident == *name);
    if items.iter().any(is_it) {
        found.push(items);
    }
    for item in items {
        if let Item::Mod(inner) = item
            && let Some((_, items)) = &inner.content
        {
            modules_with(name, items, found);
        }
    }
}

/// Attributes that make nothing of a function.
const INERT: [&str; 9] = [
    "allow",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "inline",
    "must_use",
    "warn",
];

/// Whether a module has functions of this name, and no attribute on them could be ours, under whatever name.
fn is_plain(module: &[Item], name: &Ident) -> bool {
    let is_inert = |attribute: &Attribute| INERT.iter().any(|inert| attribute.path().is_ident(inert));
    let named: Vec<&ItemFn> = module
        .iter()
        .filter_map(|item| match item {
            Item::Fn(f) if f.sig.ident == *name => Some(f),
            _ => None,
        })
        .collect();
    !named.is_empty() && named.iter().all(|f| f.attrs.iter().all(is_inert))
}

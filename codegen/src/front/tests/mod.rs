//! Problems that rustc reports as well, and syntax of every kind.

mod odd;
mod operations;
mod refused;
mod resolved;

use quote::quote;

use crate::diagnostics::Errors;
use crate::front::{self, Externals};

/// What the front end says of a kernel over `n` elements of `a` and `b` with this body.
fn problems(body: &str) -> Vec<String> {
    let source =
        format!("fn kernel<const N: i64>(a: &[f32], b: &mut [f32], n: i64, scale: f32) {{ {body} }}");
    let item = syn::parse_str(&source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let mut errors = Errors::default();
    front::kernel(
        quote!(shapes(a = [n], b = [n])),
        &item,
        Externals::Unknown,
        &mut errors,
    );
    match errors.finish(()) {
        Ok(()) => vec![],
        Err(errors) => errors.into_iter().map(|e| e.to_string()).collect(),
    }
}

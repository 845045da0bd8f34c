//! All problems of one kernel, each at the user's own token.

use proc_macro2::Span;

/// Problems found so far. Passes add to it and go on, so that one run reports everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
}

impl Errors {
    /// Notes a problem at `span`. The same message at the same place is kept once.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        let message = message.to_string();
        let seen = |e: &syn::Error| e.to_string() == message && same_place(e.span(), span);
        if !self.list.iter().any(seen) {
            self.list.push(syn::Error::new(span, message));
        }
    }

    /// How many problems there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is a problem at `span` already, of which others there are likely to follow.
    pub(crate) fn has(&self, span: Span) -> bool {
        self.list.iter().any(|e| same_place(e.span(), span))
    }

    /// Notes a problem that `syn` found while parsing.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.list.push(error);
    }

    /// `value` if nothing was noted, else all problems as one error, in source order.
    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, syn::Error> {
        self.list.sort_by_key(|e| {
            let at = e.span().start();
            (at.line, at.column)
        });
        let all = self.list.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        all.map_or(Ok(value), Err)
    }
}

fn same_place(a: Span, b: Span) -> bool {
    a.start() == b.start() && a.end() == b.end()
}

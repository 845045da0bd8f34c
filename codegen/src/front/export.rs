//! How a kernel is exported: symbol, header, selection macros, and what its author fixes of the schedule.

use proc_macro2::Span;
use syn::{ItemFn, LitInt, LitStr};

use super::attribute::Arguments;
use super::lower::{Lower, plain};
use crate::ir::Attributes;

impl Lower<'_> {
    /// Symbol, header, selection macros and schedule hints.
    pub(super) fn attributes(&mut self, arguments: &Arguments, item: &ItemFn) -> Attributes {
        let name = plain(&item.sig.ident);
        self.exported_name(&name, item.sig.ident.span());
        Attributes {
            symbol: self.symbol(arguments.symbol.as_ref(), &name, item.sig.ident.span()),
            header: self.header(arguments.header.as_ref(), &name),
            select: self.select(arguments, &name),
            work_group: self.hint(arguments.work_group.as_ref(), "`work_group` is 1 to 1024", |n| {
                (1..=1024).contains(&n)
            }),
            sub_group: self.hint(arguments.sub_group.as_ref(), "`sub_group` is 16 or 32", |n| {
                n == 16 || n == 32
            }),
            vector: self.hint(arguments.vector.as_ref(), "`vector` is 1, 2, 4, 8 or 16", |n| {
                matches!(n, 1 | 2 | 4 | 8 | 16)
            }),
            drop_in: None,
        }
    }

    /// Names of the type and const parameters.
    fn parameters(&self) -> Vec<String> {
        let types = self.types.iter().map(|t| &t.name);
        types
            .chain(self.consts.iter().map(|c| &c.name))
            .cloned()
            .collect()
    }

    pub(super) fn symbol(&mut self, given: Option<&LitStr>, name: &str, at: Span) -> String {
        let parameters = self.parameters();
        let by_default = || {
            let start = format!("{name}_forward");
            parameters.iter().fold(start, |s, p| format!("{s}_{{{p}}}"))
        };
        let symbol = given.map_or_else(by_default, LitStr::value);
        let at = given.map_or(at, |lit| lit.span());
        let mut rest = symbol.clone();
        let mut complete = true;
        for param in &parameters {
            let placeholder = format!("{{{param}}}");
            if !rest.contains(&placeholder) {
                complete = false;
                self.error(
                    at,
                    format_args!(
                        "the symbol needs `{placeholder}`, so that each instance has a name of its own"
                    ),
                );
            }
            rest = rest.replace(&placeholder, "_");
        }
        if !is_c_name(&rest) {
            self.error(
                at,
                format_args!(
                    "`{symbol}` is no C name with placeholders for parameters; write `symbol = \"name_forward\"`, with `{{T}}` for a parameter `T`"
                ),
            );
        } else if complete && let Some(why) = self.not_exportable(&symbol) {
            self.error(
                at,
                format_args!(
                    "no function can be exported as `{symbol}`: {why}; write another `symbol = \"..\"`"
                ),
            );
        }
        symbol
    }

    /// Refuses a kernel after which no C function can be named.
    fn exported_name(&mut self, name: &str, at: Span) {
        if !is_c_name(name) || name.starts_with('_') {
            self.error(
                at,
                format_args!("the header exports `{name}_last_error`, which is no name for a C function; begin the kernel's with an ASCII letter, and use only these, digits and `_`"),
            );
        }
    }

    fn header(&mut self, given: Option<&LitStr>, name: &str) -> String {
        let Some(lit) = given else {
            return format!("{name}.hpp");
        };
        let header = lit.value();
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain);
        if !header.split('/').all(is_part) {
            self.error(
                lit.span(),
                format_args!("`{header}` is no relative file path such as `elementwise/{name}.hpp`"),
            );
        }
        header
    }

    /// The selection macro of each parameter.
    fn select(&mut self, arguments: &Arguments, kernel: &str) -> Vec<(String, String)> {
        let parameters = self.parameters();
        for (param, _) in &arguments.select {
            if !parameters.iter().any(|p| param == p) {
                self.error(
                    param.span(),
                    format_args!("`{param}` is no type or const parameter of this kernel"),
                );
            }
        }
        let macro_of = |(at, param): (usize, String)| {
            let placeholder = if at < self.types.len() {
                format!("{{{param}}}")
            } else {
                String::new()
            };
            let given = arguments.select.iter().find(|(name, _)| *name == param);
            let define = match given {
                Some((_, lit)) => self.selected(lit, &placeholder),
                None => {
                    let kind = if placeholder.is_empty() { "" } else { "_DTYPE_" };
                    let (kernel, param) = (kernel.to_uppercase(), param.to_uppercase());
                    format!("OXYSYCL_{kernel}_{param}{kind}{placeholder}")
                }
            };
            (param, define)
        };
        parameters.into_iter().enumerate().map(macro_of).collect()
    }

    /// A selection macro as given, with `placeholder` for what it selects.
    fn selected(&mut self, lit: &LitStr, placeholder: &str) -> String {
        let define = lit.value();
        if !define.contains(placeholder) {
            self.error(
                lit.span(),
                format_args!(
                    "this macro needs `{placeholder}`, so that each element type has one of its own"
                ),
            );
        } else if !is_c_name(&define.replace(placeholder, "")) {
            self.error(
                lit.span(),
                format_args!(
                    "`{define}` is no macro name; an element type's has `{{T}}` in it, a constant's nothing"
                ),
            );
        }
        define
    }

    fn hint(&mut self, lit: Option<&LitInt>, choices: &str, allowed: fn(u32) -> bool) -> Option<u32> {
        let lit = lit?;
        let value = lit.base10_parse::<u32>().ok().filter(|n| allowed(*n));
        if value.is_none() {
            self.error(lit.span(), format_args!("{choices}, or `auto`"));
        }
        value
    }
}

fn is_c_name(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(valid) && !name.starts_with(|c: char| c.is_ascii_digit())
}

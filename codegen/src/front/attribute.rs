//! The arguments of `#[sycl_kernel(..)]`, still as syntax.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitInt, LitStr, Token, bracketed, parenthesized};

use crate::diagnostics::Errors;

/// The arguments as written.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) symbol: Option<LitStr>,
    pub(super) header: Option<LitStr>,
    pub(super) types: Vec<(Ident, Vec<Ident>)>,
    pub(super) select: Vec<(Ident, LitStr)>,
    pub(super) instances: Vec<(Ident, Vec<Expr>)>,
    pub(super) shapes: Vec<(Ident, Vec<DimSyntax>)>,
    pub(super) alias: Vec<(Ident, Ident)>,
    pub(super) work_group: Option<LitInt>,
    pub(super) sub_group: Option<LitInt>,
    pub(super) vector: Option<LitInt>,
}

/// `extent` or `extent @ stride`.
#[derive(Debug)]
pub(super) struct DimSyntax {
    pub(super) extent: Expr,
    pub(super) stride: Option<Expr>,
}

const KNOWN: &str = "symbol, header, types, select, instances, shapes, alias, work_group, sub_group, vector";

impl Arguments {
    /// Parses the arguments; problems go to `errors`, what could be read is kept.
    pub(super) fn parse(tokens: proc_macro2::TokenStream, errors: &mut Errors) -> Arguments {
        let mut arguments = Arguments::default();
        let parser = |input: ParseStream| {
            let mut seen: Vec<Ident> = Vec::new();
            while !input.is_empty() {
                let name: Ident = input.parse()?;
                if seen.contains(&name) {
                    errors.at(name.span(), format_args!("`{name}` is given twice"));
                }
                arguments.argument(&name, input)?;
                seen.push(name);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        if let Err(error) = syn::parse::Parser::parse2(parser, tokens) {
            errors.syntax(error);
        }
        arguments
    }

    fn argument(&mut self, name: &Ident, input: ParseStream) -> syn::Result<()> {
        match name.to_string().as_str() {
            "symbol" => self.symbol = Some(assigned(input)?),
            "header" => self.header = Some(assigned(input)?),
            "types" => self.types = entries(input, list)?,
            "select" => self.select = entries(input, |input| input.parse())?,
            "instances" => self.instances = entries(input, list)?,
            "shapes" => self.shapes = entries(input, list)?,
            "alias" => self.alias = entries(input, |input| input.parse())?,
            "work_group" => self.work_group = auto_or(input)?,
            "sub_group" => self.sub_group = auto_or(input)?,
            "vector" => self.vector = auto_or(input)?,
            _ => {
                let message = format!("unknown argument `{name}`; there are {KNOWN}");
                return Err(syn::Error::new(name.span(), message));
            }
        }
        Ok(())
    }
}

impl Parse for DimSyntax {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let extent = input.parse()?;
        let stride = if input.peek(Token![@]) {
            input.parse::<Token![@]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(DimSyntax { extent, stride })
    }
}

/// `= value`
fn assigned<T: Parse>(input: ParseStream) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// `= auto` or `= 16`
fn auto_or(input: ParseStream) -> syn::Result<Option<LitInt>> {
    input.parse::<Token![=]>()?;
    if input.peek(Ident) {
        let word: Ident = input.parse()?;
        return if word == "auto" {
            Ok(None)
        } else {
            Err(syn::Error::new(
                word.span(),
                format!("`{word}` is neither a number nor `auto`"),
            ))
        };
    }
    input.parse().map(Some)
}

/// `(a = value, b = value)`
fn entries<T>(input: ParseStream, value: fn(ParseStream) -> syn::Result<T>) -> syn::Result<Vec<(Ident, T)>> {
    let content;
    parenthesized!(content in input);
    let mut list = Vec::new();
    while !content.is_empty() {
        let name = content.parse()?;
        content.parse::<Token![=]>()?;
        list.push((name, value(&content)?));
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(list)
}

/// `[a, b]`
fn list<T: Parse>(input: ParseStream) -> syn::Result<Vec<T>> {
    let content;
    bracketed!(content in input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?
        .into_iter()
        .collect())
}

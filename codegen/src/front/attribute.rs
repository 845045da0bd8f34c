//! The arguments of `#[sycl_kernel(..)]`, still as syntax.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitInt, LitStr, Token, Type, bracketed, parenthesized, token};

use crate::diagnostics::Errors;

/// The arguments as written.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) symbol: Option<LitStr>,
    pub(super) header: Option<LitStr>,
    pub(super) types: Vec<TypesSyntax>,
    pub(super) select: Vec<(Ident, LitStr)>,
    pub(super) instances: Vec<(Ident, Vec<Expr>)>,
    pub(super) shapes: Vec<(Ident, Vec<DimSyntax>)>,
    pub(super) alias: Vec<(Ident, Ident)>,
    pub(super) scatter: Vec<(Ident, Ident)>,
    pub(super) optional: Vec<Ident>,
    pub(super) specialize: Vec<(Ident, Vec<Expr>)>,
    pub(super) work_group: Option<LitInt>,
    pub(super) sub_group: Option<LitInt>,
    pub(super) vector: Option<LitInt>,
    pub(super) drop_in: Option<DropInSyntax>,
    /// Something could not be read, so that what seems to be missing may be there.
    pub(super) incomplete: bool,
}

/// `T = [f32, f16]`, or `(T, W) = [(f32, f32), (f16, f32)]`: element types that go together.
#[derive(Debug)]
pub(super) struct TypesSyntax {
    pub(super) names: Vec<Ident>,
    /// One element type for each name.
    pub(super) rows: Vec<Vec<Ident>>,
}

/// `extent` or `extent @ stride`.
#[derive(Debug)]
pub(super) struct DimSyntax {
    pub(super) extent: Expr,
    pub(super) stride: Option<Expr>,
}

/// `drop_in(symbol = "..", args(a, b: i64), c = b)`.
#[derive(Debug)]
pub(super) struct DropInSyntax {
    /// The word `drop_in`.
    pub(super) name: Ident,
    pub(super) symbol: Option<LitStr>,
    /// The word `args`, and what it lists.
    pub(super) args: Option<(Ident, Vec<DropInArg>)>,
    /// Parameters of the kernel with what they are set to.
    pub(super) set: Vec<(Ident, Expr)>,
}

/// `a` or `a: i64`.
#[derive(Debug)]
pub(super) struct DropInArg {
    pub(super) name: Ident,
    pub(super) ty: Option<Type>,
}

const KNOWN: &str = "symbol, header, types, select, instances, shapes, alias, scatter, optional, specialize, work_group, sub_group, vector, drop_in";

impl Arguments {
    /// Parses the arguments; problems go to `errors`, what could be read is kept.
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Arguments {
        let mut arguments = Arguments::default();
        let mut seen: Vec<Ident> = Vec::new();
        for tokens in split(tokens) {
            let parser = |input: ParseStream| {
                let name = Ident::parse_any(input)?;
                if seen.contains(&name) {
                    errors.at(name.span(), format_args!("`{name}` is given twice"));
                }
                arguments.argument(&name, input)?;
                seen.push(name);
                Ok(())
            };
            if let Err(error) = parser.parse2(tokens) {
                arguments.incomplete = true;
                errors.syntax(error);
            }
        }
        arguments
    }

    fn argument(&mut self, name: &Ident, input: ParseStream) -> syn::Result<()> {
        match name.to_string().as_str() {
            "symbol" => self.symbol = Some(assigned(input)?),
            "header" => self.header = Some(assigned(input)?),
            "types" => self.types = types(input)?,
            "select" => self.select = distinct(entries(input, |input| input.parse())?)?,
            "instances" => self.instances = distinct(entries(input, list)?)?,
            "shapes" => self.shapes = distinct(entries(input, list)?)?,
            "alias" => self.alias = entries(input, |input| input.parse())?,
            "scatter" => self.scatter = distinct(scattered(input)?)?,
            "optional" => self.optional = names(input)?,
            "specialize" => self.specialize = distinct(choices(input)?)?,
            "work_group" => self.work_group = auto_or(input)?,
            "sub_group" => self.sub_group = auto_or(input)?,
            "vector" => self.vector = auto_or(input)?,
            "drop_in" => self.drop_in = Some(drop_in(name, input)?),
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

impl Parse for DropInArg {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let name = input.parse()?;
        let ty = if input.peek(Token![:]) {
            input.parse::<Token![:]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(DropInArg { name, ty })
    }
}

/// `(symbol = "..", args(..), name = value)`
fn drop_in(name: &Ident, input: ParseStream) -> syn::Result<DropInSyntax> {
    let mut syntax = DropInSyntax {
        name: name.clone(),
        symbol: None,
        args: None,
        set: Vec::new(),
    };
    let content;
    parenthesized!(content in input);
    while !content.is_empty() {
        let name = Ident::parse_any(&content)?;
        let twice = || syn::Error::new(name.span(), format!("`{name}` is given twice"));
        if name == "args" && content.peek(token::Paren) {
            let list;
            parenthesized!(list in content);
            let list = Punctuated::<DropInArg, Token![,]>::parse_terminated(&list)?;
            if syntax.args.is_some() {
                return Err(twice());
            }
            syntax.args = Some((name, list.into_iter().collect()));
        } else if name == "symbol" && content.peek2(LitStr) {
            if syntax.symbol.is_some() {
                return Err(twice());
            }
            syntax.symbol = Some(assigned(&content)?);
        } else {
            syntax.set.push((name, assigned(&content)?));
        }
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(syntax)
}

/// The tokens between commas, so that a problem in one argument hides none in the next.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut parts: Vec<TokenStream> = trees
        .split(is_comma)
        .map(|part| part.iter().cloned().collect())
        .collect();
    if parts.last().is_some_and(TokenStream::is_empty) {
        parts.pop();
    }
    parts
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

/// `(T = [f32, f16], (U, V) = [(f32, i32)])`
fn types(input: ParseStream) -> syn::Result<Vec<TypesSyntax>> {
    let content;
    parenthesized!(content in input);
    let entry = |input: ParseStream| {
        let names = tuple(input)?;
        if names.is_empty() {
            return Err(input.error("a type parameter should be named before this"));
        }
        input.parse::<Token![=]>()?;
        let content;
        bracketed!(content in input);
        let rows: Vec<Vec<Ident>> = content.parse_terminated(tuple, Token![,])?.into_iter().collect();
        if let Some(row) = rows.iter().find(|row| row.len() != names.len()) {
            let at = row.first().unwrap_or(&names[0]).span();
            let message = format!(
                "there should be {} element types here, one for each name",
                names.len()
            );
            return Err(syn::Error::new(at, message));
        }
        Ok(TypesSyntax { names, rows })
    };
    let entries: Vec<TypesSyntax> = content.parse_terminated(entry, Token![,])?.into_iter().collect();
    let names = entries.iter().flat_map(|entry| &entry.names);
    distinct(names.map(|name| (name.clone(), ())).collect())?;
    Ok(entries)
}

/// `a`, or `(a, b)`
fn tuple(input: ParseStream) -> syn::Result<Vec<Ident>> {
    if !input.peek(syn::token::Paren) {
        return Ok(vec![input.parse()?]);
    }
    let content;
    parenthesized!(content in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
    Ok(names.into_iter().collect())
}

/// `(a by b, c by d)`
fn scattered(input: ParseStream) -> syn::Result<Vec<(Ident, Ident)>> {
    let content;
    parenthesized!(content in input);
    let pair = |input: ParseStream| {
        let buffer = input.parse()?;
        let by: Ident = input.parse()?;
        if by != "by" {
            let message = format!("`{by}` should be `by`: `scatter(cache by slots)`");
            return Err(syn::Error::new(by.span(), message));
        }
        Ok((buffer, input.parse()?))
    };
    let pairs = content.parse_terminated(pair, Token![,])?;
    Ok(pairs.into_iter().collect())
}

/// `(a, b)`
fn names(input: ParseStream) -> syn::Result<Vec<Ident>> {
    let content;
    parenthesized!(content in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
    Ok(names.into_iter().collect())
}

/// `(a in [0, 1], b in [false, true])`
fn choices(input: ParseStream) -> syn::Result<Vec<(Ident, Vec<Expr>)>> {
    let content;
    parenthesized!(content in input);
    let choice = |input: ParseStream| {
        let name = input.parse()?;
        input.parse::<Token![in]>()?;
        Ok((name, list(input)?))
    };
    let choices = Punctuated::<_, Token![,]>::parse_terminated_with(&content, choice)?;
    Ok(choices.into_iter().collect())
}

/// Entries of which each names another parameter.
fn distinct<T>(entries: Vec<(Ident, T)>) -> syn::Result<Vec<(Ident, T)>> {
    for (at, (name, _)) in entries.iter().enumerate() {
        if entries[..at].iter().any(|(earlier, _)| earlier == name) {
            return Err(syn::Error::new(name.span(), format!("`{name}` is given twice")));
        }
    }
    Ok(entries)
}

/// `[a, b]`
fn list<T: Parse>(input: ParseStream) -> syn::Result<Vec<T>> {
    let content;
    bracketed!(content in input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&content)?
        .into_iter()
        .collect())
}

//! The blocks of the guide, and what the compiler makes of the kernels in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use oxysycl::codegen;
use oxysycl::codegen::source::{Callee, FunctionSource, KernelSource, Named};
use proc_macro2::{LineColumn, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, ItemFn};

/// Functions of the prelude.
const BUILTINS: [Named<Callee>; 2] = [
    ("rsqrt", Callee::Builtin("rsqrt")),
    ("erf", Callee::Builtin("erf")),
];

/// A file of the guide.
pub(super) struct Chapter {
    pub(super) name: String,
    pub(super) blocks: Vec<Block>,
}

/// A fenced block.
pub(super) struct Block {
    /// What stands behind the fence.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// The folder of chapters.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All chapters, by name.
pub(super) fn chapters() -> Vec<Chapter> {
    let files = fs::read_dir(folder()).expect("there are chapters");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let chapter = |path: &PathBuf| Chapter {
        name: path.file_name().expect("a file").to_string_lossy().into_owned(),
        blocks: blocks(fs::read_to_string(path).expect("chapters are text").leak()),
    };
    paths.iter().map(chapter).collect()
}

fn blocks(chapter: &'static str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = chapter;
    while let Some((_, begun)) = rest.split_once("```") {
        let (kind, body) = begun.split_once('\n').expect("a fence is a line");
        let (text, after) = body.split_once("```").expect("a block ends");
        blocks.push(Block {
            kind,
            text: text.to_owned(),
        });
        rest = after;
    }
    blocks
}

/// A function with one of our attributes.
struct Marked {
    /// What stands in the attribute.
    arguments: TokenStream,
    item: ItemFn,
}

impl Block {
    /// The code with its hidden lines.
    fn code(&self) -> String {
        let shown = |line: &str| match line.strip_prefix("# ") {
            Some(hidden) => format!("{hidden}\n"),
            None if line == "#" => "\n".to_owned(),
            None => format!("{line}\n"),
        };
        self.text.lines().map(shown).collect()
    }

    /// The functions with the attribute `name`.
    fn marked(&self, name: &str) -> Vec<Marked> {
        if !self.kind.starts_with("rust") {
            return vec![];
        }
        let file = syn::parse_file(&self.code()).expect("the block is a file of Rust");
        let functions = file.items.into_iter().filter_map(|item| match item {
            syn::Item::Fn(item) => marked(item, name),
            _ => None,
        });
        functions.collect()
    }

    /// What the compiler says about the kernels in it, as rustc shows it.
    pub(super) fn messages(&self) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut shown = Vec::new();
        for Marked { arguments, item } in self.marked("sycl_kernel") {
            let mut refusals = Vec::new();
            collect(
                codegen::sycl_kernel(arguments, item.to_token_stream()),
                &mut refusals,
            );
            shown.extend(refusals.iter().map(|refusal| refusal.show(&lines)));
        }
        shown.join("\n")
    }

    /// The headers of the kernels in it.
    pub(super) fn headers(&self) -> Vec<String> {
        if self.kind != "rust" {
            return vec![];
        }
        let mut calls = BUILTINS.to_vec();
        for Marked { item, .. } in self.marked("sycl_fn") {
            let name = item.sig.ident.to_string().leak();
            calls.push((name, callee(source(&item, &calls))));
        }
        let kernels = self.marked("sycl_kernel").into_iter();
        let headers = kernels.map(|Marked { arguments, item }| {
            let source = KernelSource {
                attribute: arguments.to_string().leak(),
                item: source(&item, &calls),
                lines: 0,
            };
            codegen::header(&codegen::kernel(&source).expect("the kernel is accepted"))
        });
        headers.collect()
    }
}

fn marked(mut item: ItemFn, name: &str) -> Option<Marked> {
    let is_ours = |attribute: &Attribute| attribute.path().is_ident(name);
    let at = item.attrs.iter().position(is_ours)?;
    let arguments = match item.attrs.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    Some(Marked { arguments, item })
}

fn source(item: &ItemFn, calls: &[Named<Callee>]) -> FunctionSource {
    FunctionSource {
        text: item.to_token_stream().to_string().leak(),
        calls: calls.to_vec().leak(),
        constants: &[],
    }
}

/// A function whose source is known only here.
fn callee(source: FunctionSource) -> Callee {
    static SOURCES: [OnceLock<FunctionSource>; 4] = [const { OnceLock::new() }; 4];
    fn known<const AT: usize>() -> &'static FunctionSource {
        SOURCES[AT].get().expect("it is called once it is set")
    }
    const KNOWN: [fn() -> &'static FunctionSource; 4] = [known::<0>, known::<1>, known::<2>, known::<3>];
    let free = SOURCES.iter().position(|place| place.set(source).is_ok());
    Callee::Function(KNOWN[free.expect("the guide has fewer functions than there are places")])
}

/// An error with its place.
struct Refusal {
    message: String,
    start: LineColumn,
    end: LineColumn,
}

impl Refusal {
    fn show(&self, lines: &[&str]) -> String {
        let LineColumn { line, column } = self.start;
        let source = lines[line - 1];
        let end = if self.end.line == line {
            self.end.column
        } else {
            source.chars().count()
        };
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let carets = format!("{}{}", " ".repeat(column), "^".repeat(end - column));
        let message = &self.message;
        format!("error: {message}\n{margin} |\n{number} | {source}\n{margin} | {carets}\n")
    }
}

/// Adds the errors in an expansion.
fn collect(expansion: TokenStream, found: &mut Vec<Refusal>) {
    let trees: Vec<TokenTree> = expansion.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if name == "compile_error" => {
                let Some(TokenTree::Group(group)) = trees.get(at + 2) else {
                    continue;
                };
                let message: syn::LitStr = syn::parse2(group.stream()).expect("an error has a message");
                found.push(Refusal {
                    message: message.value(),
                    start: name.span().start(),
                    end: group.span().end(),
                });
            }
            TokenTree::Group(group) => collect(group.stream(), found),
            _ => {}
        }
    }
}

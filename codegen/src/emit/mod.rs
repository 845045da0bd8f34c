//! Emission: a scheduled kernel as a C++ header that reads as if written by hand.

mod body;
mod decision;
mod exports;
mod functor;
mod helper;
mod launcher;
mod literal;
mod names;
mod printer;
mod prune;
mod usage;
mod writer;

use std::collections::BTreeSet;

use askama::Template;
use sha2::{Digest, Sha256};

use self::body::Inner;
use self::decision::Decision;
use self::helper::{Helper, Helpers};
use self::names::{Names, Scoped, class_name};
use self::printer::{Spelling, data_locals};
use self::usage::Usage;
use crate::ir::{Kernel, LocalId, Param, ParamKind};
use crate::schedule::{Schedule, schedule};

#[derive(Template)]
#[template(path = "header.hpp", escape = "none")]
struct HeaderText {
    namespace: String,
    helpers: String,
    functions: Vec<String>,
    functor: String,
    launcher: String,
    exports: String,
}

#[derive(Template)]
#[template(path = "helpers.hpp", escape = "none")]
struct HelpersText<'a> {
    kernel: &'a str,
    vector: bool,
    strided: bool,
    vector_width: bool,
    wrapping: bool,
    division: bool,
    shift: bool,
    to_integer: bool,
    saturate: bool,
    clamp: bool,
    saturating: bool,
    sign: bool,
    fraction: bool,
    power: bool,
    overlap: bool,
    distinct_rows: bool,
    values: bool,
    buffers: bool,
}

/// The header of a checked kernel. The same kernel always gives the same bytes.
pub fn header(kernel: &Kernel) -> String {
    let kernel = &prune::kernel(kernel);
    let plan = schedule(kernel);
    let emission = Emission::new(kernel, &plan);
    let functions = kernel
        .functions
        .iter()
        .map(|f| functor::function(f, &emission))
        .collect();
    let mut text = HeaderText {
        namespace: String::new(),
        functions,
        functor: functor::functor(&emission),
        launcher: launcher::launcher(&emission),
        exports: exports::exports(&emission),
        helpers: String::new(),
    };
    text.helpers = helpers_text(&emission);
    let digest = Sha256::digest(text.to_string());
    let hash: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    text.namespace = format!("{}_{hash}", emission.spelled);
    tidy(&text.to_string())
}

fn helpers_text(emission: &Emission<'_>) -> String {
    let helpers = &emission.helpers;
    let text = HelpersText {
        kernel: &emission.kernel.name,
        vector: helpers.has(Helper::Vector),
        strided: helpers.has(Helper::Strided),
        vector_width: helpers.has(Helper::VectorWidth),
        wrapping: helpers.has(Helper::Wrapping),
        division: helpers.has(Helper::Division),
        shift: helpers.has(Helper::Shift),
        to_integer: helpers.has(Helper::ToInteger),
        saturate: helpers.has(Helper::Saturate),
        clamp: helpers.has(Helper::Clamp),
        saturating: helpers.has(Helper::Saturating),
        sign: helpers.has(Helper::Sign),
        fraction: helpers.has(Helper::Fraction),
        power: helpers.has(Helper::Power),
        overlap: helpers.has(Helper::Overlap),
        distinct_rows: helpers.has(Helper::DistinctRows),
        values: emission.kernel.specialized().next().is_some(),
        buffers: emission.kernel.buffers().next().is_some(),
    };
    text.to_string().trim_end().to_owned()
}

/// One empty line at a time, one end of line at the end.
fn tidy(text: &str) -> String {
    let mut tidy = String::new();
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && empty) {
            tidy.push_str(line);
            tidy.push('\n');
        }
        empty = line.is_empty();
    }
    tidy.trim_end().to_owned() + "\n"
}

/// What the parts of a header share.
struct Emission<'a> {
    kernel: &'a Kernel,
    schedule: &'a Schedule,
    helpers: Helpers,
    spelling: Spelling,
    inner: Inner,
    /// What the launcher decides before it submits.
    decisions: Vec<Decision>,
    /// Names after those of parameters, variables and the made-up ones.
    names: Names,
    data: BTreeSet<LocalId>,
    usage: Usage,
    /// The kernel's name in C++.
    spelled: String,
    /// The functor's.
    class: String,
}

impl<'a> Emission<'a> {
    fn new(kernel: &'a Kernel, schedule: &'a Schedule) -> Emission<'a> {
        let mut names = Names::new();
        let spelled = names.give(&kernel.name);
        let class = names.give(&format!("{}Kernel", class_name(&kernel.name)));
        names.give(&format!("{}_launch", kernel.name));
        names.give(&format!("{}_submit", kernel.name));
        let mut spelling = Spelling::default();
        for function in &kernel.functions {
            spelling
                .functions
                .push((function.path.clone(), names.give(&function.name)));
        }
        spelling.types = kernel.types.iter().map(|t| names.give(&t.name)).collect();
        spelling.consts = kernel.consts.iter().map(|c| names.give(&c.name)).collect();
        spelling.params = kernel.params.iter().map(|p| names.give(&p.name)).collect();
        let given = |param: &Param| match &param.kind {
            ParamKind::Buffer(buffer) if buffer.optional => names.give(&format!("has_{}", param.name)),
            _ => String::new(),
        };
        spelling.given = kernel.params.iter().map(given).collect();
        let mut scoped = Scoped::new(&kernel.locals, &kernel.rows);
        scoped.block(&kernel.host, &mut names);
        let mut grid = names.clone();
        for (index, _) in kernel.grid.axes() {
            scoped.local(index, &mut grid);
        }
        scoped.block(&kernel.body, &mut grid);
        scoped.reserve(&mut names);
        spelling.locals = scoped.local_names;
        spelling.rows = scoped.row_names;
        let inner = Inner {
            item: names.give("item"),
            lane: names.give("lane"),
            lanes: names.give("lanes"),
            group: names.give("group"),
            element: names.give("v"),
            width: names.give("VEC"),
            queue: names.give("queue"),
            queue_pointer: names.give("queue_pointer"),
            local: names.give("local"),
            groups: names.give("groups"),
            submit: names.give("submit"),
            code: names.give("code"),
            regions: kernel
                .params
                .iter()
                .map(|param| names.give(&format!("{}_region", param.name)))
                .collect(),
        };
        let usage = Usage::of_body(kernel);
        let decisions = decision::decisions(kernel, &usage, &spelling, &mut names);
        Emission {
            kernel,
            schedule,
            decisions,
            helpers: Helpers::default(),
            spelling,
            inner,
            names,
            data: data_locals([&kernel.host[..], &kernel.body[..]]),
            usage,
            spelled,
            class,
        }
    }

    /// `typename T, int64_t HIDDEN_SIZE`: what instances differ in.
    fn template_params(&self) -> Vec<String> {
        let types = self.spelling.types.iter().map(|t| format!("typename {t}"));
        let consts = self
            .kernel
            .consts
            .iter()
            .zip(&self.spelling.consts)
            .map(|(c, name)| format!("{} {name}", c.ty.cpp()));
        types.chain(consts).collect()
    }

    /// The same, with what the launcher decides: arguments that become constants, and the vector width where there is one.
    fn variant_params(&self) -> Vec<String> {
        let decided = self
            .decisions
            .iter()
            .map(|decision| format!("{} {}", decision.ty.cpp(), decision.name));
        let width = self.schedule.width.map(|_| format!("int {}", self.inner.width));
        let instance = self.template_params().into_iter();
        instance.chain(decided).chain(width).collect()
    }

    /// `<T, HIDDEN_SIZE>`, or nothing.
    fn template_args(&self) -> String {
        self.args(&[])
    }

    /// `<T, HIDDEN_SIZE, act_kind, VEC>`: the variant with these decisions, of this vector width where there is one.
    fn variant_args(&self, decided: &[String], width: &str) -> String {
        let width = self.schedule.width.map(|_| width.to_owned());
        let more: Vec<String> = decided.iter().cloned().chain(width).collect();
        self.args(&more)
    }

    fn args(&self, more: &[String]) -> String {
        let instance = self.spelling.types.iter().chain(&self.spelling.consts);
        let args: Vec<&str> = instance.chain(more).map(String::as_str).collect();
        if args.is_empty() {
            String::new()
        } else {
            format!("<{}>", args.join(", "))
        }
    }

    /// `const T*`, `float`: the type of a parameter in C++.
    fn param_type(&self, id: usize) -> String {
        match &self.kernel.params[id].kind {
            ParamKind::Scalar(ty) => ty.cpp().to_owned(),
            ParamKind::Buffer(buffer) => {
                let element = match buffer.element {
                    crate::ir::Element::Param(id) => self.spelling.types[id].clone(),
                    crate::ir::Element::DType(dtype) => dtype.cpp().to_owned(),
                };
                if buffer.mutable {
                    format!("{element}*")
                } else {
                    format!("const {element}*")
                }
            }
        }
    }

    /// Type and name of what the functor carries: parameters, then host variables.
    fn members(&self) -> Vec<(String, String)> {
        let params = self
            .usage
            .params
            .iter()
            .filter(|id| self.kernel.params[**id].values.is_empty())
            .map(|id| (self.param_type(*id), self.spelling.params[*id].clone()));
        let locals = self.usage.locals.iter().map(|id| {
            let ty = printer::scalar(self.kernel.locals[*id].ty).cpp().to_owned();
            (ty, self.spelling.locals[*id].clone())
        });
        params.chain(locals).collect()
    }
}

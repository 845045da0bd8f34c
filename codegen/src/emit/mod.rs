//! Emission: a scheduled kernel as a C++ header that reads as if written by hand.

mod arithmetic;
mod aside;
mod body;
mod decision;
mod drop_in;
mod exports;
mod functions;
mod functor;
mod helper;
mod launcher;
mod literal;
mod names;
mod printer;
mod scope;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;

use askama::Template;
use sha2::{Digest, Sha256};

use self::body::Body;
use self::decision::Named;
use self::functions::Functions;
use self::helper::{Helper, Helpers};
use self::names::{Names, class_name};
use self::printer::{Printer, Spelling};
use self::scope::{Origin, Scope};
use crate::ir::Kernel;
use crate::program::{Member, Param, ParamKind, Program, Stmt};

#[derive(Template)]
#[template(path = "header.hpp", escape = "none")]
struct HeaderText {
    aside: Vec<String>,
    namespace: String,
    helpers: String,
    functions: Vec<String>,
    kernels: Vec<KernelText>,
}

/// The parts of a header that are one kernel's.
struct KernelText {
    functor: String,
    launcher: String,
    exports: String,
}

#[derive(Template)]
#[template(path = "helpers.hpp", escape = "none")]
struct HelpersText {
    vector: bool,
    strided: bool,
    for_lanes: bool,
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
    float_remainder: bool,
    carried: bool,
    reduce_nan: bool,
    scan: bool,
    bits: bool,
    is_told: bool,
    overlap: bool,
    distinct_rows: bool,
    together: bool,
    short_rows: bool,
    apart: bool,
    split: bool,
    elements: bool,
    rows: bool,
    values: bool,
    buffers: bool,
}

/// The header of a checked kernel. The same kernel always gives the same bytes.
pub fn header(kernel: &Kernel) -> String {
    shared_header(&[kernel])
}

/// The header that checked kernels share: what they need is there once, and they follow by name. The same kernels always
/// give the same bytes, in whatever order.
pub fn shared_header(kernels: &[&Kernel]) -> String {
    let mut kernels = kernels.to_vec();
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    let programs: Vec<Program> = kernels.iter().map(|kernel| Program::of(kernel)).collect();
    let mut names = Names::new();
    let heads: Vec<Head> = kernels
        .iter()
        .map(|kernel| Head::new(kernel, &mut names))
        .collect();
    let mut functions = Functions::default();
    let mut emissions = Vec::new();
    for ((kernel, program), head) in kernels.iter().zip(&programs).zip(heads) {
        let helpers = Helpers::default();
        let named = functions.add(program, &helpers, &mut names);
        emissions.push(Emission::new(kernel, program, helpers, head, named));
    }
    let selected = exports::selected(&kernels);
    let text = |emission: &Emission<'_>| KernelText {
        functor: functor::functor(emission),
        launcher: launcher::launcher(emission),
        exports: exports::exports(emission, &selected),
    };
    let mut text = HeaderText {
        aside: Vec::new(),
        namespace: String::new(),
        functions: functions.texts(),
        kernels: emissions.iter().map(text).collect(),
        helpers: String::new(),
    };
    text.helpers = helpers_text(&emissions);
    text.aside = aside::names(&text.to_string(), &selected);
    let digest = Sha256::digest(text.to_string());
    let hash: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    text.namespace = format!("{}_{hash}", namespace(&emissions));
    tidy(&text.to_string())
}

/// What a header's namespace is named after: its kernel, or the file where there are several.
fn namespace(emissions: &[Emission<'_>]) -> String {
    match emissions {
        [one] => one.head.spelled.clone(),
        several => {
            let file = several
                .first()
                .map_or("", |first| &first.kernel.attributes.header);
            let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
            let word = stem.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            // A name does not start with a digit.
            let start = if word.starts_with(|c: char| c.is_ascii_digit()) {
                "h"
            } else {
                ""
            };
            Names::new().give(&format!("{start}{word}"))
        }
    }
}

fn helpers_text(emissions: &[Emission<'_>]) -> String {
    let has = |helper| emissions.iter().any(|emission| emission.helpers.has(helper));
    let text = HelpersText {
        vector: has(Helper::Vector),
        strided: has(Helper::Strided),
        for_lanes: has(Helper::ForLanes),
        vector_width: has(Helper::VectorWidth),
        wrapping: has(Helper::Wrapping),
        division: has(Helper::Division),
        shift: has(Helper::Shift),
        to_integer: has(Helper::ToInteger),
        saturate: has(Helper::Saturate),
        clamp: has(Helper::Clamp),
        saturating: has(Helper::Saturating),
        sign: has(Helper::Sign),
        fraction: has(Helper::Fraction),
        power: has(Helper::Power),
        float_remainder: has(Helper::FloatRemainder),
        carried: has(Helper::Carried),
        reduce_nan: has(Helper::ReduceNan),
        scan: has(Helper::Scan),
        bits: has(Helper::Bits),
        is_told: has(Helper::IsTold),
        overlap: has(Helper::Overlap),
        distinct_rows: has(Helper::DistinctRows),
        together: has(Helper::Together),
        short_rows: has(Helper::ShortRows),
        apart: has(Helper::Apart),
        split: has(Helper::Split),
        elements: emissions.iter().any(|e| e.program.launch.grid.rows.is_none()),
        rows: emissions.iter().any(|e| e.program.launch.grid.rows.is_some()),
        values: emissions.iter().any(|e| e.kernel.specialized().next().is_some()),
        buffers: emissions.iter().any(|e| e.kernel.buffers().next().is_some()),
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

/// The names that a kernel has in its header, beside those of the other kernels there.
struct Head {
    /// The kernel's name in C++.
    spelled: String,
    /// The functor's.
    class: String,
}

impl Head {
    fn new(kernel: &Kernel, names: &mut Names) -> Head {
        let head = Head {
            spelled: names.give(&kernel.name),
            class: names.give(&format!("{}Kernel", class_name(&kernel.name))),
        };
        for what in ["launch", "submit", "last_error", "shape_for_gpu"] {
            names.give(&format!("{}_{what}", kernel.name));
        }
        head
    }
}

/// Names that the emitted launcher makes up.
#[derive(Clone, Debug)]
struct Inner {
    /// The queue, and the pointer to it that callers pass.
    queue: String,
    queue_pointer: String,
    /// What is known of its device.
    device: String,
    /// How it is dealt to work-groups.
    shape: String,
    /// Whether a row is a sub-group's.
    short_rows: String,
    /// What submits, given what was decided.
    submit: String,
    /// A refusal's code.
    code: String,
    /// Buffers' regions, by parameter.
    regions: Vec<String>,
}

/// What the parts of a kernel's text share.
struct Emission<'a> {
    kernel: &'a Kernel,
    program: &'a Program,
    helpers: Helpers,
    spelling: Spelling,
    inner: Inner,
    /// What the launcher decides before it submits.
    decisions: Vec<Named>,
    head: Head,
}

impl<'a> Emission<'a> {
    fn new(
        kernel: &'a Kernel,
        program: &'a Program,
        helpers: Helpers,
        head: Head,
        functions: Vec<(String, String)>,
    ) -> Emission<'a> {
        // Only its own: inside, a kernel may hide what others are called.
        let mut names = Names::new();
        Head::new(kernel, &mut names);
        let heads = [&head.spelled, &head.class].into_iter();
        heads
            .chain(functions.iter().map(|(_, name)| name))
            .for_each(|name| names.take(name));
        let mut spelling = Spelling {
            functions,
            locals: vec![String::new(); program.locals.len()],
            rows: vec![String::new(); program.rows.len()],
            registers: vec![String::new(); program.registers.len()],
            ..Spelling::default()
        };
        spelling.types = program.types.iter().map(|name| names.give(name)).collect();
        // Macro parameters, as those of the exports spell them.
        for name in &spelling.types {
            names.take(&format!("{name}_TAG"));
        }
        spelling.consts = program.consts.iter().map(|c| names.give(&c.name)).collect();
        spelling.params = program.params.iter().map(|p| names.give(&p.name)).collect();
        let given = |param: &Param| match param.kind {
            ParamKind::Buffer { optional: true, .. } => names.give(&format!("has_{}", param.name)),
            _ => String::new(),
        };
        spelling.given = program.params.iter().map(given).collect();
        let scope = |origin| Scope {
            locals: &program.locals,
            rows: &program.rows,
            registers: &program.registers,
            origin,
        };
        let host: Vec<&Stmt> = program.launch.host().collect();
        let author = scope(Origin::Author);
        host.iter()
            .for_each(|stmt| author.stmt(stmt, &mut names, &mut spelling));
        author.block(&program.body, &mut names.clone(), &mut spelling);
        scope::reserve(&spelling, &mut names);
        spelling.item = names.give("item");
        spelling.width = names.give("VEC");
        spelling.row_group = match program.launch.grid.short_row {
            Some(_) => names.give("row_group"),
            None => format!("{}.get_group()", spelling.item),
        };
        spelling.has_rows = program.launch.grid.rows.is_some();
        let inner = Inner {
            queue: names.give("queue"),
            queue_pointer: names.give("queue_pointer"),
            device: names.give("device"),
            shape: names.give("shape"),
            short_rows: names.give("short_rows"),
            submit: names.give("submit"),
            code: names.give("code"),
            regions: program
                .params
                .iter()
                .map(|param| names.give(&format!("{}_region", param.name)))
                .collect(),
        };
        let decisions = decision::named_decisions(program, &spelling, &mut names);
        let schedule = scope(Origin::Schedule);
        if let Some(chunk) = program.launch.grid.chunk {
            schedule.local(chunk, &mut names, &mut spelling);
        }
        host.iter()
            .for_each(|stmt| schedule.stmt(stmt, &mut names, &mut spelling));
        schedule.block(&program.body, &mut names, &mut spelling);
        Emission {
            kernel,
            program,
            helpers,
            spelling,
            inner,
            decisions,
            head,
        }
    }

    fn printer(&self) -> Printer<'_> {
        Printer {
            spelling: &self.spelling,
            helpers: &self.helpers,
        }
    }

    /// What writes the statements of work-items.
    fn body(&self) -> Body<'_> {
        Body {
            printer: self.printer(),
            locals: &self.program.locals,
            rows: &self.program.rows,
            registers: &self.program.registers,
            kernel: &self.program.name,
        }
    }

    /// `typename T, int64_t HIDDEN_SIZE`: what instances differ in.
    fn template_params(&self) -> Vec<String> {
        let types = self.spelling.types.iter().map(|t| format!("typename {t}"));
        let consts = self
            .program
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
            .map(|named| format!("{} {}", named.decision.ty.cpp(), named.name));
        let width = self.program.launch.width.as_ref();
        let width = width.map(|_| format!("int {}", self.spelling.width));
        let instance = self.template_params().into_iter();
        instance.chain(decided).chain(width).collect()
    }

    /// `<T, HIDDEN_SIZE>`, or nothing.
    fn template_args(&self) -> String {
        self.args(&[])
    }

    /// `<T, HIDDEN_SIZE, act_kind, VEC>`: the variant with these decisions, of this vector width where there is one.
    fn variant_args(&self, decided: &[String], width: &str) -> String {
        let width = self.program.launch.width.as_ref().map(|_| width.to_owned());
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
        match &self.program.params[id].kind {
            ParamKind::Scalar(ty) => ty.cpp().to_owned(),
            ParamKind::Buffer { element, mutable, .. } => {
                let constness = if *mutable { "" } else { "const " };
                format!("{constness}{}*", self.spelling.element(element))
            }
        }
    }

    /// Type and name of what the functor carries: parameters, then host variables.
    fn members(&self) -> Vec<(String, String)> {
        let member = |member: &Member| match member {
            Member::Param(id) => (self.param_type(*id), self.spelling.params[*id].clone()),
            Member::Local(id) => {
                let ty = self.program.locals[*id].ty.cpp();
                (ty.to_owned(), self.spelling.locals[*id].clone())
            }
        };
        self.program.launch.members.iter().map(member).collect()
    }
}

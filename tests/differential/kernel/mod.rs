//! Random kernels: a grid, buffers with their shapes, and phases over the rows of them.
//!
//! Most of what is written is meant to be right; about every fourth kernel has something in it that may well be wrong. Which
//! is which is the front end's to say: all that is asked of a kernel is that it agrees with itself once it is accepted.

mod memory;
mod phase;

use fastrand::Rng;

use super::expr::{Helper, I64, Source, Type, Writer};

/// The parts of the attribute that fix a schedule.
pub(crate) const SCHEDULES: [&str; 3] = [
    "",
    "work_group = 64, sub_group = 32, vector = 1, ",
    "work_group = 16, sub_group = 16, vector = 2, ",
];

/// A kernel as text.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    /// What it was made from.
    pub(crate) seed: u64,
    /// `#[sycl_fn]`s that it may call.
    pub(crate) helpers: Vec<String>,
    /// The arguments of its attribute.
    pub(crate) attribute: String,
    generics: String,
    params: String,
    body: String,
}

impl Generated {
    /// The kernel of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let exact = rng.u8(0..10) < 6;
        let mut author = Author {
            writer: Writer::new(rng, exact),
            buffers: Vec::new(),
            attribute: Vec::new(),
            generics: Vec::new(),
            scalars: Vec::new(),
            lines: Vec::new(),
            depth: 1,
            width: "n".to_owned(),
            accumulators: 0,
        };
        let helpers = author.helpers();
        author.kernel();
        author.finish(seed, helpers)
    }

    /// The kernel as a function called `name`, with a schedule.
    pub(crate) fn item(&self, name: &str, schedule: &str) -> String {
        format!(
            "#[sycl_kernel({schedule}{})]\n{}",
            self.attribute,
            self.function(name)
        )
    }

    /// The kernel without its attribute.
    pub(crate) fn function(&self, name: &str) -> String {
        format!(
            "pub fn {name}{}({}) {{\n{}}}\n",
            self.generics, self.params, self.body
        )
    }
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Element {
    Float,
    Int(Type),
}

/// A buffer, or a row of one, as the kernel names it.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    /// What comes before an index: `row * n + `, or nothing.
    base: String,
    element: Element,
    written: bool,
    /// How many widths its rows are long; 0 for one element a row.
    widths: u32,
    /// Whether it is a row of one of two buffers, which has elements only on a condition.
    chosen: bool,
}

#[derive(Clone, Debug)]
struct Buffer {
    name: &'static str,
    ty: String,
    element: Element,
    written: bool,
    widths: u32,
    /// Whether all rows are one.
    shared: bool,
    stride: Option<String>,
}

struct Author {
    writer: Writer,
    buffers: Vec<Buffer>,
    attribute: Vec<String>,
    generics: Vec<String>,
    scalars: Vec<String>,
    lines: Vec<String>,
    depth: usize,
    /// The width of rows: `n` or `N`.
    width: String,
    accumulators: usize,
}

impl Author {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines
            .push(format!("{}{}\n", "    ".repeat(self.depth), text.as_ref()));
    }

    /// A block with a head such as `for i in lanes(n)`, whose names end with it.
    fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(format!("{head} {{"));
        self.depth += 1;
        let outer = self.writer.sources.clone();
        body(self);
        self.writer.sources = outer;
        self.depth -= 1;
        self.line("}");
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.writer.chance(percent)
    }

    fn finish(self, seed: u64, helpers: Vec<String>) -> Generated {
        let buffers = self.buffers.iter().map(|buffer| {
            let reference = if buffer.written { "&mut " } else { "&" };
            format!("{}: {reference}[{}]", buffer.name, buffer.ty)
        });
        let params: Vec<String> = buffers.chain(self.scalars).collect();
        Generated {
            seed,
            helpers,
            attribute: self.attribute.join(", "),
            generics: if self.generics.is_empty() {
                String::new()
            } else {
                format!("<{}>", self.generics.join(", "))
            },
            params: params.join(", "),
            body: self.lines.concat(),
        }
    }

    /// Up to two functions of an `f32` and a small `i64`.
    fn helpers(&mut self) -> Vec<String> {
        let count = [0, 0, 1, 2][self.writer.rng.usize(0..4)];
        let mut helpers = Vec::new();
        for at in 0..count {
            self.writer.sources = vec![
                Source::Float {
                    text: "x".to_owned(),
                    soft: !self.writer.exact,
                },
                integer("k", -8, 8),
            ];
            let lines = std::mem::take(&mut self.lines);
            if self.chance(50) {
                self.statement();
            }
            let value = self.writer.float(3).text.text;
            let body = std::mem::replace(&mut self.lines, lines).concat();
            let name = format!("h{at}");
            helpers.push(format!(
                "#[sycl_fn]\nfn {name}(x: f32, k: i64) -> f32 {{\n{body}    {value}\n}}\n"
            ));
            self.writer.helpers.push(Helper { name });
        }
        self.writer.sources.clear();
        helpers
    }

    fn kernel(&mut self) {
        self.width();
        if self.chance(50) {
            let ty = self.writer.pick(&["f32", "f16", "bf16"]);
            self.generics.insert(0, "T: Float".to_owned());
            self.attribute.push(format!("types(T = [{ty}])"));
        }
        match self.writer.rng.u32(0..10) {
            0..2 => self.flat(),
            2..7 => self.rows(false),
            7 => self.pairs(),
            _ => self.rows(true),
        }
    }

    /// The width of rows, a run-time value or a const parameter, and what else the kernel is given.
    fn width(&mut self) {
        if self.chance(35) {
            self.width = "N".to_owned();
            self.generics.push("const N: i64".to_owned());
        } else {
            self.scalars.push("n: i64".to_owned());
        }
        let width = self.width.clone();
        self.writer.sources.push(integer(&width, 0, 1 << 24));
        if self.chance(25) {
            self.generics.push("const FLAG: bool".to_owned());
            self.writer.sources.push(Source::Bool {
                text: "FLAG".to_owned(),
            });
        }
        if self.chance(40) {
            self.scalars.push("factor: f32".to_owned());
            self.writer.sources.push(Source::Float {
                text: "factor".to_owned(),
                soft: false,
            });
        }
        if self.chance(30) {
            self.scalars.push("level: i32".to_owned());
            self.writer.sources.push(Source::Int {
                text: "level".to_owned(),
                ty: super::expr::I32,
                low: i32::MIN.into(),
                high: i32::MAX.into(),
            });
        }
    }

    /// A kernel over `elements`.
    fn flat(&mut self) {
        let each = [1, 1, 1, 2, 4][self.writer.rng.usize(0..5)];
        self.buffer("a", Element::Float, false, each, false);
        let integers = self.integers();
        self.buffer("b", integers, false, 1, false);
        self.buffer("y", Element::Float, true, each, false);
        if self.chance(50) {
            let integers = self.integers();
            self.buffer("z", integers, true, 1, false);
        }
        let shapes: Vec<String> = self
            .buffers
            .clone()
            .iter()
            .map(|buffer| match buffer.widths {
                1 => format!("{} = [{}]", buffer.name, self.width),
                each => format!("{} = [{}, {each}]", buffer.name, self.width),
            })
            .collect();
        self.attribute.push(format!("shapes({})", shapes.join(", ")));
        let (a, y) = (self.buffers[0].clone(), self.buffers[2].clone());
        if a.ty == y.ty && self.chance(30) {
            self.attribute.push("alias(y = a)".to_owned());
        }
        self.host();
        let bound = self.width.clone();
        self.block(&format!("for i in elements({bound})"), |author| {
            author.writer.bind(integer("i", 0, 1 << 24));
            for buffer in author.buffers.clone() {
                let index = if buffer.widths == 1 {
                    "i".to_owned()
                } else {
                    format!("{} * i + 1", buffer.widths)
                };
                author.add_load(buffer.name, &index, buffer.element, buffer.written);
                if !buffer.written && author.chance(40) {
                    let other = author
                        .writer
                        .pick(&["n - 1 - i", "i / 2", "i % 3 * i / 3", "0"])
                        .replace('n', &author.width);
                    author.add_load(buffer.name, &other, buffer.element, false);
                }
            }
            author.statements();
            for buffer in author.buffers.clone().into_iter().filter(|b| b.written) {
                for at in 0..buffer.widths {
                    let mut index = if buffer.widths == 1 {
                        "i".to_owned()
                    } else {
                        format!("{} * i + {at}", buffer.widths)
                    };
                    if author.chance(4) {
                        index = author
                            .writer
                            .pick(&["0", "i / 2", "i + 1", "i % 7", "i - 1"])
                            .to_owned();
                    }
                    author.store(buffer.name, &index, buffer.element);
                }
            }
        });
    }

    /// Code before the grid.
    fn host(&mut self) {
        if self.chance(25) {
            let name = self.writer.name();
            let value = self.writer.int(I64, 2);
            self.line(format!("let {name}: i64 = {};", value.text.text));
            self.writer.bind(integer(&name, value.low, value.high));
        }
    }

    /// A kernel over `groups`, in one dimension or two.
    fn rows(&mut self, heads: bool) {
        self.scalars.push("rows: i64".to_owned());
        if heads {
            self.scalars.push("heads: i64".to_owned());
        }
        let widths = self.widths();
        self.buffer("a", Element::Float, false, widths, false);
        let other = self.widths();
        self.buffer("y", Element::Float, true, other, false);
        if self.chance(40) {
            self.buffer("w", Element::Float, false, 1, true);
        }
        if self.chance(35) {
            let integers = self.integers();
            self.buffer("b", integers, false, 1, false);
        }
        if self.chance(45) {
            let element = if self.chance(60) {
                Element::Float
            } else {
                self.integers()
            };
            self.buffer("z", element, true, 1, false);
        }
        if self.chance(40) {
            self.buffer("s", Element::Float, true, 0, false);
        }
        let gather = self.chance(20);
        let scatter = !heads && self.chance(12);
        self.shapes(heads, gather, scatter);
        self.host();
        let grid = if heads {
            "(row, head) in groups((rows, heads))"
        } else {
            "row in groups(rows)"
        };
        self.block(&format!("for {grid}"), |author| {
            author.writer.bind(integer("row", 0, 1 << 24));
            if heads {
                author.writer.bind(integer("head", 0, 1 << 24));
            }
            let places = author.places(heads, gather, scatter);
            let phases = author.writer.rng.usize(1..5);
            for _ in 0..phases {
                author.phase(&places, 0);
            }
            if !author.lines.iter().any(|line| line.contains(".store(")) {
                author.lanes(&places);
            }
        });
    }

    /// A kernel whose groups have rows of one of two buffers.
    fn pairs(&mut self) {
        self.scalars
            .extend(["rows: i64", "some: i64", "others: i64"].map(str::to_owned));
        self.buffer("q", Element::Float, true, 1, false);
        self.buffer("k", Element::Float, true, 1, false);
        self.buffers[1].ty = self.buffers[0].ty.clone();
        self.buffer("w", Element::Float, false, 1, true);
        let n = self.width.clone();
        self.attribute.push(format!(
            "shapes(q = [rows, some, {n}], k = [rows, others, {n}], w = [{n}])"
        ));
        self.line("let heads = some + others;");
        self.host();
        self.block("for (row, head) in groups((rows, heads))", |author| {
            let condition = if author.chance(90) { "head < some" } else { "head <= some" };
            let first = if author.chance(95) { "head" } else { "0" };
            author.line(format!(
                "let mut x = if {condition} {{ q.row_mut((row * some + {first}) * {n}) }} else {{ k.row_mut((row * others + (head - some)) * {n}) }};"
            ));
            author.writer.bind(integer("row", 0, 1 << 24));
            author.writer.bind(integer("head", 0, 1 << 24));
            let place = |name: &str, written| Place {
                name: name.to_owned(),
                base: String::new(),
                element: Element::Float,
                written,
                widths: 1,
                chosen: written,
            };
            let places = [place("x", true), place("w", false)];
            for _ in 0..author.writer.rng.usize(1..4) {
                author.phase(&places, 0);
            }
        });
    }
}

fn integer(text: &str, low: i128, high: i128) -> Source {
    Source::Int {
        text: text.to_owned(),
        ty: I64,
        low,
        high,
    }
}

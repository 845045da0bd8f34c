//! Random kernels: a grid, buffers with their shapes, and phases over the rows of them.
//!
//! Most of what is written is meant to be right; about every fourth kernel has something in it that may well be wrong. Which
//! is which is the front end's to say: all that is asked of a kernel is that it agrees with itself once it is accepted.

use fastrand::Rng;

use super::expr::{Helper, I64, INTEGERS, Source, Type, Writer};
use super::index::{self, Loop};

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
    /// Whether it is a row of one of two buffers. A launcher submits nothing where either is empty and the group itself
    /// accesses the row; natively the groups of the other go on. See `rows_of_the_other_buffer` in `tests/semantics`.
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

    fn float_type(&mut self) -> String {
        let generic = self.generics.iter().any(|g| g.starts_with("T:"));
        if generic && self.chance(75) {
            return "T".to_owned();
        }
        "f32".to_owned()
    }

    fn buffer(&mut self, name: &'static str, element: Element, written: bool, widths: u32, shared: bool) {
        let ty = match element {
            Element::Float => self.float_type(),
            Element::Int(ty) => INTEGERS[ty].0.to_owned(),
        };
        self.buffers.push(Buffer {
            name,
            ty,
            element,
            written,
            widths,
            shared,
            stride: None,
        });
    }

    /// Elements of a buffer of integers: `i64`, `i32` or `i8`.
    fn integers(&mut self) -> Element {
        Element::Int([I64, 1, 4][self.writer.rng.usize(0..3)])
    }

    /// How many widths rows are long.
    fn widths(&mut self) -> u32 {
        [1, 1, 2][self.writer.rng.usize(0..3)]
    }

    fn extent(&self, widths: u32) -> String {
        match widths {
            1 => self.width.clone(),
            widths => format!("{widths} * {}", self.width),
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

    fn shapes(&mut self, heads: bool, gather: bool, scatter: bool) {
        let aliased = {
            let (a, y) = (&self.buffers[0], &self.buffers[1]);
            a.ty == y.ty && a.widths == y.widths
        } && self.chance(30);
        for at in 0..self.buffers.len() {
            let strided = self.chance(25) && !self.buffers[at].shared && self.buffers[at].widths > 0;
            if strided && !heads {
                let stride = format!("{}_stride", self.buffers[at].name);
                self.scalars.push(format!("{stride}: i64"));
                self.buffers[at].stride = Some(stride);
            }
        }
        if aliased && self.chance(85) {
            // One buffer has one layout.
            let stride = self.buffers[0].stride.is_some();
            if self.buffers[1].stride.is_some() != stride {
                for at in 0..2 {
                    if let Some(stride) = self.buffers[at].stride.take() {
                        self.scalars.retain(|scalar| !scalar.starts_with(&stride));
                    }
                }
            }
        }
        let mut shapes = Vec::new();
        for buffer in &self.buffers {
            let outer = match (buffer.shared, heads) {
                (true, _) => String::new(),
                (false, true) => "rows, heads".to_owned(),
                (false, false) => "rows".to_owned(),
            };
            let outer = match &buffer.stride {
                Some(stride) => format!("{outer} @ {stride}"),
                None if scatter && buffer.name == "y" => "slots".to_owned(),
                None => outer,
            };
            let inner = if buffer.widths == 0 {
                String::new()
            } else {
                self.extent(buffer.widths)
            };
            let dims: Vec<String> = [outer, inner].into_iter().filter(|dim| !dim.is_empty()).collect();
            shapes.push(format!("{} = [{}]", buffer.name, dims.join(", ")));
        }
        if scatter || gather {
            let ty = self.writer.pick(&["i32", "i64"]);
            self.scalars.insert(0, format!("at: &[{ty}]"));
            shapes.push("at = [rows]".to_owned());
        }
        if scatter {
            self.scalars.push("slots: i64".to_owned());
            self.attribute.push("scatter(y by at)".to_owned());
        }
        if gather {
            self.scalars.insert(0, "table: &[f32]".to_owned());
            self.scalars.push("entries: i64".to_owned());
            shapes.push(format!("table = [entries, {}]", self.width));
        }
        self.attribute.push(format!("shapes({})", shapes.join(", ")));
        if aliased {
            self.attribute.push("alias(y = a)".to_owned());
        }
    }

    /// The offset of the group's row in a buffer.
    fn offset(&mut self, buffer: &Buffer, heads: bool) -> String {
        let width = self.extent(buffer.widths);
        let width = if buffer.widths > 1 {
            format!("({width})")
        } else {
            width
        };
        let wrong = buffer.written && self.chance(2);
        if wrong {
            return self
                .writer
                .pick(&["0", "row", "row * 3", "(row + 1) * n"])
                .replace('n', &self.width);
        }
        match (&buffer.stride, heads) {
            _ if buffer.shared => "0".to_owned(),
            (Some(stride), _) => format!("row * {stride}"),
            (None, true) if buffer.widths == 0 => "row * heads + head".to_owned(),
            (None, false) if buffer.widths == 0 => "row".to_owned(),
            (None, true) => format!("(row * heads + head) * {width}"),
            (None, false) => format!("row * {width}"),
        }
    }

    fn places(&mut self, heads: bool, gather: bool, scatter: bool) -> Vec<Place> {
        let mut places = Vec::new();
        if gather || scatter {
            self.line("let slot = at.load(row);");
        }
        for buffer in self.buffers.clone() {
            let mut offset = self.offset(&buffer, heads);
            if scatter && buffer.name == "y" {
                let width = self.extent(buffer.widths);
                let stride = buffer.stride.clone().unwrap_or(format!("({width})"));
                offset = format!("slot * {stride}");
            }
            let place = if buffer.widths > 0 && self.chance(60) {
                let name = format!("{}_row", buffer.name);
                let (mutable, method) = if buffer.written {
                    ("mut ", "row_mut")
                } else {
                    ("", "row")
                };
                self.line(format!(
                    "let {mutable}{name} = {}.{method}({offset});",
                    buffer.name
                ));
                (name, String::new())
            } else {
                let base = match (buffer.widths, offset.as_str()) {
                    (_, "0") => String::new(),
                    (0, offset) => offset.to_owned(),
                    (_, offset) => format!("{offset} + "),
                };
                (buffer.name.to_owned(), base)
            };
            places.push(Place {
                name: place.0,
                base: place.1,
                element: buffer.element,
                written: buffer.written,
                widths: buffer.widths,
                chosen: false,
            });
        }
        if gather {
            self.line(format!("let entry = table.row(slot * {});", self.width));
            places.push(Place {
                name: "entry".to_owned(),
                base: String::new(),
                element: Element::Float,
                written: false,
                widths: 1,
                chosen: false,
            });
        }
        if scatter {
            self.writer.bind(Source::Bool {
                text: "(slot >= 0 && slot < slots)".to_owned(),
            });
        }
        places
    }

    /// A part of the work on a row.
    fn phase(&mut self, places: &[Place], depth: u32) {
        let scattered = self.lines.iter().any(|line| line.contains("let slot"))
            && self.attribute.iter().any(|a| a.starts_with("scatter"));
        if scattered && depth == 0 && self.chance(95) {
            let head = "if slot >= 0 && slot < slots";
            return self.block(head, |author| author.phase(places, 1));
        }
        match self.writer.rng.u32(0..14) {
            0..6 => self.lanes(places),
            6..9 if !self.writer.exact => self.reduction(places),
            9 if depth < 2 => {
                let cond = self.writer.boolean(1).text;
                self.block(&format!("if {cond}"), |author| author.phase(places, depth + 1));
            }
            10 if depth < 2 => {
                let end = self.writer.pick(&["2", "3", "row % 3", "level.min(2)"]);
                let end = if self.scalars.iter().any(|s| s.starts_with("level")) {
                    end
                } else {
                    "2"
                };
                let name = self.writer.name();
                self.writer.hide(&name);
                self.block(&format!("for {name} in 0..{end}"), |author| {
                    author.phase(places, depth + 1);
                    if author.chance(40) {
                        author.phase(places, depth + 1);
                    }
                });
            }
            11 | 12 => self.uniform(places),
            13 => {
                let name = self.writer.name();
                let value = self.writer.float(2);
                self.line(format!("let {name}: f32 = {};", value.text.text));
                self.writer.bind(Source::Float {
                    text: name,
                    soft: value.soft,
                });
            }
            _ => self.lanes(places),
        }
    }

    fn at(place: &Place, index: &str) -> String {
        match (place.base.as_str(), place.widths) {
            (base, 0) => base.to_owned(),
            ("", _) => index.to_owned(),
            (base, _) => format!("{base}{index}"),
        }
    }

    fn add_load(&mut self, name: &str, index: &str, element: Element, written: bool) {
        let text = format!("{name}.load({index})");
        let source = match element {
            Element::Float => Source::Float {
                text,
                soft: written && !self.writer.exact,
            },
            Element::Int(ty) => Source::Int {
                text,
                ty: I64,
                low: INTEGERS[ty].1,
                high: INTEGERS[ty].2,
            },
        };
        self.writer.sources.push(source);
    }

    fn store(&mut self, name: &str, index: &str, element: Element) {
        let value = match element {
            Element::Float => self.writer.float(3).text.text,
            Element::Int(_) => self.writer.int(I64, 3).text.text,
        };
        self.line(format!("{name}.store({index}, {value});"));
    }

    /// A value for the whole row, loaded or stored.
    fn uniform(&mut self, places: &[Place]) {
        let place = places[self.writer.rng.usize(0..places.len())].clone();
        if place.chosen {
            return;
        }
        let index = self
            .writer
            .pick(&["0", "0", "n - 1", "n / 2"])
            .replace('n', &self.width);
        let at = Self::at(&place, &index);
        if place.written && self.chance(60) {
            return self.store(&place.name, &at, place.element);
        }
        if place.element == Element::Float {
            let name = self.writer.name();
            self.line(format!("let {name} = {}.load({at});", place.name));
            self.writer.bind(Source::Float {
                text: name,
                soft: place.written && !self.writer.exact,
            });
        }
    }

    /// Loads that the body of a loop may use.
    fn loads(&mut self, places: &[Place], over: Loop, favourite: &str) {
        for place in places {
            let forms = index::forms(over, place.widths);
            let count = if place.written {
                self.writer.rng.usize(0..2)
            } else {
                self.writer.rng.usize(1..3)
            };
            for _ in 0..count {
                let mut form = forms[self.writer.rng.usize(0..forms.len())];
                if place.written && forms.contains(&favourite) && self.chance(75) {
                    form = favourite;
                }
                if place.written && self.chance(4) {
                    form = self.writer.pick(&index::WRONG);
                }
                let at = Self::at(place, &form.replace('n', &self.width));
                self.add_load(&place.name, &at, place.element, place.written);
            }
        }
    }

    fn index(&mut self, over: Loop) {
        self.writer.bind(integer("i", 0, 1 << 24));
        if over == Loop::Blocks {
            self.writer.bind(integer("t", 0, 3));
        }
    }

    /// A loop over lanes that stores.
    fn lanes(&mut self, places: &[Place]) {
        let over = Loop::ALL[self.writer.rng.usize(0..Loop::ALL.len())];
        let forms = index::forms(over, 1);
        let favourite = if self.chance(50) {
            forms[0]
        } else {
            forms[self.writer.rng.usize(0..forms.len())]
        };
        self.block(
            &format!("for i in lanes({})", over.bound(&self.width)),
            |author| {
                author.index(over);
                if over == Loop::Blocks {
                    author.block("for t in 0..4", |author| author.lane(places, over, favourite));
                } else {
                    author.lane(places, over, favourite);
                }
            },
        );
    }

    fn lane(&mut self, places: &[Place], over: Loop, favourite: &str) {
        self.loads(places, over, favourite);
        self.statements();
        let written: Vec<&Place> = places.iter().filter(|place| place.written).collect();
        let stores = self.writer.rng.usize(1..3);
        for _ in 0..stores {
            let place = written[self.writer.rng.usize(0..written.len())];
            let forms = index::forms(over, place.widths);
            let mut form = if forms.contains(&favourite) && self.chance(80) {
                favourite
            } else {
                forms[self.writer.rng.usize(0..forms.len())]
            };
            if self.chance(3) {
                form = self.writer.pick(&index::WRONG);
            }
            let at = Self::at(place, &form.replace('n', &self.width));
            let guard = match form {
                _ if place.widths == 0 && self.chance(90) => Some("if i == 0".to_owned()),
                "0" if self.chance(80) => Some("if i == 0".to_owned()),
                _ if self.chance(20) => Some(format!("if {}", self.writer.boolean(2).text)),
                _ => None,
            };
            match guard {
                Some(guard) => self.block(&guard, |author| author.store(&place.name, &at, place.element)),
                None => self.store(&place.name, &at, place.element),
            }
        }
    }

    /// Statements that compute.
    fn statements(&mut self) {
        let count = [0, 1, 1, 2, 3][self.writer.rng.usize(0..5)];
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let name = self.writer.name();
        match self.writer.rng.u32(0..9) {
            0 | 1 => {
                let value = self.writer.float(3);
                self.line(format!("let {name}: f32 = {};", value.text.text));
                self.writer.bind(Source::Float {
                    text: name,
                    soft: value.soft,
                });
            }
            2 => {
                let ty = self.writer.rng.usize(0..INTEGERS.len());
                let value = self.writer.int(ty, 3);
                self.line(format!("let {name}: {} = {};", INTEGERS[ty].0, value.text.text));
                self.writer.bind(Source::Int {
                    text: name,
                    ty,
                    low: value.low,
                    high: value.high,
                });
            }
            3 => {
                let (a, b) = (self.writer.float(2), self.writer.float(1));
                let other = format!("{name}_2");
                let soft = a.soft || b.soft;
                let cond = self.writer.boolean(1).text;
                let (a, b) = (a.text.text, b.text.text);
                let value = if self.chance(50) {
                    format!("if {cond} {{ ({a}, {b}) }} else {{ ({b}, {a}) }}")
                } else {
                    format!("({a}, {b})")
                };
                self.line(format!("let ({name}, {other}): (f32, f32) = {value};"));
                for text in [name, other] {
                    self.writer.bind(Source::Float { text, soft });
                }
            }
            4 => {
                let value = self.writer.boolean(2).text;
                self.line(format!("let {name} = {value};"));
                self.writer.bind(Source::Bool { text: name });
            }
            _ => self.mutable(&name),
        }
    }

    /// A variable that changes: in a branch, in a loop, or at once.
    fn mutable(&mut self, name: &str) {
        let value = self.writer.float(2);
        self.line(format!("let mut {name}: f32 = {};", value.text.text));
        self.writer.bind(Source::Float {
            text: name.to_owned(),
            soft: !self.writer.exact,
        });
        let operator = self.writer.pick(&["=", "+=", "-=", "*=", "="]);
        match self.writer.rng.u32(0..4) {
            0 => {
                let cond = self.writer.boolean(2).text;
                let value = self.writer.float(2).text.text;
                self.block(&format!("if {cond}"), |author| {
                    author.line(format!("{name} {operator} {value};"));
                });
                if self.chance(40) {
                    let value = self.writer.float(2).text.text;
                    self.lines.pop();
                    self.line(format!("}} else {{ {name} = {value}; }}"));
                }
            }
            1 | 2 => {
                let end = ["3", "4", "0", "7"][self.writer.rng.usize(0..4)];
                let index = self.writer.name();
                if index == name {
                    return;
                }
                let range = if self.chance(25) {
                    format!("1..={end}")
                } else {
                    format!("0..{end}")
                };
                self.block(&format!("for {index} in {range}"), |author| {
                    author.writer.hide(&index);
                    let text = format!("({index} as i64)");
                    author.writer.sources.push(integer(&text, 0, 7));
                    let value = author.writer.float(2).text.text;
                    author.line(format!("{name} {operator} {value};"));
                });
            }
            _ => {
                let value = self.writer.float(2).text.text;
                self.line(format!("{name} {operator} {value};"));
            }
        }
    }

    /// A reduction over the row, sometimes a wrong one.
    fn reduction(&mut self, places: &[Place]) {
        self.accumulators += 1;
        let name = format!("acc{}", self.accumulators);
        let (word, start, gather) = match self.writer.rng.u32(0..4) {
            0 | 1 => ("group_sum", "0.0", "+"),
            2 => ("group_max", "f32::NEG_INFINITY", "max"),
            _ => ("group_min", "f32::INFINITY", "min"),
        };
        let start = if self.chance(5) { "1.0_f32" } else { start };
        self.line(format!("let mut {name} = {start};"));
        let loops = if self.chance(20) { 2 } else { 1 };
        for _ in 0..loops {
            let over = Loop::ALL[self.writer.rng.usize(0..Loop::ALL.len())];
            let forms = index::forms(over, 1);
            let favourite = forms[0];
            self.block(
                &format!("for i in lanes({})", over.bound(&self.width)),
                |author| {
                    author.index(over);
                    if over == Loop::Blocks {
                        author.block("for t in 0..4", |author| {
                            author.gather(places, over, favourite, &name, gather)
                        });
                    } else {
                        author.gather(places, over, favourite, &name, gather);
                    }
                    if author.chance(12) {
                        author.lane(places, over, favourite);
                    }
                },
            );
        }
        let word = if self.chance(5) {
            self.writer.pick(&["group_sum", "group_max"])
        } else {
            word
        };
        let total = format!("total{}", self.accumulators);
        if self.chance(94) {
            self.line(format!("let {total} = {word}({name});"));
        } else {
            self.line(format!("let {total} = {name};"));
        }
        self.writer.bind(Source::Float {
            text: total,
            soft: true,
        });
    }

    fn gather(&mut self, places: &[Place], over: Loop, favourite: &str, name: &str, gather: &str) {
        self.loads(places, over, favourite);
        self.statements();
        let value = self.writer.float(2).text.text;
        let line = match gather {
            _ if self.chance(3) => format!("{name} = {value};"),
            "+" if self.chance(20) => format!("{name} -= {value};"),
            "+" => format!("{name} += {value};"),
            method => format!("{name} = {name}.{method}({value});"),
        };
        if self.chance(20) {
            let cond = self.writer.boolean(1).text;
            return self.block(&format!("if {cond}"), |author| author.line(line));
        }
        self.line(line);
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

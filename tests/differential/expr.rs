//! Random expressions: of the right type, in any order of precedence, with as few parentheses as Rust allows.
//!
//! Integers carry the range of their values, so that no plain operator overflows; what may wrap is written `wrapping_*`.
//! Floats carry whether they are *soft*: not the same bits in a kernel and in its shadow. Nothing jumps on a soft one,
//! since the shadow knows only one side.

use fastrand::Rng;

/// How tightly an expression is bound, as in Rust's reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Not to be written as an operand.
    Whole,
    Or,
    And,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Cast,
    Prefix,
    Atom,
}

/// An expression as text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    level: Level,
}

/// A float.
#[derive(Clone, Debug)]
pub(crate) struct Float {
    pub(crate) text: Text,
    pub(crate) soft: bool,
}

/// An integer of some type.
#[derive(Clone, Debug)]
pub(crate) struct Int {
    pub(crate) text: Text,
    pub(crate) low: i128,
    pub(crate) high: i128,
}

/// The integer types of kernels: name, least and largest value.
pub(crate) const INTEGERS: [(&str, i128, i128); 8] = [
    ("i64", i64::MIN as i128, i64::MAX as i128),
    ("i32", i32::MIN as i128, i32::MAX as i128),
    ("u8", 0, u8::MAX as i128),
    ("u32", 0, u32::MAX as i128),
    ("i8", i8::MIN as i128, i8::MAX as i128),
    ("u64", 0, u64::MAX as i128),
    ("i16", i16::MIN as i128, i16::MAX as i128),
    ("u16", 0, u16::MAX as i128),
];

/// An index into [`INTEGERS`].
pub(crate) type Type = usize;
pub(crate) const I64: Type = 0;
pub(crate) const I32: Type = 1;

/// A value that an expression may name.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Float {
        text: String,
        soft: bool,
    },
    Int {
        text: String,
        ty: Type,
        low: i128,
        high: i128,
    },
    Bool {
        text: String,
    },
}

/// A `#[sycl_fn]` that may be called: its name; it takes an `f32` and an `i64`, of which it is sure to be at most 8 from 0.
#[derive(Clone, Debug)]
pub(crate) struct Helper {
    pub(crate) name: String,
}

/// Writes expressions over what is in scope.
pub(crate) struct Writer {
    pub(crate) rng: Rng,
    /// Whether the kernel's results are compared bit by bit, so that nothing is soft and no function inexact.
    pub(crate) exact: bool,
    pub(crate) sources: Vec<Source>,
    pub(crate) helpers: Vec<Helper>,
    names: usize,
}

impl Text {
    pub(crate) fn new(text: impl Into<String>, level: Level) -> Self {
        Self {
            text: text.into(),
            level,
        }
    }

    pub(crate) fn atom(text: impl Into<String>) -> Self {
        Self::new(text, Level::Atom)
    }

    /// As an operand of something that binds as `level`.
    fn within(&self, level: Level) -> String {
        if self.level < level {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    fn prefixed(self, operator: &str) -> Self {
        Self::new(format!("{operator}{}", self.within(Level::Prefix)), Level::Prefix)
    }

    /// A left-associative operator.
    fn infix(self, operator: &str, other: &Self, level: Level) -> Self {
        let next = match level {
            Level::Sum => Level::Product,
            Level::Product => Level::Cast,
            Level::Shift => Level::Sum,
            Level::BitAnd => Level::Shift,
            Level::BitXor => Level::BitAnd,
            Level::BitOr => Level::BitXor,
            Level::Or => Level::And,
            _ => Level::BitOr,
        };
        // `x as i64 < y` reads as a type with parameters.
        let own = match level {
            Level::Comparison | Level::Shift if self.text.contains(" as ") => Level::Prefix,
            Level::Comparison => next,
            level => level,
        };
        let text = format!("{} {operator} {}", self.within(own), other.within(next));
        Self::new(text, level)
    }

    fn cast(self, ty: &str) -> Self {
        Self::new(format!("{} as {ty}", self.within(Level::Cast)), Level::Cast)
    }

    fn method(self, name: &str, args: &[&Self]) -> Self {
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        Self::atom(format!(
            "{}.{name}({})",
            self.within(Level::Atom),
            args.join(", ")
        ))
    }

    fn select(cond: &Self, then: &Self, other: &Self) -> Self {
        let text = format!("if {} {{ {} }} else {{ {} }}", cond.text, then.text, other.text);
        Self::new(text, Level::Whole)
    }
}

impl Int {
    fn new(text: Text, low: i128, high: i128) -> Self {
        Self { text, low, high }
    }

    fn of(text: Text, ty: Type) -> Self {
        Self::new(text, INTEGERS[ty].1, INTEGERS[ty].2)
    }

    fn fits(&self, ty: Type) -> bool {
        INTEGERS[ty].1 <= self.low && self.high <= INTEGERS[ty].2
    }
}

impl Writer {
    pub(crate) fn new(rng: Rng, exact: bool) -> Self {
        Self {
            rng,
            exact,
            sources: Vec::new(),
            helpers: Vec::new(),
            names: 0,
        }
    }

    /// True in `percent` of all cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    pub(crate) fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.rng.usize(0..all.len())]
    }

    /// A name for a variable: a new one, or one that is taken already, which it hides.
    pub(crate) fn name(&mut self) -> String {
        if self.names > 0 && self.chance(20) {
            return format!("v{}", self.rng.usize(0..self.names));
        }
        self.names += 1;
        format!("v{}", self.names - 1)
    }

    /// Brings a variable into scope; what it hides is gone.
    pub(crate) fn bind(&mut self, source: Source) {
        let name = source.text().to_owned();
        self.hide(&name);
        self.sources.push(source);
    }

    /// Takes everything that a name is in out of scope.
    pub(crate) fn hide(&mut self, name: &str) {
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        self.sources
            .retain(|source| source.text().split(word).all(|part| part != name));
    }

    /// A float of any form.
    pub(crate) fn float(&mut self, depth: u32) -> Float {
        if depth == 0 {
            return self.float_atom(false);
        }
        let depth = depth - 1;
        match self.rng.u32(0..26) {
            0..8 => {
                let (a, b) = (self.float(depth), self.float(depth));
                let (operator, level) = [
                    ("+", Level::Sum),
                    ("-", Level::Sum),
                    ("*", Level::Product),
                    ("*", Level::Product),
                    ("/", Level::Product),
                    ("%", Level::Product),
                ][self.rng.usize(0..if self.exact { 6 } else { 5 })];
                self.rounded(a.text.infix(operator, &b.text, level))
            }
            8..10 => {
                let a = self.float(depth);
                Float {
                    text: a.text.prefixed("-"),
                    soft: a.soft,
                }
            }
            10..12 => {
                let (name, rounds) = [
                    ("abs", false),
                    ("floor", false),
                    ("ceil", false),
                    ("round", false),
                    ("round_ties_even", false),
                    ("trunc", false),
                    ("fract", true),
                    ("sqrt", true),
                    ("recip", true),
                    ("signum", false),
                ][self.rng.usize(0..10)];
                let a = self.receiver(depth);
                let text = a.text.method(name, &[]);
                if rounds {
                    self.rounded(text)
                } else {
                    Float { text, soft: a.soft }
                }
            }
            12..15 => {
                let name = self.pick(&["max", "min", "max", "min", "copysign"]);
                let (a, b) = (self.receiver(depth), self.float(depth));
                Float {
                    text: a.text.method(name, &[&b.text]),
                    soft: a.soft || b.soft,
                }
            }
            15 => {
                let (a, b, c) = (self.receiver(depth), self.float(depth), self.float(depth));
                self.rounded(a.text.method("mul_add", &[&b.text, &c.text]))
            }
            16 => {
                let a = self.receiver(depth);
                let (low, high) = (
                    Text::atom(self.pick(&["0.0", "-1.0", "-0.25", "f32::MIN"])),
                    Text::atom("2.5"),
                );
                Float {
                    text: a.text.method("clamp", &[&low, &high]),
                    soft: a.soft,
                }
            }
            17..20 => {
                let cond = self.boolean(depth);
                let (a, b) = (self.float(depth), self.float(depth));
                Float {
                    text: Text::select(&cond, &a.text, &b.text),
                    soft: a.soft || b.soft,
                }
            }
            20 => {
                let (value, name) = (self.float(depth), self.name());
                let outer = self.sources.clone();
                self.bind(Source::Float {
                    text: name.clone(),
                    soft: value.soft,
                });
                let inner = self.float(depth);
                self.sources = outer;
                Float {
                    text: Text::new(
                        format!("{{ let {name}: f32 = {}; {} }}", value.text.text, inner.text.text),
                        Level::Whole,
                    ),
                    soft: value.soft || inner.soft,
                }
            }
            21 | 22 => {
                let ty = self.rng.usize(0..INTEGERS.len());
                let int = self.int(ty, depth);
                let known = int.low.abs().max(int.high.abs()) <= 1 << 24;
                Float {
                    text: int.text.cast("f32"),
                    soft: !self.exact && !known,
                }
            }
            23 if !self.helpers.is_empty() => {
                let name = self.helpers[self.rng.usize(0..self.helpers.len())].name.clone();
                let (x, k) = (self.float(depth), self.small());
                self.rounded(Text::atom(format!("{name}({}, {})", x.text.text, k.text.text)))
            }
            24 if !self.exact => {
                let name = self.pick(&["exp", "sin", "cos", "tanh", "ln_1p", "exp2"]);
                let a = self.receiver(depth);
                self.rounded(a.text.method(name, &[]))
            }
            _ => self.float_atom(false),
        }
    }

    /// A float that something is done to with a dot: no literal without a type, which rustc refuses there.
    fn receiver(&mut self, depth: u32) -> Float {
        let float = self.float(depth);
        if self.is_free(&float.text.text) {
            let text = Text::atom(self.pick(&["0.5_f32", "3e-2_f32", "f32::EPSILON"]));
            return Float { text, soft: false };
        }
        float
    }

    /// Whether nothing in an expression has a type of its own.
    fn is_free(&self, text: &str) -> bool {
        let known = |source: &Source| matches!(source, Source::Float { text: name, .. } if text.contains(name.as_str()));
        let called = |helper: &Helper| text.contains(&format!("{}(", helper.name));
        !text.contains("f32") && !self.helpers.iter().any(called) && !self.sources.iter().any(known)
    }

    fn rounded(&self, text: Text) -> Float {
        Float {
            text,
            soft: !self.exact,
        }
    }

    /// A literal or something in scope; if `hard`, something that the shadow has the bits of.
    fn float_atom(&mut self, hard: bool) -> Float {
        let named: Vec<(String, bool)> = self
            .sources
            .iter()
            .filter_map(|source| match source {
                Source::Float { text, soft } if !(hard && *soft) => Some((text.clone(), *soft)),
                _ => None,
            })
            .collect();
        if !named.is_empty() && self.chance(80) {
            let (text, soft) = named[self.rng.usize(0..named.len())].clone();
            return Float {
                text: Text::atom(text),
                soft,
            };
        }
        let literal = self.pick(&[
            "0.0",
            "1.0",
            "0.5",
            "2.0",
            "3.0",
            "0.1",
            "1e-3",
            "1.5",
            "0.75f32",
            "10.",
            "7_f32",
            "1e30",
            "1e-40",
            "16777217.0",
            "f32::INFINITY",
            "f32::NAN",
            "f32::MAX",
            "f32::MIN_POSITIVE",
            "f32::EPSILON",
            "1e-45",
        ]);
        // Extremes leave a bound with nothing to say.
        let extreme = ["1e30", "f32::INFINITY", "f32::NAN", "f32::MAX"];
        let literal = if !self.exact && extreme.contains(&literal) {
            "0.25"
        } else {
            literal
        };
        Float {
            text: Text::atom(literal),
            soft: false,
        }
    }

    /// A condition.
    pub(crate) fn boolean(&mut self, depth: u32) -> Text {
        let bools: Vec<String> = self
            .sources
            .iter()
            .filter_map(|source| match source {
                Source::Bool { text } => Some(text.clone()),
                _ => None,
            })
            .collect();
        if !bools.is_empty() && self.chance(20) {
            return Text::atom(bools[self.rng.usize(0..bools.len())].clone());
        }
        let compare = ["<", "<=", ">", ">=", "==", "!="];
        match self.rng.u32(0..if depth == 0 { 5 } else { 8 }) {
            0 | 1 => {
                let operator = self.pick(&compare);
                let (a, b) = if self.exact {
                    (self.float(depth), self.float(depth))
                } else {
                    (self.float_atom(true), self.float_atom(true))
                };
                if self.is_free(&a.text.text) && self.is_free(&b.text.text) {
                    return Text::atom("true");
                }
                a.text.infix(operator, &b.text, Level::Comparison)
            }
            2 | 3 => {
                let ty = [I64, I64, I64, I32, 2, 5][self.rng.usize(0..6)];
                let operator = self.pick(&compare);
                let (a, b) = (self.int(ty, depth), self.int(ty, depth));
                a.text.infix(operator, &b.text, Level::Comparison)
            }
            4 => {
                let name = self.pick(&["is_nan", "is_finite", "is_infinite"]);
                let mut a = if self.exact {
                    self.float(depth)
                } else {
                    self.float_atom(true)
                };
                if self.is_free(&a.text.text) {
                    a.text = Text::atom("f32::MAX");
                }
                a.text.method(name, &[])
            }
            5 => self.boolean(depth - 1).prefixed("!"),
            6 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                a.infix("&&", &b, Level::And)
            }
            _ => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                a.infix("||", &b, Level::Or)
            }
        }
    }

    /// An integer from -8 to 8.
    pub(crate) fn small(&mut self) -> Int {
        let int = self.int(I64, 1);
        if int.low >= -8 && int.high <= 8 {
            return int;
        }
        Int::new(int.text.infix("%", &Text::atom("8"), Level::Product), -7, 7)
    }

    /// An integer of a type.
    pub(crate) fn int(&mut self, ty: Type, depth: u32) -> Int {
        let int = self.int_of(ty, depth);
        debug_assert!(int.fits(ty) && int.low <= int.high, "{int:?}");
        int
    }

    fn int_of(&mut self, ty: Type, depth: u32) -> Int {
        if depth == 0 {
            return self.int_atom(ty);
        }
        let depth = depth - 1;
        let (name, least, most) = INTEGERS[ty];
        match self.rng.u32(0..24) {
            22 | 23 => self.int_choice(ty, depth),
            0..4 => {
                let (a, b) = (self.int(ty, depth), self.int(ty, depth));
                let corners = [
                    a.low.saturating_mul(b.low),
                    a.low.saturating_mul(b.high),
                    a.high.saturating_mul(b.low),
                    a.high.saturating_mul(b.high),
                ];
                let (operator, level, low, high, wrapping) = [
                    ("+", Level::Sum, a.low + b.low, a.high + b.high, "wrapping_add"),
                    ("-", Level::Sum, a.low - b.high, a.high - b.low, "wrapping_sub"),
                    (
                        "*",
                        Level::Product,
                        *corners.iter().min().expect("four"),
                        *corners.iter().max().expect("four"),
                        "wrapping_mul",
                    ),
                ][self.rng.usize(0..3)];
                if least <= low && high <= most {
                    return Int::new(a.text.infix(operator, &b.text, level), low, high);
                }
                let a = self.typed(a, ty);
                Int::of(a.text.method(wrapping, &[&b.text]), ty)
            }
            4 | 5 => {
                let a = self.int(ty, depth);
                let by = self.rng.i128(1..=9);
                let operator = self.pick(&["/", "%"]);
                let by_text = Text::atom(by.to_string());
                let text = a.text.infix(operator, &by_text, Level::Product);
                match operator {
                    "/" => Int::new(text, a.low / by, a.high / by),
                    _ => Int::new(
                        text,
                        if a.low < 0 { 1 - by } else { 0 },
                        if a.high > 0 { by - 1 } else { 0 },
                    ),
                }
            }
            6 => {
                // A divisor that is no literal.
                let (a, b) = (self.int(ty, depth), self.int(ty, depth));
                if a.low < 0 || b.low < 0 || b.high >= most {
                    return a;
                }
                let b = Text::atom("1").infix("+", &b.text, Level::Sum);
                Int::new(a.text.infix("/", &b, Level::Product), 0, a.high)
            }
            7 | 8 => {
                let a = self.int(ty, depth);
                let amount = self.rng.i128(0..8);
                let right = self.chance(60);
                let by = if self.chance(60) {
                    Text::atom(amount.to_string())
                } else {
                    Text::new(format!("({} & 7)", self.int(I64, 0).text.text), Level::Atom)
                };
                if right {
                    return Int::new(a.text.infix(">>", &by, Level::Shift), a.low.min(0), a.high.max(0));
                }
                let a = self.typed(a, ty);
                Int::of(a.text.infix("<<", &by, Level::Shift), ty)
            }
            9 | 10 => {
                let (a, b) = (self.int(ty, depth), self.int(ty, depth));
                let (operator, level) =
                    [("&", Level::BitAnd), ("|", Level::BitOr), ("^", Level::BitXor)][self.rng.usize(0..3)];
                Int::of(a.text.infix(operator, &b.text, level), ty)
            }
            11 => {
                let a = self.int(ty, depth);
                let text = self.typed(a, ty).text.prefixed("!");
                Int::of(text, ty)
            }
            12 => {
                let a = self.int(ty, depth);
                if least == 0 || a.low == least {
                    return a;
                }
                if self.chance(50) {
                    let a = self.typed(a, ty);
                    return Int::new(a.text.method("abs", &[]), 0, a.low.abs().max(a.high.abs()));
                }
                Int::new(a.text.prefixed("-"), -a.high, -a.low)
            }
            13 | 14 => {
                let name = self.pick(&["max", "min", "saturating_add", "saturating_sub"]);
                let (a, b) = (self.int(ty, depth), self.int(ty, depth));
                let a = self.typed(a, ty);
                let text = a.text.method(name, &[&b.text]);
                match name {
                    "max" => Int::new(text, a.low.max(b.low), a.high.max(b.high)),
                    "min" => Int::new(text, a.low.min(b.low), a.high.min(b.high)),
                    _ => Int::of(text, ty),
                }
            }
            15..17 => {
                let from = self.rng.usize(0..INTEGERS.len());
                let a = self.int(from, depth);
                let a = self.typed(a, from);
                let fits = a.fits(ty);
                let text = a.text.cast(name);
                if fits {
                    Int::new(text, a.low, a.high)
                } else {
                    Int::of(text, ty)
                }
            }
            17 => {
                let cond = self.boolean(depth);
                let (a, b) = (self.int(ty, depth), self.int(ty, depth));
                Int::new(
                    Text::select(&cond, &a.text, &b.text),
                    a.low.min(b.low),
                    a.high.max(b.high),
                )
            }
            18 => {
                let x = if self.exact {
                    self.float(depth)
                } else {
                    self.float_atom(true)
                };
                let x = if self.is_free(&x.text.text) {
                    Text::atom("2.5_f32")
                } else {
                    x.text
                };
                Int::of(x.cast(name), ty)
            }
            19 => Int::new(
                Text::new(format!("({})", self.boolean(depth).text), Level::Atom).cast(name),
                0,
                1,
            ),
            _ => self.int_atom(ty),
        }
    }

    /// An integer of which rustc knows the type wherever it stands.
    fn typed(&mut self, int: Int, ty: Type) -> Int {
        let name = INTEGERS[ty].0;
        let known = [format!("_{name}"), format!("_{name} }})")];
        if int.text.level == Level::Cast || known.iter().any(|end| int.text.text.ends_with(end)) {
            return int;
        }
        Int {
            text: Text::atom(format!("({})", int.text.cast(name).text)),
            ..int
        }
    }

    /// A literal with its type, of any width that the type has.
    fn literal(&mut self, ty: Type) -> Int {
        let (name, _, most) = INTEGERS[ty];
        let bits = 128 - most.leading_zeros();
        let value = most >> self.rng.u32(0..bits);
        let value = value - self.rng.i128(0..=value.min(9));
        Int::new(Text::atom(format!("{value}_{name}")), value, value)
    }

    /// A choice between literals.
    fn int_choice(&mut self, ty: Type, depth: u32) -> Int {
        let (a, b) = (self.literal(ty), self.literal(ty));
        let text = if self.chance(50) {
            Text::select(&self.boolean(depth), &a.text, &b.text).text
        } else {
            let subject = self.int(I64, depth);
            let subject = self.typed(subject, I64).text.text;
            format!(
                "match {subject} {{ 0 | 3..=9 => {}, _ => {} }}",
                a.text.text, b.text.text
            )
        };
        Int::new(
            Text::atom(format!("({text})")),
            a.low.min(b.low),
            a.high.max(b.high),
        )
    }

    fn int_atom(&mut self, ty: Type) -> Int {
        let named: Vec<Int> = self
            .sources
            .iter()
            .filter_map(|source| match source {
                Source::Int {
                    text,
                    ty: own,
                    low,
                    high,
                } if *own == ty => Some(Int::new(Text::atom(text.clone()), *low, *high)),
                _ => None,
            })
            .collect();
        if !named.is_empty() && self.chance(70) {
            return named[self.rng.usize(0..named.len())].clone();
        }
        let (name, least, most) = INTEGERS[ty];
        match self.rng.u32(0..12) {
            0 => Int::new(Text::atom(format!("{name}::MAX")), most, most),
            1 => Int::new(Text::atom(format!("{name}::MIN")), least, least),
            2 => Int::new(Text::atom(format!("0x7f_{name}")), 127, 127),
            3 if least < 0 => {
                let value = self.rng.i128(-9..0);
                Int::new(Text::new(value.to_string(), Level::Prefix), value, value)
            }
            4..7 => self.literal(ty),
            _ => {
                let value = self.rng.i128(0..10);
                Int::new(Text::atom(value.to_string()), value, value)
            }
        }
    }
}

impl Source {
    pub(crate) fn text(&self) -> &str {
        match self {
            Source::Float { text, .. } | Source::Int { text, .. } | Source::Bool { text } => text,
        }
    }
}

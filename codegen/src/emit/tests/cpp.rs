//! Integer expressions of C++, worked out as the standard says: an `int` of 32 bits, integer promotion, the usual arithmetic
//! conversions, and no value at all where the behaviour is undefined.
//!
//! It shares nothing with the code under test but the names of types.

use std::collections::BTreeMap;

/// An integer type: whether it has a sign, and its width; `bool` is unsigned and 1 wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ty {
    signed: bool,
    bits: u32,
}

const BOOL: Ty = Ty {
    signed: false,
    bits: 1,
};
const INT: Ty = Ty {
    signed: true,
    bits: 32,
};

/// The type of an expression, and its value where that is defined.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    ty: Ty,
    value: Result<i128, String>,
}

impl Ty {
    /// The type that C++ calls `name`.
    pub(super) fn named(name: &str) -> Option<Ty> {
        let (signed, bits) = match name {
            "bool" => return Some(BOOL),
            "int8_t" => (true, 8),
            "int16_t" => (true, 16),
            "int" | "int32_t" => (true, 32),
            "int64_t" => (true, 64),
            "uint8_t" => (false, 8),
            "uint16_t" => (false, 16),
            "uint32_t" => (false, 32),
            "uint64_t" => (false, 64),
            _ => return None,
        };
        Some(Ty { signed, bits })
    }

    fn least(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn most(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }

    fn has(self, value: i128) -> bool {
        (self.least()..=self.most()).contains(&value)
    }

    /// Conversion, modulo a power of two.
    pub(super) fn wrap(self, value: i128) -> i128 {
        if self == BOOL {
            return (value != 0).into();
        }
        let low = value.rem_euclid(1 << self.bits);
        if low > self.most() {
            low - (1 << self.bits)
        } else {
            low
        }
    }

    fn promoted(self) -> Ty {
        if self.bits < 32 { INT } else { self }
    }

    fn common(self, other: Ty) -> Ty {
        let (a, b) = (self.promoted(), other.promoted());
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal if a.signed => b,
            std::cmp::Ordering::Equal => a,
        }
    }
}

impl Typed {
    pub(super) fn new(ty: Ty, value: i128) -> Typed {
        Typed { ty, value: Ok(value) }
    }

    /// The value as a `ty`.
    pub(super) fn converted(&self, ty: Ty) -> Result<i128, String> {
        self.value.clone().map(|value| ty.wrap(value))
    }

    /// The value.
    pub(super) fn exact(self) -> Result<i128, String> {
        self.value
    }

    /// The result of arithmetic in a type: unsigned wraps, signed has to fit.
    fn arithmetic(ty: Ty, value: Result<i128, String>) -> Typed {
        let value = value.and_then(|value| match ty.has(value) {
            true => Ok(value),
            false if ty.signed => Err(format!("{value} overflows")),
            false => Ok(ty.wrap(value)),
        });
        Typed { ty, value }
    }
}

/// Works out an expression over variables.
pub(super) fn evaluate(text: &str, variables: &BTreeMap<String, Typed>) -> Typed {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
        variables,
    };
    let result = parser.ternary();
    assert_eq!(parser.at, parser.tokens.len(), "{text} has an end");
    result
}

/// Names with their qualification, numbers, and operators.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with(": ") {
            1
        } else if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            let two = ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "--", "++"];
            // `f<a>(` closes a list of types; no expression here ends a comparison with a parenthesis.
            if two.iter().any(|two| rest.starts_with(two)) {
                2
            } else {
                1
            }
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    variables: &'a BTreeMap<String, Typed>,
}

/// Binary operators, loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn expect(&mut self, token: &str) {
        assert_eq!(self.next(), token, "{:?}", self.tokens);
    }

    fn ternary(&mut self) -> Typed {
        let cond = self.binary(0);
        if self.peek() != "?" {
            return cond;
        }
        self.next();
        let a = self.ternary();
        self.expect(":");
        let b = self.ternary();
        let ty = if a.ty == b.ty { a.ty } else { a.ty.common(b.ty) };
        let value = cond.value.and_then(|cond| {
            if cond != 0 {
                a.converted(ty)
            } else {
                b.converted(ty)
            }
        });
        Typed { ty, value }
    }

    fn binary(&mut self, level: usize) -> Typed {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1);
        while operators.contains(&self.peek()) {
            let operator = self.next();
            let right = self.binary(level + 1);
            left = apply(&operator, &left, &right);
        }
        left
    }

    fn unary(&mut self) -> Typed {
        match self.peek() {
            "-" | "~" => {
                let operator = self.next();
                let a = self.unary();
                let ty = a.ty.promoted();
                let value = a.value.map(|value| if operator == "-" { -value } else { !value });
                Typed::arithmetic(ty, value)
            }
            "!" => {
                self.next();
                let a = self.unary();
                Typed {
                    ty: BOOL,
                    value: a.value.map(|value| (value == 0).into()),
                }
            }
            _ => self.primary(),
        }
    }

    fn primary(&mut self) -> Typed {
        let token = self.next();
        if token == "(" {
            let inner = self.ternary();
            self.expect(")");
            return inner;
        }
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return number(&token);
        }
        if token == "INT64_MAX" {
            return number(&i64::MAX.to_string());
        }
        if let Some(value) = ["false", "true"].iter().position(|word| *word == token) {
            return Typed::new(BOOL, value as i128);
        }
        if let Some(ty) = Ty::named(&token) {
            self.expect("{");
            let inner = self.ternary();
            self.expect("}");
            assert!(inner.ty.bits <= ty.bits, "{token}{{..}} narrows");
            return Typed {
                ty,
                value: inner.converted(ty),
            };
        }
        if self.peek() == "<" && (token.contains("::") || token == "static_cast") {
            self.next();
            let ty = Ty::named(&self.next()).expect("a type");
            self.expect(">");
            let args = self.args();
            return call(&token, ty, &args);
        }
        let variable = self.variables.get(&token);
        variable
            .unwrap_or_else(|| panic!("{token} is no variable"))
            .clone()
    }

    fn args(&mut self) -> Vec<Typed> {
        self.expect("(");
        let mut args = vec![self.ternary()];
        while self.peek() == "," {
            self.next();
            args.push(self.ternary());
        }
        self.expect(")");
        args
    }
}

/// A decimal literal: the first of `int` and `long`, or of their unsigned kin behind `u`, that has it.
fn number(token: &str) -> Typed {
    let digits = token.trim_end_matches('u');
    let value: i128 = digits.parse().expect("a number");
    let signed = digits.len() == token.len();
    let ty = [32, 64]
        .map(|bits| Ty { signed, bits })
        .into_iter()
        .find(|ty| ty.has(value));
    Typed::new(
        ty.unwrap_or_else(|| panic!("no type has the literal {token}")),
        value,
    )
}

fn apply(operator: &str, a: &Typed, b: &Typed) -> Typed {
    let logical = |value: Result<bool, String>| Typed {
        ty: BOOL,
        value: value.map(i128::from),
    };
    match operator {
        "&&" => {
            return logical(a.value.clone().and_then(|a| match a {
                0 => Ok(false),
                _ => b.value.clone().map(|b| b != 0),
            }));
        }
        "||" => {
            return logical(a.value.clone().and_then(|a| match a {
                0 => b.value.clone().map(|b| b != 0),
                _ => Ok(true),
            }));
        }
        "<<" | ">>" => {
            let ty = a.ty.promoted();
            let value = a.converted(ty).and_then(|a| {
                let by = b.value.clone()?;
                if !(0..i128::from(ty.bits)).contains(&by) {
                    return Err(format!("a shift by {by}"));
                }
                // Since C++20 a shift to the left is defined for all values.
                Ok(ty.wrap(if operator == "<<" { a << by } else { a >> by }))
            });
            return Typed { ty, value };
        }
        _ => {}
    }
    let ty = a.ty.common(b.ty);
    let both = a.converted(ty).and_then(|a| Ok((a, b.converted(ty)?)));
    let compare = |test: fn(i128, i128) -> bool| logical(both.clone().map(|(a, b)| test(a, b)));
    let compute = |f: fn(i128, i128) -> i128| Typed::arithmetic(ty, both.clone().map(|(a, b)| f(a, b)));
    match operator {
        "==" => compare(|a, b| a == b),
        "!=" => compare(|a, b| a != b),
        "<" => compare(|a, b| a < b),
        "<=" => compare(|a, b| a <= b),
        ">" => compare(|a, b| a > b),
        ">=" => compare(|a, b| a >= b),
        "+" => compute(|a, b| a + b),
        "-" => compute(|a, b| a - b),
        "*" => compute(i128::wrapping_mul),
        "&" => compute(|a, b| a & b),
        "|" => compute(|a, b| a | b),
        "^" => compute(|a, b| a ^ b),
        "/" | "%" => {
            let quotient = both.clone().and_then(|(a, b)| match b {
                0 => Err("a division by 0".to_owned()),
                -1 if a == ty.least() => Err("a quotient that overflows".to_owned()),
                _ => Ok(if operator == "/" { a / b } else { a % b }),
            });
            Typed::arithmetic(ty, quotient)
        }
        _ => panic!("{operator} is no operator"),
    }
}

/// What the helpers and the library promise.
fn call(name: &str, ty: Ty, args: &[Typed]) -> Typed {
    let values: Result<Vec<i128>, String> = args.iter().map(|arg| arg.converted(ty)).collect();
    let value = values.and_then(|values| {
        let bound = |value: i128| Ok(value.clamp(ty.least(), ty.most()));
        match (name, &values[..]) {
            ("static_cast", [a]) => Ok(*a),
            ("detail::wrapping_add", [a, b]) => Ok(ty.wrap(a + b)),
            ("detail::wrapping_sub", [a, b]) => Ok(ty.wrap(a - b)),
            ("detail::wrapping_mul", [a, b]) => Ok(ty.wrap(a.wrapping_mul(*b))),
            ("detail::saturating_add", [a, b]) => bound(a + b),
            ("detail::saturating_sub", [a, b]) => bound(a - b),
            ("detail::quotient" | "detail::remainder", [_, 0]) => Ok(0),
            ("detail::quotient", [a, b]) => Ok(if ty.has(a / b) { a / b } else { 0 }),
            ("detail::remainder", [a, b]) => Ok(a % b),
            ("detail::shift_left", [a, _]) => {
                let by = args[1].value.clone()?.rem_euclid(ty.bits.into());
                Ok(ty.wrap(a << by))
            }
            ("detail::shift_right", [a, _]) => Ok(a >> args[1].value.clone()?.rem_euclid(ty.bits.into())),
            ("detail::clamp", [x, low, high]) => Ok(if x < low { *low } else { *x.min(high) }),
            ("std::max", [a, b]) => Ok(*a.max(b)),
            ("std::min", [a, b]) => Ok(*a.min(b)),
            _ => panic!("{name} is no function of integers"),
        }
    });
    Typed { ty, value }
}

#[test]
fn literals_and_conversions_are_those_of_the_standard() {
    let none = BTreeMap::new();
    let value = |text: &str| evaluate(text, &none).value;
    assert_eq!(value("100000 * 100000"), Err("10000000000 overflows".to_owned()));
    assert_eq!(value("int64_t{100000} * 100000"), Ok(10_000_000_000));
    assert_eq!(value("~7u"), Ok(0xffff_fff8));
    assert_eq!(value("4294967295u + 1"), Ok(0));
    assert_eq!(value("2147483648 * 4"), Ok(8_589_934_592));
    assert_eq!(value("-1 < 1u"), Ok(0));
    assert_eq!(value("(true ? 1 : 2u) - 2"), Ok(0xffff_ffff));
    let narrow = "static_cast<uint8_t>(200)";
    assert_eq!(value(&format!("{narrow} + {narrow}")), Ok(400));
    assert_eq!(value("1 << 32"), Err("a shift by 32".to_owned()));
    assert_eq!(value("true ? 2 : 1 / 0"), Ok(2));
}

//! What a group does with its rows: loops over lanes, reductions, values for the whole row.

use super::{Author, Element, Place, integer};
use crate::expr::{I64, INTEGERS, Source};
use crate::index::{self, Loop};

impl Author {
    /// A part of the work on a row.
    pub(super) fn phase(&mut self, places: &[Place], depth: u32) {
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

    pub(super) fn add_load(&mut self, name: &str, index: &str, element: Element, written: bool) {
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

    pub(super) fn store(&mut self, name: &str, index: &str, element: Element) {
        let value = match element {
            Element::Float => self.writer.float(3).text.text,
            Element::Int(_) => self.writer.int(I64, 3).text.text,
        };
        self.line(format!("{name}.store({index}, {value});"));
    }

    /// A value for the whole row, loaded or stored.
    fn uniform(&mut self, places: &[Place]) {
        let place = places[self.writer.rng.usize(0..places.len())].clone();
        let index = self
            .writer
            .pick(&["0", "0", "n - 1", "n / 2"])
            .replace('n', &self.width);
        let at = Self::at(&place, &index);
        if place.chosen && self.chance(90) {
            let head = format!("if {} > 0", self.width);
            return self.block(&head, |author| author.store(&place.name, &at, place.element));
        }
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
    pub(super) fn lanes(&mut self, places: &[Place]) {
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
    pub(super) fn statements(&mut self) {
        let count = [0, 1, 1, 2, 3][self.writer.rng.usize(0..5)];
        for _ in 0..count {
            self.statement();
        }
    }

    pub(super) fn statement(&mut self) {
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

//! Integers that indices are made of: quotients, casts, loaded numbers, chosen ones, assigned ones.

use super::{Author, Grid};

impl Author {
    /// Binds an integer; what uses it often stands under a condition that bounds it.
    pub(super) fn integer(&mut self, then: impl FnOnce(&mut Self)) {
        let name = self.name("j");
        let value = self.integer_value();
        match self.rng.u8(0..9) {
            0 => self.assigned(&name, &value),
            3 => {
                let subject = self.number();
                let other = self.integer_value();
                let arms = self.pick(&[
                    "0 => ONE, _ => OTHER",
                    "0 => ONE, 1 | 2 => OTHER, _ => 0",
                    "1..=2 => ONE, -1 => 0, _ => OTHER",
                    "..=0 => OTHER, _ => ONE",
                ]);
                let arms = arms.replace("ONE", &value).replace("OTHER", &other);
                self.line(format!("let {name} = match {subject} {{ {arms} }};"));
            }
            1 => {
                self.line(format!("let {name}a = {value};"));
                let more = self.pick(&["+ 1", "* 2", "- 1", "/ 2", "% 4"]);
                self.line(format!("let {name} = {name}a {more};"));
            }
            2 => {
                let cond = self.condition();
                let other = self.integer_value();
                self.line(format!(
                    "let {name} = if {cond} {{ {value} }} else {{ {other} }};"
                ));
            }
            _ => self.line(format!("let {name} = {value};")),
        }
        let known = self.pick(&["8", "8", "w", "1", ""]);
        if known.is_empty() {
            self.known(name);
            return then(self);
        }
        self.block(format!("if {name} >= 0 && {name} <= {known}"), |author| {
            author.known(name);
            then(author);
        });
    }

    fn known(&mut self, name: String) {
        match self.in_lane {
            true => self.own.push(name),
            false => self.ints.push(name),
        }
    }

    /// A variable that is assigned under a condition, or in a loop.
    fn assigned(&mut self, name: &str, value: &str) {
        self.line(format!("let mut {name} = 0;"));
        match self.rng.u8(0..3) {
            0 => {
                let cond = self.condition();
                self.block(format!("if {cond}"), |author| {
                    author.line(format!("{name} = {value};"))
                });
            }
            1 => self.rounds(|author| author.line(format!("{name} += 1;"))),
            _ => self.line(format!("{name} += {value};")),
        }
    }

    fn integer_value(&mut self) -> String {
        if self.in_lane && self.chance(60) {
            return self.lane_value();
        }
        let shift = match self.shift() {
            shift if shift.is_empty() => "p".to_owned(),
            shift => shift,
        };
        match self.rng.u8(0..14) {
            0 => format!("table.load({})", self.pick(&["0", "1", "2"])),
            1 => format!("table.load({shift})"),
            2 => shift,
            3 => format!("({shift}) / 2"),
            4 => format!("({shift}) % 3"),
            5 => format!("({shift}).min(w)"),
            6 if self.marked && self.chance(50) => "marks.load(row)".to_owned(),
            6 if self.grid != Grid::Elements => "counts.load(row)".to_owned(),
            7 => {
                let cond = self.condition();
                let name = self.name("t");
                self.line(format!(
                    "let {name} = if {cond} {{ table.row(0) }} else {{ table.row(1) }};"
                ));
                format!("{name}.load({})", self.pick(&["0", "0", "1"]))
            }
            8 => self.of_a_float(),
            9 => format!("(({shift}) as i8).wrapping_add(1) as i64"),
            10 => format!("(({shift}) as u8) as i64"),
            11 => format!("({shift}).max(0)"),
            12 => format!("({shift}).clamp(0, 3)"),
            _ => {
                let cond = self.condition();
                format!("({cond}) as i64")
            }
        }
    }

    fn lane_value(&mut self) -> String {
        match self.rng.u8(0..9) {
            0 => self.lane_index(),
            1 => "i / 2".to_owned(),
            2 => "i % 2".to_owned(),
            3 => "table.load(i)".to_owned(),
            4 => self.of_a_float(),
            5 => "(i as f32 - i as f32) as i64".to_owned(),
            6 => "(i as i8) as i64".to_owned(),
            7 => {
                let cond = self.condition();
                format!("if {cond} {{ 1 }} else {{ 0 }}")
            }
            _ => "i - i".to_owned(),
        }
    }

    /// An integer of a float, which no polynomial can see into.
    fn of_a_float(&mut self) -> String {
        let place = self.place();
        let index = self.index();
        let load = format!("{}.load({}{index})", place.name, place.base);
        match self.rng.u8(0..5) {
            0 => format!("{load} as i64"),
            1 => {
                let name = self.name("v");
                self.line(format!("let {name} = {load};"));
                self.line(format!("let {name}d = {name} - {name};"));
                format!("{name}d.is_nan() as i64")
            }
            2 => format!("({load} * 0.0) as i64"),
            3 => format!("({load} - {load}).is_nan() as i64"),
            _ => format!("({load} + 1.0 - {load}) as i64"),
        }
    }
}

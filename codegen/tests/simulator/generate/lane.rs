//! What a lane does.

use super::{Author, Grid};

impl Author {
    /// A loop over lanes.
    pub(super) fn lanes(&mut self) {
        let extent = self.pick(&[
            "w", "w", "w", "w", "w", "w + 1", "2 * w", "w / 2", "w - 1", "4", "n",
        ]);
        self.block(format!("for i in lanes({extent})"), |author| {
            author.in_lane = true;
            author.extent = extent.to_owned();
            author.maybe_skip();
            author.lane_statements();
            author.in_lane = false;
        });
    }

    /// The body of `elements`.
    pub(super) fn elements(&mut self) {
        self.in_lane = true;
        self.maybe_skip();
        self.lane_statements();
        self.in_lane = false;
    }

    pub(super) fn lane_statements(&mut self) {
        for _ in 0..[1, 1, 1, 2][self.rng.usize(0..4)] {
            self.lane_statement();
        }
    }

    fn lane_statement(&mut self) {
        let choices = if self.depth > 4 { 4 } else { 18 };
        match self.rng.u8(0..choices) {
            0..4 => self.lane_store(),
            4 => {
                let target = self.target();
                let index = self.lane_index();
                let (name, at) = (target.name, format!("{}{index}", target.base));
                self.line(format!("{name}.store({at}, {name}.load({at}) + 1.0);"));
            }
            5 => self.time_loop(),
            6 => self.rounds(|author| author.lane_statement()),
            7 | 8 => {
                let lane = self.pick(&["0", "0", "1", "2", "3", "w - 1", "n", "p"]);
                self.block(format!("if i == {lane}"), |author| author.lane_statements());
            }
            9 | 10 => {
                let cond = self.condition();
                self.branch(&cond, |author| author.lane_statement());
            }
            11 => self.integer(|author| author.lane_statement()),
            12 => self.neighbour(),
            14 | 15 => self.guarded(),
            16 => self.matching(|author| author.lane_statement()),
            13 if self.grid != Grid::Elements => {
                let row = self.name("r");
                let index = self.lane_index();
                let place = self.place();
                let buffer = place.name.trim_end_matches("_row").to_owned();
                if buffer == "x" {
                    self.line(format!("let {row} = x.row({index});"));
                    let target = self.target();
                    let at = self.lane_index();
                    self.line(format!(
                        "{}.store({}{at}, {row}.load(0));",
                        target.name, target.base
                    ));
                } else {
                    self.lane_store();
                }
            }
            _ => {
                let name = self.name("v");
                let value = self.value();
                self.line(format!("let {name} = {value};"));
                self.lane_store();
                let target = self.target();
                let index = self.lane_index();
                self.line(format!("{}.store({}{index}, {name});", target.name, target.base));
            }
        }
    }

    pub(super) fn lane_store(&mut self) {
        let target = self.target();
        let index = self.lane_index();
        let value = self.value_beside(&target.name);
        self.line(format!("{}.store({}{index}, {value});", target.name, target.base));
    }

    /// A loop in a lane that stores several elements, one after the other or a width apart.
    fn time_loop(&mut self) {
        let index = self.name("t");
        let range = self.pick(&[
            "0..2",
            "0..2",
            "1..2",
            "0..1",
            "1..3",
            "0..4",
            "3..4",
            "0..n",
            "i..i + 1",
            "0..=1",
            "(0..2).rev()",
            "(0..3).step_by(2)",
            "(0..n).rev()",
        ]);
        let target = self.target();
        let form = self.pick(&[
            "2 * i + T",
            "4 * i + T",
            "i + T",
            "T * w + i",
            "T * w + i",
            "i * 2 + T",
            "2 * i + 1 - T",
            "i * n + T",
            "T * n + i",
            "2 * w - 1 - 2 * i - T",
            "T + w",
        ]);
        let at = form.replace('T', &index);
        let shift = self.shift();
        let plus = if shift.is_empty() {
            String::new()
        } else {
            format!(" + {shift}")
        };
        self.block(format!("for {index} in {range}"), |author| {
            let value = author.value();
            author.line(format!(
                "{}.store({}{at}{plus}, {value});",
                target.name, target.base
            ));
        });
    }

    /// A neighbour's element, under a guard.
    fn neighbour(&mut self) {
        let (from, to) = (self.place(), self.target());
        let (guard, neighbour) = [
            ("i > 0", "i - 1"),
            ("i >= 1", "i - 1"),
            ("i + 1 < w", "i + 1"),
            ("i < w - 1", "i + 1"),
            ("i != 0", "i - 1"),
            ("i > 0 && p > 0", "i - 1"),
        ][self.rng.usize(0..6)];
        self.block(format!("if {guard}"), |author| {
            let at = author
                .pick(&["i", "i", "w + i", "NEIGHBOUR"])
                .replace("NEIGHBOUR", neighbour);
            author.line(format!(
                "{}.store({}{at}, {}.load({}{neighbour}));",
                to.name, to.base, from.name, from.base
            ));
        });
    }

    /// A float, for the most part not of the buffer that it is stored to.
    fn value_beside(&mut self, target: &str) -> String {
        let value = self.value();
        match value.starts_with(&format!("{target}.")) && self.chance(85) {
            true => "2.0".to_owned(),
            false => value,
        }
    }

    /// A float.
    pub(super) fn value(&mut self) -> String {
        if self.optional && self.chance(25) {
            let index = self.index();
            return match self.chance(90) {
                true => format!("(if bias.is_empty() {{ 0.0 }} else {{ bias.load({index}) }})"),
                false => format!("bias.load({index})"),
            };
        }
        match self.rng.u8(0..7) {
            0 => "1.0".to_owned(),
            6 => {
                let load = self.loaded();
                let other = match self.chance(70) {
                    true => self.loaded(),
                    false => self.pick(&["f32::NAN", "0.0", "f32::INFINITY"]).to_owned(),
                };
                format!("{load}.{}({other})", self.pick(&["max", "min"]))
            }
            1 => match self.rounds.is_empty() {
                true => "p as f32".to_owned(),
                false => {
                    let rounds = self.rounds.clone();
                    format!("{} as f32", self.one_of(&rounds))
                }
            },
            2 if self.in_lane => "i as f32".to_owned(),
            _ => self.loaded(),
        }
    }

    fn loaded(&mut self) -> String {
        let place = self.place();
        let index = self.index();
        format!("{}.load({}{index})", place.name, place.base)
    }
}

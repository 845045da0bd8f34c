//! What a group does: loops over lanes, loads and stores of its own, reductions, and control flow around them.

use super::{Author, Grid};

impl Author {
    /// The body of a grid of groups.
    pub(super) fn phases(&mut self) {
        if self.grid == (Grid::Pairs { heads: false }) {
            for _ in 0..self.rng.u8(1..3) {
                let only = self.pick(&[
                    "c == 0", "c == 1", "c < 1", "c >= 1", "1 > c", "c != 0", "c == p", "row == 0",
                ]);
                self.block(format!("if {only}"), |author| author.some_phases());
            }
            return;
        }
        for _ in 0..[1, 2, 2, 3][self.rng.usize(0..4)] {
            self.phase();
        }
    }

    fn some_phases(&mut self) {
        for _ in 0..[1, 1, 2][self.rng.usize(0..3)] {
            self.phase();
        }
    }

    pub(super) fn phase(&mut self) {
        let choices = if self.depth > 2 { 6 } else { 16 };
        match self.rng.u8(0..choices) {
            0..4 => self.lanes(),
            4 => self.group_store(),
            5 => {
                let name = self.name("v");
                let place = self.place();
                let index = self.group_index();
                self.line(format!(
                    "let {name} = {}.load({}{index});",
                    place.name, place.base
                ));
                let target = self.target();
                let index = self.group_index();
                self.line(format!("{}.store({}{index}, {name});", target.name, target.base));
            }
            6 | 7 => self.rounds(|author| author.some_phases()),
            8 => {
                let cond = self.condition();
                self.branch(&cond, |author| author.some_phases());
            }
            9 => self.integer(|author| author.some_phases()),
            10 => self.chosen_row(),
            11 => {
                let count = self.pick(&["1", "p", "counts.load(row) + 1", "w"]);
                self.line(format!("counts.store(row, {count});"));
                self.phase();
            }
            12 if self
                .text
                .attribute
                .iter()
                .any(|part| part.starts_with("specialize")) =>
            {
                let cond = self.pick(&["kind == 0", "kind > 1", "kind != 1"]);
                self.branch(cond, Self::some_phases);
            }
            13 => self.guarded(),
            14 => self.matching(|author| author.some_phases()),
            _ => self.reduction(),
        }
    }

    pub(super) fn group_store(&mut self) {
        let target = self.target();
        let index = self.group_index();
        let value = self.value();
        self.line(format!("{}.store({}{index}, {value});", target.name, target.base));
    }

    /// Gathers over lanes, once or twice, and uses what the group gathered, now and perhaps later.
    fn reduction(&mut self) {
        let part = self.name("a");
        let (word, start, update) = [
            ("group_sum", "0.0", "+= V"),
            ("group_sum", "0.0", "-= V"),
            ("group_max", "f32::NEG_INFINITY", "= A.max(V)"),
            ("group_min", "f32::INFINITY", "= A.min(V)"),
            ("group_max", "0.0", "= A.max(V)"),
        ][self.rng.usize(0..5)];
        self.line(format!("let mut {part} = {start};"));
        let update = update.replace('A', &part);
        self.gather(&part, &update);
        let total = format!("{word}({part})");
        self.total(&total);
        if self.chance(40) {
            if self.chance(60) {
                self.gather(&part, &update);
            }
            self.total(&total);
        }
    }

    fn gather(&mut self, part: &str, update: &str) {
        let extent = self.pick(&["w", "w", "2 * w", "n"]);
        self.block(format!("for i in lanes({extent})"), |author| {
            author.in_lane = true;
            author.maybe_skip();
            let value = author.value();
            let line = format!("{part} {};", update.replace('V', &value));
            match author.rng.u8(0..4) {
                0 => {
                    let cond = author.condition();
                    author.block(format!("if {cond}"), |author| author.line(line));
                }
                1 => author.rounds(|author| author.line(line)),
                _ => author.line(line),
            }
            if author.chance(15) {
                author.lane_store();
            }
            author.in_lane = false;
        });
    }

    /// Something that depends on what was gathered.
    fn total(&mut self, total: &str) {
        match self.rng.u8(0..6) {
            0 => self.branch(&format!("{total} > 0.0"), Self::some_phases),
            1 => {
                let name = self.name("j");
                self.line(format!("let {name} = {total} as i64;"));
                self.block(format!("if {name} >= 0 && {name} <= 8"), |author| {
                    author.ints.push(name);
                    author.some_phases();
                });
            }
            2 => {
                let cond = self.condition();
                self.block(format!("if {cond}"), |author| author.store_total(total));
            }
            3 => self.rounds(|author| author.store_total(total)),
            4 => {
                let name = self.name("t");
                self.line(format!("let {name} = {total};"));
                let target = self.target();
                let index = self.group_index();
                self.block("for i in lanes(w)", |author| {
                    author.line(format!("{}.store({}i, {name});", target.name, target.base));
                });
                self.line(format!("{}.store({}{index}, {name});", target.name, target.base));
            }
            _ => self.store_total(total),
        }
    }

    fn store_total(&mut self, total: &str) {
        let target = self.target();
        let index = self.group_index();
        self.line(format!(
            "{}.store({}{index}, {total} * 1.0);",
            target.name, target.base
        ));
    }
}

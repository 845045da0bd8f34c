//! Conditions, which narrow what they guard or do not.

use super::{Author, Grid};

impl Author {
    /// A condition on what there is.
    pub(super) fn condition(&mut self) -> String {
        if self.chance(12) {
            return self.odd_condition();
        }
        let subject = self.number();
        let op = self.pick(&["==", "==", "==", "<", ">=", "!=", "<=", ">"]);
        let bound = self.pick(&["0", "0", "1", "1", "2", "3", "w - 1", "w", "n"]);
        if self.chance(12) {
            let other = self.condition();
            let join = self.pick(&["&&", "&&", "||"]);
            return format!("({subject} {op} {bound} {join} {other})");
        }
        format!("{subject} {op} {bound}")
    }

    /// An integer that there is.
    pub(super) fn number(&mut self) -> String {
        let mut numbers = vec!["p".to_owned()];
        match self.grid {
            Grid::Rows => numbers.push("row".to_owned()),
            Grid::Pairs { .. } => numbers.extend(["row", "c", "c", "c"].map(str::to_owned)),
            Grid::Elements => {}
        }
        numbers.extend(self.rounds.clone());
        numbers.extend(self.ints.clone());
        if self.in_lane {
            numbers.extend(["i", "i"].map(str::to_owned));
            numbers.extend(self.own.clone());
        }
        self.one_of(&numbers)
    }

    /// One that reads memory, or what the launcher knows.
    fn odd_condition(&mut self) -> String {
        if self.optional && self.chance(40) {
            return self.pick(&["bias.is_empty()", "!bias.is_empty()"]).to_owned();
        }
        if self.text.generics.iter().any(|generic| generic.contains("B:")) && self.chance(60) {
            return self.pick(&["B", "!B", "B", "B && p > 0"]).to_owned();
        }
        let place = self.place();
        let index = self.index();
        let load = format!("{}.load({}{index})", place.name, place.base);
        match self.rng.u8(0..6) {
            0 => format!("{load} > 0.0"),
            4 if self.in_lane => format!("i > 0 && {}.load({}i - 1) > 0.0", place.name, place.base),
            5 if self.in_lane => format!("(i + 1 >= w || {}.load({}i + 1) > 0.0)", place.name, place.base),
            1 => format!("({load} - {load}).is_nan()"),
            2 => format!("table.load({}) == 1", self.pick(&["0", "1", "2"])),
            _ => format!("!({load} > 1.0)"),
        }
    }
}

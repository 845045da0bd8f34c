//! Conditions, which narrow what they guard or do not.

use super::{Author, Grid};

impl Author {
    /// A condition on what there is.
    pub(super) fn condition(&mut self) -> String {
        if self.chance(12) {
            return self.odd_condition();
        }
        let mut subjects = vec!["p".to_owned()];
        match self.grid {
            Grid::Rows => subjects.push("row".to_owned()),
            Grid::Pairs { .. } => subjects.extend(["row", "c", "c", "c"].map(str::to_owned)),
            Grid::Elements => {}
        }
        subjects.extend(self.rounds.clone());
        subjects.extend(self.ints.clone());
        if self.in_lane {
            subjects.extend(["i", "i"].map(str::to_owned));
            subjects.extend(self.own.clone());
        }
        let subject = self.one_of(&subjects);
        let op = self.pick(&["==", "==", "==", "<", ">=", "!=", "<=", ">"]);
        let bound = self.pick(&["0", "0", "1", "1", "2", "3", "w - 1", "w", "n"]);
        if self.chance(12) {
            let other = self.condition();
            let join = self.pick(&["&&", "&&", "||"]);
            return format!("({subject} {op} {bound} {join} {other})");
        }
        format!("{subject} {op} {bound}")
    }

    /// One that reads memory, or what the launcher knows.
    fn odd_condition(&mut self) -> String {
        if self.text.generics.iter().any(|generic| generic.contains("B:")) && self.chance(60) {
            return self.pick(&["B", "!B", "B", "B && p > 0"]).to_owned();
        }
        let place = self.place();
        let index = self.index();
        let load = format!("{}.load({}{index})", place.name, place.base);
        match self.rng.u8(0..4) {
            0 => format!("{load} > 0.0"),
            1 => format!("({load} - {load}).is_nan()"),
            2 => format!("table.load({}) == 1", self.pick(&["0", "1", "2"])),
            _ => format!("!({load} > 1.0)"),
        }
    }
}

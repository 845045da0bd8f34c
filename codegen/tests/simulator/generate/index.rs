//! Indices into rows.

use super::{Author, Room};

impl Author {
    /// What is added to an index: the same in all lanes, if nothing goes wrong.
    pub(super) fn shift(&mut self) -> String {
        let mut parts = Vec::new();
        let constant = match self.room {
            Room::Long => self.pick(&["", "", "", "", "1", "1", "2", "3", "5", "w", "2 * w", "C0"]),
            Room::Double => self.pick(&["", "", "", "", "1", "w", "w", "w - 1"]),
            Room::Tight => self.pick(&["", "", "", "", "", "1"]),
        };
        if constant == "C0" {
            parts.push(self.pick(&["w / 2", "(w + 1) / 2", "w * w", "w % 3"]).to_owned());
        } else if !constant.is_empty() {
            parts.push(constant.to_owned());
        }
        if !self.rounds.is_empty() && self.chance(40) {
            let rounds = self.rounds.clone();
            let round = self.one_of(&rounds);
            let by = self.pick(&["", "", "", "2 * ", "3 * ", "4 * ", "w * ", "-"]);
            parts.push(match by {
                "-" => format!("8 - {round}"),
                by => format!("{by}{round}"),
            });
        }
        if !self.ints.is_empty() && self.chance(30) {
            let ints = self.ints.clone();
            let int = self.one_of(&ints);
            let by = self.pick(&["", "", "", "2 * ", "w * "]);
            parts.push(format!("{by}{int}"));
        }
        if self.in_lane && !self.own.is_empty() && self.chance(12) {
            let own = self.own.clone();
            parts.push(self.one_of(&own));
        }
        parts.join(" + ")
    }

    /// An index of a lane, for the most part one of its own.
    pub(super) fn lane_index(&mut self) -> String {
        let shift = self.shift();
        let plus = if shift.is_empty() {
            String::new()
        } else {
            format!(" + {shift}")
        };
        if self.chance(75) {
            let form = match self.room {
                Room::Long => self.pick(&[
                    "i",
                    "i",
                    "i",
                    "2 * i",
                    "2 * i",
                    "4 * i",
                    "w - 1 - i",
                    "2 * w - 1 - i",
                    "2 * (w - 1 - i)",
                    "3 * i",
                ]),
                Room::Double => self.pick(&["i", "i", "i + w", "2 * i", "2 * i + 1", "2 * w - 1 - i"]),
                Room::Tight => self.pick(&["i", "i", "w - 1 - i"]),
            };
            return format!("{form}{plus}");
        }
        let form = match self.room {
            Room::Long => self.pick(&[
                "i",
                "i",
                "i",
                "i",
                "2 * i",
                "2 * i",
                "4 * i",
                "3 * i",
                "w - 1 - i",
                "2 * w - 1 - i",
                "2 * (w - 1 - i)",
                "2 * w - 2 * i",
                "i / 2",
                "i * 2 / 2",
                "(i as i32) as i64",
                "(i as u8) as i64",
                "(i as i32).wrapping_add(1) as i64",
                "i.wrapping_mul(2)",
                "(i as f32) as i64",
                "i % 3",
                "i - i",
                "(i as f32 * 0.5) as i64",
                "i.min(w)",
                "i * w",
                "i * n",
                "OWN",
                "NONE",
            ]),
            Room::Double => self.pick(&[
                "i",
                "i",
                "i",
                "i + w",
                "2 * i",
                "2 * i",
                "2 * i + 1",
                "2 * w - 1 - i",
                "w - 1 - i",
                "i / 2",
                "i % w",
                "OWN",
                "NONE",
            ]),
            Room::Tight => self.pick(&[
                "i",
                "i",
                "i",
                "i",
                "w - 1 - i",
                "w - i",
                "i / 2",
                "(i as i32) as i64",
                "OWN",
            ]),
        };
        match form {
            "OWN" if !self.own.is_empty() => {
                let own = self.own.clone();
                format!("{}{plus}", self.one_of(&own))
            }
            "NONE" | "OWN" if shift.is_empty() => "0".to_owned(),
            "NONE" | "OWN" => shift,
            form => format!("{form}{plus}"),
        }
    }

    /// An index of the group.
    pub(super) fn group_index(&mut self) -> String {
        let shift = self.shift();
        if shift.is_empty() { "0".to_owned() } else { shift }
    }

    /// An index for where the statement stands.
    pub(super) fn index(&mut self) -> String {
        match self.in_lane {
            true => self.lane_index(),
            false => self.group_index(),
        }
    }
}

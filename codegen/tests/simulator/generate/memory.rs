//! Buffers with their shapes, and the rows of them that a group names.

use super::{Author, Grid, Place, Room};

impl Author {
    /// Parameters, shapes and what else the attribute says.
    pub(super) fn memory(&mut self) {
        let length = self.room.length();
        let lead = match self.grid {
            Grid::Pairs { heads: true } => "rows, 2, ",
            _ => "rows, ",
        };
        let strided = self.grid == Grid::Rows && self.chance(15);
        let alias = self.chance(25);
        let mut aliases = Vec::new();
        if alias {
            aliases.push("y = x");
        }
        let mut shapes = Vec::new();
        for name in ["x", "y", "z", "q"] {
            let mutable = if name == "x" { "" } else { "mut " };
            self.text.params.push(format!("{name}: &{mutable}[f32]"));
            shapes.push(match self.grid {
                Grid::Elements => format!("{name} = [{length}]"),
                _ if strided && name == "y" => format!("{name} = [rows @ ys, {length}]"),
                _ if strided && alias && name == "x" => format!("{name} = [rows @ xs, {length}]"),
                _ => format!("{name} = [{lead}{length}]"),
            });
        }
        if strided {
            self.text.params.push("ys: i64".to_owned());
            if alias {
                self.text.params.push("xs: i64".to_owned());
            }
        }
        self.text.params.push("table: &[i64]".to_owned());
        shapes.push("table = [8]".to_owned());
        if self.chance(12) {
            self.optional = true;
            self.text.params.push("bias: &[f32]".to_owned());
            shapes.push(format!("bias = [{length}]"));
            self.text.attribute.push("optional(bias)".to_owned());
        }
        let is_grouped = self.grid != Grid::Elements;
        if is_grouped {
            self.text.params.push("counts: &mut [i64]".to_owned());
            shapes.push("counts = [rows]".to_owned());
            self.text.params.push("rows: i64".to_owned());
            if self.chance(15) {
                self.text.params.push("marks: &[i64]".to_owned());
                shapes.push("marks = [rows]".to_owned());
                aliases.push("counts = marks");
            }
        }
        self.text
            .params
            .extend(["w: i64", "n: i64", "p: i64"].map(str::to_owned));
        if is_grouped && self.chance(12) {
            self.scatter(&mut shapes);
        }
        self.text.attribute.push(format!("shapes({})", shapes.join(", ")));
        self.marked = aliases.contains(&"counts = marks");
        if !aliases.is_empty() {
            self.text.attribute.push(format!("alias({})", aliases.join(", ")));
        }
        self.choices();
        self.text.grid = match self.grid {
            Grid::Rows => "for row in groups(rows)",
            Grid::Pairs { .. } => "for (row, c) in groups((rows, 2))",
            Grid::Elements => self.pick(&["for i in elements(w)", "for i in elements(2 * w)"]),
        }
        .to_owned();
        self.offsets(strided, alias);
    }

    /// A cache whose rows are addressed by slots.
    fn scatter(&mut self, shapes: &mut Vec<String>) {
        self.text
            .params
            .extend(["slots: &[i64]", "cache: &mut [f32]", "places: i64"].map(str::to_owned));
        shapes.push(self.pick(&["slots = [rows]", "slots = [2 * rows]"]).to_owned());
        shapes.push(format!("cache = [places, {}]", self.room.length()));
        self.text.attribute.push("scatter(cache by slots)".to_owned());
        let at = self.pick(&[
            "row",
            "row",
            "row",
            "row + 1",
            "rows - 1 - row",
            "2 * row",
            "row + d0",
            "0",
            "p",
        ]);
        if at.contains("d0") {
            self.line("let d0 = counts.load(row);");
        }
        let guard = self.pick(&[
            "slot >= 0 && slot < places",
            "slot >= 0 && slot < places",
            "slot >= 0 && slot < places",
            "slot >= 0 && slot <= places",
            "slot < places",
            "slot >= 0",
        ]);
        self.line(format!("let slot = slots.load({at});"));
        let body = self.inside(|author| {
            author.line(format!(
                "let mut cached = cache.row_mut(slot * ({}));",
                author.room.length()
            ));
            author.places.push(Place {
                name: "cached".to_owned(),
                base: String::new(),
                written: true,
            });
            author.lanes();
            if author.chance(30) {
                author.phase();
            }
            author.places.pop();
        });
        self.lines.push(crate::text::Node::Block {
            head: format!("if {guard}"),
            body,
            otherwise: Vec::new(),
        });
    }

    /// Const parameters, and values that launchers know.
    fn choices(&mut self) {
        if self.chance(15) {
            self.text.generics.push("const B: bool".to_owned());
        }
        if self.chance(10) {
            self.text.generics.push("const C: i64".to_owned());
            self.ints.push("C".to_owned());
        }
        if self.chance(12) {
            self.text.params.push("kind: i64".to_owned());
            let values = self.pick(&["0, 1", "1, 2", "0, -1, 2", "1"]);
            self.text
                .attribute
                .push(format!("specialize(kind in [{values}])"));
            self.ints.push("kind".to_owned());
        }
        if self.chance(10) {
            let fact = self.pick(&[
                "assert!(p >= 0);",
                "assert!(p >= 0 && p < w);",
                "assert!(n <= w);",
                "assert!(w >= 1);",
            ]);
            self.text.host.push(crate::text::Node::Line(fact.to_owned()));
        }
    }

    /// Names the group's rows, or addresses the buffers themselves.
    fn offsets(&mut self, strided: bool, alias: bool) {
        let length = self.room.length();
        for name in ["x", "y", "z", "q"] {
            let offset = match self.grid {
                Grid::Elements => String::new(),
                _ if strided && name == "y" => "row * ys".to_owned(),
                _ if strided && alias && name == "x" => "row * xs".to_owned(),
                Grid::Pairs { heads: true } => format!("(row * 2 + c) * ({length})"),
                _ => format!("row * ({length})"),
            };
            self.places.push(Place {
                name: name.to_owned(),
                base: if offset.is_empty() {
                    offset
                } else {
                    format!("{offset} + ")
                },
                written: name != "x",
            });
        }
    }

    /// Binds rows: one for each buffer, or for some of them.
    pub(super) fn rows(&mut self) {
        if self.grid == Grid::Elements {
            return;
        }
        let mut bound = Vec::new();
        for at in 0..4 {
            let place = self.places[at].clone();
            if self.chance(85) {
                let (mutable, method) = match place.written {
                    true => ("mut ", "row_mut"),
                    false => ("", "row"),
                };
                let offset = place.base.trim_end_matches(" + ");
                let name = format!("{}_row", place.name);
                bound.push(crate::text::Node::Line(format!(
                    "let {mutable}{name} = {}.{method}({offset});",
                    place.name
                )));
                self.places[at] = Place {
                    name,
                    base: String::new(),
                    ..place
                };
            }
        }
        self.lines.splice(0..0, bound);
    }

    /// A row of two, chosen by a condition.
    pub(super) fn chosen_row(&mut self) {
        let cond = self.condition();
        let name = self.name("r");
        let written: Vec<Place> = self
            .places
            .iter()
            .filter(|place| place.written)
            .cloned()
            .collect();
        if self.grid == Grid::Elements || written.len() < 2 {
            return;
        }
        let length = self.room.length();
        let offset = match self.grid {
            Grid::Pairs { heads: true } => format!("(row * 2 + c) * ({length})"),
            _ => format!("row * ({length})"),
        };
        let (a, b) = (self.pick(&["y", "z", "q"]), self.pick(&["y", "z", "q"]));
        let moved = match self.room == Room::Long && self.chance(20) {
            true => format!("{offset} + 1"),
            false => offset.clone(),
        };
        if self.chance(25) {
            self.line(format!(
                "let (mut {name}, {name}b) = if {cond} {{ ({a}.row_mut({offset}), x.row(0)) }} else {{ ({b}.row_mut({moved}), x.row(w)) }};"
            ));
        } else {
            self.line(format!(
                "let mut {name} = if {cond} {{ {a}.row_mut({offset}) }} else {{ {b}.row_mut({moved}) }};"
            ));
        }
        self.places.push(Place {
            name,
            base: String::new(),
            written: true,
        });
        let places = self.places.len();
        self.phase();
        self.places.truncate(places - 1);
    }

    /// A row, or a buffer with its base.
    pub(super) fn place(&mut self) -> Place {
        let at = self.rng.usize(0..self.places.len());
        self.places[at].clone()
    }

    /// One that is written.
    pub(super) fn target(&mut self) -> Place {
        loop {
            let place = self.place();
            if place.written {
                return place;
            }
        }
    }
}

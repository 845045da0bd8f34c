//! Random kernels: what the checks have to tell apart, in many combinations.
//!
//! Most statements could stand in a kernel that somebody wrote; their indices, bounds and conditions are drawn from few
//! numbers, so that accesses often meet, and often just do not.

mod condition;
mod group;
mod index;
mod integer;
mod lane;
mod memory;

use fastrand::Rng;

use crate::text::{Node, Text};

/// The kernel of a seed.
pub(crate) fn kernel(seed: u64) -> Text {
    let mut author = Author::new(seed);
    author.memory();
    author.rows();
    match author.grid {
        Grid::Elements => author.elements(),
        _ => author.phases(),
    }
    author.text.body = author.lines;
    author.text
}

/// What a grid looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grid {
    /// `row in groups(rows)`
    Rows,
    /// `(row, c) in groups((rows, 2))`, where buffers have both dimensions, or one.
    Pairs { heads: bool },
    /// `i in elements(w)`
    Elements,
}

/// How long the rows of a buffer are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Room {
    /// So long that small indices stay inside.
    Long,
    /// `2 * w`
    Double,
    /// `w`
    Tight,
}

impl Room {
    fn length(self) -> &'static str {
        match self {
            Room::Long => "8 * w + 24",
            Room::Double => "2 * w",
            Room::Tight => "w",
        }
    }
}

/// A row of floats, or the buffer itself.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    /// What comes before an index in it: `row * w + `, or nothing.
    base: String,
    written: bool,
}

struct Author {
    rng: Rng,
    text: Text,
    /// Statements of the current block.
    lines: Vec<Node>,
    grid: Grid,
    room: Room,
    places: Vec<Place>,
    /// Integers that are the same in all lanes, or should be.
    ints: Vec<String>,
    /// Indices of sequential loops around.
    rounds: Vec<String>,
    /// Whether there is a buffer `bias` that may be null.
    optional: bool,
    /// Whether there is a buffer `marks` that `counts` may be.
    marked: bool,
    /// Integers of a lane.
    own: Vec<String>,
    /// Whether the current statement belongs to a lane.
    in_lane: bool,
    /// The number of lanes of the loop around.
    extent: String,
    names: u32,
    depth: u32,
}

impl Author {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let grid = match rng.u8(0..20) {
            0..11 => Grid::Rows,
            11..14 => Grid::Pairs { heads: true },
            14..18 => Grid::Pairs { heads: false },
            _ => Grid::Elements,
        };
        let room = match rng.u8(0..10) {
            0..7 => Room::Long,
            7..9 => Room::Double,
            _ => Room::Tight,
        };
        Author {
            rng,
            text: Text::default(),
            lines: Vec::new(),
            grid,
            room,
            places: Vec::new(),
            ints: Vec::new(),
            rounds: Vec::new(),
            optional: false,
            marked: false,
            own: Vec::new(),
            in_lane: false,
            extent: "w".to_owned(),
            names: 0,
            depth: 0,
        }
    }

    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(0..100) < percent
    }

    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.rng.usize(0..among.len())]
    }

    fn one_of(&mut self, among: &[String]) -> String {
        among[self.rng.usize(0..among.len())].clone()
    }

    fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(Node::Line(text.into()));
    }

    /// Statements of their own, whose names end with them.
    fn inside(&mut self, body: impl FnOnce(&mut Self)) -> Vec<Node> {
        let outer = std::mem::take(&mut self.lines);
        let known = (self.ints.len(), self.rounds.len(), self.own.len());
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.ints.truncate(known.0);
        self.rounds.truncate(known.1);
        self.own.truncate(known.2);
        std::mem::replace(&mut self.lines, outer)
    }

    fn block(&mut self, head: impl Into<String>, body: impl FnOnce(&mut Self)) {
        let body = self.inside(body);
        self.lines.push(Node::Block {
            head: head.into(),
            body,
            otherwise: Vec::new(),
        });
    }

    /// An `if`, sometimes with an `else`.
    fn branch(&mut self, cond: &str, mut body: impl FnMut(&mut Self)) {
        let then = self.inside(&mut body);
        let otherwise = match self.chance(25) {
            true => self.inside(&mut body),
            false => Vec::new(),
        };
        self.lines.push(Node::Block {
            head: format!("if {cond}"),
            body: then,
            otherwise,
        });
    }

    /// A sequential loop, often of one round.
    fn rounds(&mut self, body: impl FnOnce(&mut Self)) {
        let index = self.name("s");
        let range = self.pick(&[
            "0..2",
            "0..2",
            "0..3",
            "1..2",
            "1..2",
            "2..3",
            "1..4",
            "0..n",
            "1..w",
            "0..w",
            "0..1",
            "3..4",
            "2..2",
            "1..=2",
            "p..2",
            "0..p",
            "0..=p",
            "2..=1",
            "(0..3).rev()",
            "(1..w).rev()",
            "(0..=2).rev()",
            "(0..4).step_by(2)",
            "(1..w).step_by(2)",
            "(p..4).step_by(3)",
            "(0..5).step_by(2).rev()",
            "(0..w).rev().step_by(2)",
        ]);
        self.block(format!("for {index} in {range}"), |author| {
            author.rounds.push(index);
            author.maybe_skip();
            body(author);
        });
    }

    /// Sometimes a `continue` of the loop around, under a condition.
    fn maybe_skip(&mut self) {
        if !self.chance(12) {
            return;
        }
        let cond = self.condition();
        self.block(format!("if {cond}"), |author| {
            if author.chance(30) {
                author.store();
            }
            author.line("continue;");
        });
    }

    /// A `match` whose arms are drawn each by itself.
    fn matching(&mut self, mut body: impl FnMut(&mut Self)) {
        let subject = self.number();
        let patterns: &[&str] = [
            &["0"][..],
            &["1"],
            &["0", "1 | 2"],
            &["1..=2"],
            &["-1 | 0", "1..=3"],
            &["..=0", "1"],
        ][self.rng.usize(0..6)];
        let mut arms = Vec::new();
        for pattern in patterns {
            arms.push(Node::Block {
                head: format!("{pattern} =>"),
                body: self.inside(&mut body),
                otherwise: Vec::new(),
            });
        }
        arms.push(match self.chance(50) {
            true => Node::Line("_ => {}".to_owned()),
            false => Node::Block {
                head: "_ =>".to_owned(),
                body: self.inside(&mut body),
                otherwise: Vec::new(),
            },
        });
        self.lines.push(Node::Block {
            head: format!("match {subject}"),
            body: arms,
            otherwise: Vec::new(),
        });
    }

    /// A store under a condition on its own index, which may be a little too weak.
    fn guarded(&mut self) {
        let at = self.name("g");
        let index = self.index();
        self.line(format!("let {at} = {index};"));
        let length = self.room.length();
        let guard = self
            .pick(&[
                "G >= 0 && G < L",
                "G >= 0 && G < L",
                "G < L",
                "L > G",
                "G >= 0 && G <= L",
                "!(G < 0) && G + 1 < L",
                "0 <= G && G < w",
                "G < 0 || G < L",
                "G >= 1 && G < L",
            ])
            .replace('G', &at)
            .replace('L', length);
        self.block(format!("if {guard}"), |author| {
            let target = author.target();
            let value = author.value();
            let before = author.pick(&["", "", "", " - 1"]);
            author.line(format!(
                "{}.store({}{at}{before}, {value});",
                target.name, target.base
            ));
        });
    }

    /// A store by whoever is at work.
    fn store(&mut self) {
        match self.in_lane {
            true => self.lane_store(),
            false => self.group_store(),
        }
    }
}

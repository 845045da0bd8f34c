//! How loops over lanes address a row: `n` stands for its width, `i` for the lane, `t` for a round in it.

/// How far a loop over lanes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// `n`
    Whole,
    /// `n / 2`
    Half,
    /// `n - 1`
    ButOne,
    /// `n / 4`, each lane with four elements
    Blocks,
    /// `2 * n`
    Double,
}

impl Loop {
    /// All loops; the ordinary ones more than once.
    pub(crate) const ALL: [Loop; 9] = [
        Loop::Whole,
        Loop::Whole,
        Loop::Whole,
        Loop::Whole,
        Loop::Half,
        Loop::Half,
        Loop::ButOne,
        Loop::Blocks,
        Loop::Double,
    ];

    /// The loop's bound, for rows of a width.
    pub(crate) fn bound(self, width: &str) -> String {
        match self {
            Loop::Whole => width.to_owned(),
            Loop::Half => format!("{width} / 2"),
            Loop::ButOne => format!("{width} - 1"),
            Loop::Blocks => format!("{width} / 4"),
            Loop::Double => format!("2 * {width}"),
        }
    }
}

/// Indices that lie in no row, or in one another's way.
pub(crate) const WRONG: [&str; 8] = ["i + 1", "i - 1", "i + n", "0", "i * i", "n - i", "i / 2", "i % 8"];

/// Indices of a loop into a row of so many widths, all of them inside it; the first is the ordinary one.
pub(crate) fn forms(over: Loop, widths: u32) -> &'static [&'static str] {
    match (over, widths) {
        (_, 0) => &["0"],
        (Loop::Whole, 1) => &[
            "i",
            "n - 1 - i",
            "i",
            "i / 2 * 2",
            "(i + 1) % n",
            "0",
            "i - i % 3",
            "n - (i + 1)",
        ],
        (Loop::Whole, _) => &[
            "i",
            "i + n",
            "2 * i",
            "2 * i + 1",
            "2 * n - 1 - i",
            "n + i",
            "i + i",
            "(n - 1 - i) * 2",
            "n - i",
        ],
        (Loop::Half, 1) => &[
            "i",
            "i + n / 2",
            "2 * i",
            "2 * i + 1",
            "n / 2 - 1 - i",
            "n - 1 - i",
            "i * 2 + i % 2",
        ],
        (Loop::Half, _) => &[
            "i",
            "i + n",
            "4 * i",
            "4 * i + 3",
            "2 * i",
            "2 * i + 1",
            "i + n / 2",
            "2 * n - 1 - i",
            "2 * i + n",
        ],
        (Loop::ButOne, 1) => &["i", "i + 1", "n - 2 - i", "n - 1 - i"],
        (Loop::ButOne, _) => &["i", "i + 1", "2 * i", "2 * i + 2", "i + n", "n - 1 - i"],
        (Loop::Blocks, 1) => &[
            "4 * i + t",
            "i + t * (n / 4)",
            "4 * i + 3 - t",
            "t * (n / 4) + i",
            "i * 4 + (t + 1) % 4",
            "4 * i",
        ],
        (Loop::Blocks, _) => &[
            "4 * i + t",
            "8 * i + t",
            "8 * i + 4 + t",
            "i + t * (n / 4)",
            "i + t * (n / 2)",
            "8 * i + 2 * t + 1",
        ],
        (Loop::Double, 1) => &["i / 2", "i % n", "0"],
        (Loop::Double, _) => &["i", "2 * n - 1 - i", "i", "i / 2 + n", "i % n"],
    }
}

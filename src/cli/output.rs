//! Text for people, JSON for programs.

use std::io::{self, Write};

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{ContentArrangement, Table};
use serde::Serialize;

/// Where answers go: standard output, as text or as JSON.
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints what `text` makes, unless the answer is to be JSON, which is one document.
    pub(super) fn print_text(&self, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        io::stdout().write_all(text().as_bytes())
    }

    /// Prints `answer` as JSON, or else what `text` makes of it.
    pub(super) fn print<A: Serialize>(&self, answer: &A, text: impl FnOnce(&A) -> String) -> io::Result<()> {
        let mut text = if self.json {
            serde_json::to_string_pretty(answer)?
        } else {
            text(answer)
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        io::stdout().write_all(text.as_bytes())
    }
}

/// A table with `titles` over `rows`, as wide as the terminal if there is one.
pub(super) fn table<const N: usize>(
    titles: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(titles);
    table.add_rows(rows);
    table.to_string()
}

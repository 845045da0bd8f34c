//! Progress bars on standard error; nothing is drawn where that is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over `total` bytes.
pub(super) fn bytes(what: &'static str, total: u64) -> ProgressBar {
    let style = "{msg} [{bar:32}] {bytes}/{total_bytes} ({bytes_per_sec}, {eta})";
    ProgressBar::new(total)
        .with_message(what)
        .with_style(ProgressStyle::with_template(style).expect("the template is well formed"))
}

/// A spinner for work of unknown length.
pub(crate) fn spinner(what: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(what);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

//! Progress on standard error: a bar or a spinner on a terminal, a line every few seconds elsewhere.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often something is said where there is no terminal.
const PAUSE: Duration = Duration::from_secs(3);

/// Progress that is shown as long as this value lives.
pub(crate) struct Progress {
    bar: ProgressBar,
    _lines: Option<Sender<()>>,
}

impl Progress {
    /// Of `total` bytes.
    pub(super) fn bytes(what: &'static str, total: u64) -> Self {
        let style = "{msg} [{bar:32}] {bytes}/{total_bytes} ({bytes_per_sec}, {eta})";
        let bar = ProgressBar::new(total)
            .with_message(what)
            .with_style(ProgressStyle::with_template(style).expect("the template is well formed"));
        Self::shown(bar, move |bar, _| {
            format!(
                "{what}: {} of {} MB",
                bar.position() / 1_000_000,
                total / 1_000_000
            )
        })
    }

    /// Of work of unknown length.
    pub(crate) fn spinner(what: &'static str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(what);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self::shown(bar, move |_, since| {
            format!("{what}, since {} s", since.as_secs())
        })
    }

    fn shown(bar: ProgressBar, line: impl Fn(&ProgressBar, Duration) -> String + Send + 'static) -> Self {
        let lines = bar.is_hidden().then(|| {
            let (lines, stop) = mpsc::channel::<()>();
            let bar = bar.clone();
            let start = Instant::now();
            thread::spawn(move || {
                while stop.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                    eprintln!("oxysycl: {}", line(&bar, start.elapsed()));
                }
            });
            lines
        });
        Self { bar, _lines: lines }
    }

    /// The bar, to be moved on.
    pub(super) fn bar(&self) -> &ProgressBar {
        &self.bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

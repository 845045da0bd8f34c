//! Long work, with progress on a terminal.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use oxysycl_runtime::{Runtime, Unit};

/// Compiles `units` into the cache, as many at a time as there are processors. What does not compile shows when it is used.
pub(super) fn compile(runtime: &Runtime, units: &[Unit]) {
    let progress = progress("compiling", units.len());
    let workers = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(units.len());
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let _ = runtime.library(unit);
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();
}

/// A bar on standard error, if that is a terminal.
pub(super) fn progress(what: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}").expect("a valid template");
    ProgressBar::new(steps as u64)
        .with_style(style)
        .with_message(what)
}

//! What the run time tells of its work, through `tracing`, and how much of it there was. One event for each thing: `hit`,
//! `miss`, `wait`, `compile`, `load`, `evict`.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::key::Key;
use crate::process::Ending;

/// What this process's run time has done so far, as [`summary`] tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Libraries that were in the cache.
    pub hits: u64,
    /// Libraries that were not.
    pub misses: u64,
    /// How often another process or thread was waited for.
    pub waits: u64,
    /// Runs of a compiler; one library may take several, beside one another.
    pub compiler_runs: u64,
    /// How long all of these took together.
    pub compiling: Duration,
    /// Libraries loaded.
    pub loads: u64,
    /// Entries deleted to make room.
    pub evictions: u64,
}

/// What there was so far.
static SO_FAR: Mutex<Summary> = Mutex::new(Summary {
    hits: 0,
    misses: 0,
    waits: 0,
    compiler_runs: 0,
    compiling: Duration::ZERO,
    loads: 0,
    evictions: 0,
});

/// What this process's run time has done so far.
pub fn summary() -> Summary {
    *SO_FAR.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} hits, {} misses, {} waits, {} compiler runs in {:.1} s, {} loads, {} evictions",
            self.hits,
            self.misses,
            self.waits,
            self.compiler_runs,
            self.compiling.as_secs_f64(),
            self.loads,
            self.evictions
        )
    }
}

fn count(change: impl FnOnce(&mut Summary)) {
    change(&mut SO_FAR.lock().unwrap_or_else(PoisonError::into_inner));
}

/// The library of `key` was in the cache.
pub(crate) fn hit(key: &Key, library: &Path) {
    count(|summary| summary.hits += 1);
    tracing::info!(%key, library = %library.display(), "hit");
}

/// The library of `key`, which is `about` something, was not in the cache, or not usable, for this `reason`.
pub(crate) fn miss(key: &Key, about: &str, reason: &str) {
    count(|summary| summary.misses += 1);
    tracing::info!(%key, about, reason, "miss");
}

/// `holder` is waited for.
pub(crate) fn wait(what: &str, holder: &str) {
    count(|summary| summary.waits += 1);
    tracing::info!(what, holder, "wait");
}

/// A compiler ran.
pub(crate) fn compile(time: Duration, command: &str, ending: &Ending) {
    count(|summary| {
        summary.compiler_runs += 1;
        summary.compiling += time;
    });
    tracing::info!(seconds = time.as_secs_f64(), command, %ending, "compile");
}

/// A library was loaded.
pub(crate) fn load(library: &Path) {
    count(|summary| summary.loads += 1);
    tracing::info!(library = %library.display(), "load");
}

/// The entry `key` of so many bytes was deleted to make room.
pub(crate) fn evict(key: &str, bytes: u64) {
    count(|summary| summary.evictions += 1);
    tracing::info!(key, bytes, "evict");
}

//! Results of measurements, as `--json` prints them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::limit::Limits;
use super::statistics::{Spread, geometric_mean};

/// The results of `bench`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// The device that the kernels ran on.
    pub(crate) device: String,
    /// The driver that compiled them: `icpx` or `embedded`.
    pub(crate) driver: String,
    /// How time is taken.
    pub(crate) timing: &'static str,
    /// What the device can do at most.
    pub(crate) limits: Limits,
    /// One entry for each kernel, combination of element types and choice of sizes.
    pub(crate) results: Vec<Measured>,
    /// One entry for each header that generated ones were measured against.
    pub(crate) means: Vec<Mean>,
}

/// What was measured of one call.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    /// The kernel.
    pub(crate) kernel: String,
    /// Its element types, such as `fp16`, in the order of its type parameters.
    pub(crate) dtypes: Vec<String>,
    /// Its sizes and const parameters by name.
    pub(crate) sizes: BTreeMap<String, i64>,
    /// Those of which several values were measured, as `name=value`.
    pub(crate) shape: String,
    /// Useful bytes: every element once if it is read, and once more if it is written.
    pub(crate) bytes: u64,
    /// The generated header, and those that it was measured against.
    pub(crate) headers: Vec<Timed>,
}

/// What was measured of one header.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Timed {
    /// `generated`, `self`, the name of one of this project's own, or the path of a file.
    pub(crate) header: String,
    /// Microseconds that a launch takes.
    pub(crate) us: Spread,
    /// Useful bytes in a nanosecond.
    pub(crate) gbps: f64,
    /// That as a part of what the fastest copy moves.
    pub(crate) of_limit: f64,
    /// Whether that is more than a copy can: much of it was in a cache.
    pub(crate) cached: bool,
    /// How many times as fast the generated header is, round by round; nothing for itself.
    pub(crate) speedup: Option<Spread>,
}

/// What all results for one header come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Mean {
    /// The header that the generated one was measured against.
    pub(crate) header: String,
    /// Number of results.
    pub(crate) results: usize,
    /// Geometric mean of the speed-ups' medians.
    pub(crate) speedup: f64,
    /// The least of them.
    pub(crate) least: f64,
    /// The kernel, element types and shape of the least.
    pub(crate) least_at: String,
}

impl Timed {
    /// From the seconds of each round: those of the header and those of the generated one.
    pub(crate) fn new(header: &str, seconds: &[f64], generated: &[f64], bytes: u64, limits: &Limits) -> Self {
        let us = Spread::of(seconds.to_vec()).times(1e6);
        let gbps = bytes as f64 / us.median / 1e3;
        let of_limit = gbps / limits.gbps();
        let ratios = || seconds.iter().zip(generated).map(|(other, own)| other / own);
        Self {
            header: header.to_owned(),
            us,
            gbps,
            of_limit,
            cached: of_limit > 1.0,
            speedup: (!std::ptr::eq(seconds, generated)).then(|| Spread::of(ratios().collect())),
        }
    }
}

/// What all `results` come to, for each header that the generated ones were measured against.
pub(crate) fn means(results: &[Measured]) -> Vec<Mean> {
    let mut all: Vec<(&str, Vec<(f64, String)>)> = Vec::new();
    for measured in results {
        for timed in &measured.headers {
            let Some(speedup) = timed.speedup else { continue };
            let entry = (speedup.median, measured.title());
            match all.iter_mut().find(|(header, _)| *header == timed.header) {
                Some((_, entries)) => entries.push(entry),
                None => all.push((&timed.header, vec![entry])),
            }
        }
    }
    let mean = |(header, entries): (&str, Vec<(f64, String)>)| {
        let least = entries.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Mean {
            header: header.to_owned(),
            results: entries.len(),
            speedup: geometric_mean(entries.iter().map(|(speedup, _)| *speedup)),
            least: least.0,
            least_at: least.1.clone(),
        })
    };
    all.into_iter().filter_map(mean).collect()
}

impl Measured {
    /// The kernel, its element types and its shape.
    pub(crate) fn title(&self) -> String {
        format!("{} {} {}", self.kernel, self.dtypes.join(" "), self.shape)
            .trim_end()
            .to_owned()
    }
}

//! Random kernels, run by simulated work-items: no device, no compiler.
//!
//! A kernel that the checks accept is right whatever its work-items do between two barriers. Here all of them run, and none
//! may meet another in an element, nor see what depends on their order, nor leave a shape; and all of them together give what
//! the native function gives. See [`finding::Kind`] for what is found, [`generate`] for what is tried.
//!
//! A kernel that is refused is tried again without the statements that are: what is refused is not tested, and kernels that
//! say something wrong somewhere would be most of all.
//!
//! `OXYSYCL_SIMULATOR_COUNT` and `OXYSYCL_SIMULATOR_SEED` choose more kernels, and others; `--profile simulator` is for many.

mod case;
mod detects;
mod finding;
mod generate;
mod machine;
mod report;
mod shrink;
mod simulate;
mod text;
mod value;
mod watch;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use self::report::{Report, described};
use self::shrink::shrink;
use self::simulate::simulate;

/// Kernels that are tried unless the environment says otherwise.
const COUNT: u64 = 1000;
/// The seed of the first.
const SEED: u64 = 20_260_101;
/// How many of a thousand of these are accepted at least: a tenth less than when this was written. What is refused is
/// not tested, and what was accepted once is somebody's kernel.
const ACCEPTED: u64 = 207;
/// Failures after which there is no need to go on. All of them are shrunk and shown.
const SHOWN: usize = 3;

/// A number from the environment.
fn chosen(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => otherwise,
    }
}

/// Simulates the kernels of some seeds, until `failed` says that enough of all have failed.
fn simulated(seeds: impl Iterator<Item = u64>, failed: &AtomicUsize) -> Report {
    let mut report = Report::default();
    for seed in seeds {
        if failed.load(Ordering::Relaxed) >= SHOWN {
            break;
        }
        let verdict = simulate(generate::kernel(seed), seed);
        report.add(&verdict);
        if let Some(failure) = verdict.failure {
            failed.fetch_add(1, Ordering::Relaxed);
            report.failures.push((seed, shrink(failure)));
        }
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    report
}

#[test]
fn accepted_kernels_are_right() {
    let seed = chosen("OXYSYCL_SIMULATOR_SEED", SEED);
    let count = chosen("OXYSYCL_SIMULATOR_COUNT", COUNT);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let begun = Instant::now();
    let failed = AtomicUsize::new(0);
    let mut report = Report::default();
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|part| {
                let seeds = (seed..seed + count).skip(part).step_by(threads);
                let failed = &failed;
                scope.spawn(move || simulated(seeds, failed))
            })
            .collect();
        for part in parts {
            report.join(
                part.join()
                    .expect("no kernel makes the front end or the simulator panic"),
            );
        }
    });
    eprintln!("{} ({:.1} s)", report.summary(), begun.elapsed().as_secs_f32());
    let shown: String = report
        .failures
        .iter()
        .map(|(seed, failure)| described(*seed, failure) + "\n")
        .collect();
    assert!(report.failures.is_empty(), "{}\n\n{shown}", report.summary());
    if (seed, count) == (SEED, COUNT) {
        assert!(
            report.share() >= ACCEPTED,
            "few kernels are accepted: {}",
            report.summary()
        );
    }
}

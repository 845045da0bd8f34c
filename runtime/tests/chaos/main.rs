//! Many processes share one cache while all that can happen to it does.
//!
//! Eight processes, which fork too, want a few libraries over and over, by way of a stand-in for icpx. Meanwhile they are
//! killed, interrupted and stopped; entries are cut, flipped, opened to everybody and deleted; the cache is cleared by several
//! at once, filled up to the last byte, and made read-only. In the end nobody may have seen a wrong library or an error, all
//! who were not killed have to be done, and nothing may be left: no lock held, no file, no compiler.
//!
//! `OXYSYCL_CHAOS_SECONDS` says for how long; without it, it is short.

#[path = "../common/mod.rs"]
mod common;
mod site;
mod trouble;
mod worker;

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use self::site::Site;
use self::worker::Workers;

/// How long it goes on if the environment does not say.
const SHORT: Duration = Duration::from_secs(20);

/// The processes at work at any time.
const WORKERS: usize = 8;

/// How long those who were not killed may take to be done when the trouble is over.
const PATIENCE: Duration = Duration::from_secs(120);

/// What happens to the site or to those who work there.
type Trouble = fn(&Site, &Workers<'_>);

fn main() -> ExitCode {
    common::run(
        &[("u_con_chaos_leaves_no_trace", chaos_leaves_no_trace)],
        &[
            ("campaign", campaign),
            ("work", worker::work),
            ("last", worker::last),
        ],
    )
}

/// Runs the campaign where file systems can be mounted that nobody else sees, and that are gone with it.
fn chaos_leaves_no_trace() {
    let campaign = common::process("campaign");
    let isolate = |command: &mut Command| {
        command.args(["--user", "--map-root-user", "--mount"]);
    };
    let mut probe = Command::new("unshare");
    isolate(&mut probe);
    let can_isolate = probe
        .arg("true")
        .output()
        .is_ok_and(|output| output.status.success());
    let mut command = if can_isolate {
        let mut command = Command::new("unshare");
        isolate(&mut command);
        command.arg(campaign.get_program()).args(campaign.get_args());
        command
    } else {
        // Then the cache is never full; all else happens.
        campaign
    };
    assert!(command.status().unwrap().success());
}

fn campaign() {
    let seconds = std::env::var("OXYSYCL_CHAOS_SECONDS").ok();
    let length = seconds.map_or(SHORT, |seconds| Duration::from_secs(seconds.parse().unwrap()));
    let site = Site::new();
    let workers = Workers::start(&site, WORKERS, length);
    let end = Instant::now() + length;
    let counts = std::thread::scope(|scope| {
        let all: [(&str, Trouble); 5] = [
            ("signals", trouble::signal),
            ("damages", trouble::damage),
            ("fillings", trouble::fill),
            ("read-only periods", trouble::forbid_writing),
            ("clearings by three", trouble::clear),
        ];
        let running = all.map(|(name, trouble)| {
            let (site, workers) = (&site, &workers);
            let repeat = move || {
                let mut count = 0;
                while Instant::now() < end {
                    trouble(site, workers);
                    count += 1;
                }
                count
            };
            (name, scope.spawn(repeat))
        });
        running.map(|(name, running)| (name, running.join().unwrap()))
    });
    let killed = workers.finish(PATIENCE);
    let seen = site.outcomes();
    println!(
        "{} s, {killed} processes killed, {counts:?}, {seen:?}",
        length.as_secs()
    );
    site.expect_no_trace();
    let wrong: Vec<&String> = seen.keys().filter(|what| what.contains(':')).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen.values().sum::<usize>() > WORKERS);
}

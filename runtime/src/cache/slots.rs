//! How many compilations run at once on a machine: as many as it has cores and memory for.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::lock::{Lock, STALL, host};
use crate::{events, trust};

/// How often a slot is looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// The folder of their lock files in a cache folder.
const FOLDER: &str = "locks/slots";

/// Memory that one compilation may take, in bytes.
const MEMORY: u64 = 700 << 20;

/// Waits until one more compilation may run on this machine, of all that work for the cache in `folder`, and counts it as
/// long as the result lives. None if that cannot be told, or if none of those that run goes on.
pub(super) fn take(folder: &Path) -> Option<Lock> {
    let folder = folder.join(FOLDER);
    trust::create_folder(&folder).ok()?;
    let host = host();
    let start = Instant::now();
    let mut said = false;
    loop {
        let slots: Vec<PathBuf> = (0..count())
            .map(|number| folder.join(format!("{host}.{number}")))
            .collect();
        for slot in &slots {
            if let Some(lock) = Lock::try_acquire(slot).ok()? {
                return lock.announced().ok();
            }
        }
        if start.elapsed() > STALL && slots.iter().all(|slot| is_stalled(slot)) {
            return None;
        }
        if !said && start.elapsed() > Duration::from_secs(3) {
            events::wait(
                "one of the compilations that run to end",
                &format!("{} of them", slots.len()),
            );
            said = true;
        }
        thread::sleep(PAUSE);
    }
}

/// How many compilations may run: one at least.
fn count() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let by_memory = available_memory().map_or(usize::MAX, |bytes| (bytes / MEMORY) as usize);
    cores.min(by_memory).max(1)
}

/// Memory that may still be taken, in bytes: of the machine, and of this process's control group.
fn available_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let machine: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    let number = |name: &str| {
        let text = fs::read_to_string(Path::new("/sys/fs/cgroup").join(name)).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let group = number("memory.max").zip(number("memory.current"));
    let group = group.map_or(u64::MAX, |(most, current)| most.saturating_sub(current));
    Some((machine << 10).min(group))
}

/// Whether whoever holds `slot` does not go on.
fn is_stalled(slot: &Path) -> bool {
    let touched = fs::metadata(slot).and_then(|found| found.modified());
    touched.is_ok_and(|touched| touched.elapsed().is_ok_and(|age| age > STALL))
}

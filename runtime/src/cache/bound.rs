//! A bound on the size of a cache: the entries that were not used for the longest time go first, never one in use.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::upkeep::{self, Cleared};
use super::{SIZE_VARIABLE, entry, lock_file, users};
use crate::lock::Lock;
use crate::{environment, events};

/// The bound if the environment says nothing: some thousand kernels.
const DEFAULT: u64 = 1 << 30;

/// Logs of failures, and lock files without an entry, are kept for this long: on a network file system, whoever has one open
/// finds it gone.
pub(super) const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The bound on the length of all entries together, in bytes; none if there is to be none.
pub(super) fn size() -> Option<u64> {
    let Some(value) = environment::variable(SIZE_VARIABLE) else {
        return Some(DEFAULT);
    };
    let value = value.to_string_lossy();
    match parse(&value) {
        Some(0) => None,
        Some(bytes) => Some(bytes),
        None => {
            eprintln!(
                "oxysycl: {SIZE_VARIABLE}={value:?}: expected a number of bytes, with K, M or G after it if need be, \
                 or 0 for no bound; the bound is {DEFAULT} bytes"
            );
            Some(DEFAULT)
        }
    }
}

/// A number of bytes such as `500M`.
fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G', 'k', 'm', 'g']) {
        Some(digits) => (digits, text.as_bytes()[text.len() - 1].to_ascii_uppercase()),
        None => (text, b' '),
    };
    let shift = match unit {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        _ => 0,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Deletes the entries in `folder` that were not used for the longest time, until the others are no longer than `most`
/// bytes.
pub(super) fn evict(folder: &Path, most: u64) -> io::Result<Cleared> {
    let mut entries: Vec<(SystemTime, String, u64)> = upkeep::keys(folder)?
        .into_iter()
        .map(|key| {
            let place = folder.join(&key);
            (entry::used(&place), key, entry::length(&place))
        })
        .collect();
    let mut total: u64 = entries.iter().map(|(_, _, bytes)| bytes).sum();
    let mut cleared = Cleared::default();
    if total <= most {
        return Ok(cleared);
    }
    let in_use = users::in_use(folder);
    entries.sort();
    for (_, key, bytes) in entries {
        if total <= most {
            break;
        }
        if !in_use.contains(&key) && upkeep::remove_unless_locked(folder, &key)? {
            events::evict(&key, bytes);
            total -= bytes;
            cleared.entries += 1;
            cleared.bytes += bytes;
        }
    }
    Ok(cleared)
}

/// Deletes what serves nobody any more: what killed compilations left, what processes left that are gone, old logs, and lock
/// files without an entry that nobody has touched for as long as `locks`.
pub(super) fn sweep(folder: &Path, locks: Duration) -> io::Result<()> {
    upkeep::remove_all_remains(folder)?;
    for path in upkeep::files(&folder.join(super::LOGS))? {
        if is_older(&path, KEPT) {
            let _ = fs::remove_file(path);
        }
    }
    for key in upkeep::keys(&folder.join(super::LOCKS))? {
        let path = folder.join(super::LOCKS).join(&key);
        if is_older(&path, locks)
            && !folder.join(&key).exists()
            && let Some(_lock) = Lock::try_acquire(&lock_file(folder, &key)?)?
        {
            // Whoever waits for it now looks whether it is still there, once it has it.
            let _ = fs::remove_file(path);
        }
    }
    users::in_use(folder);
    Ok(())
}

fn is_older(path: &Path, time: Duration) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|found| found.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age >= time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse("0"), Some(0));
        assert_eq!(parse(" 12 "), Some(12));
        assert_eq!(parse("3K"), Some(3 << 10));
        assert_eq!(parse("500m"), Some(500 << 20));
        assert_eq!(parse("2G"), Some(2 << 30));
        for wrong in ["", "G", "-1", "1T", "1.5G", "99999999999999999999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}

//! `oxysycl cache`

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Subcommand;
use oxysycl_runtime::cache::{self as disk, Cache as Disk, Listing};
use serde::Serialize;

use super::output::{Output, table};
use super::{Answer, Result};

#[derive(Debug, Subcommand)]
pub(super) enum Cache {
    /// What is in it
    Ls,
    /// Compare every library with its digest
    Verify,
    /// Delete all of it
    Clear,
    /// Delete what is older than the cache has room for, and what processes left that are gone
    Gc,
}

/// What `ls --json` and `verify --json` print.
#[derive(Serialize)]
struct Contents {
    /// The cache's folder.
    folder: PathBuf,
    /// Entries, by key; only damaged ones for `verify`.
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    /// SHA-256 over everything that shapes the library.
    key: String,
    /// Its folder.
    path: PathBuf,
    /// What was compiled; `null` if the entry is damaged.
    about: Option<String>,
    /// The library's length; `null` if the entry is damaged.
    bytes: Option<u64>,
    /// When it was made, in seconds since 1970.
    made: Option<u64>,
    /// When it was last used, in seconds since 1970, to the minute.
    used: Option<u64>,
    /// What is wrong with it. It will be compiled anew when it is needed.
    damage: Option<String>,
}

/// What `clear --json` and `gc --json` print.
#[derive(Serialize)]
struct Cleared {
    /// The cache's folder.
    folder: PathBuf,
    /// Entries deleted.
    entries: usize,
    /// Bytes freed.
    bytes: u64,
}

impl Cache {
    pub(super) fn run(self, output: &Output) -> Result {
        let disk = Disk::from_environment();
        let folder = disk.folder()?.to_owned();
        match self {
            Self::Ls => {
                let entries = disk.list()?.into_iter().map(Entry::new).collect();
                output.print(&Contents { folder, entries }, listed)?;
                Ok(Answer::Yes)
            }
            Self::Verify => {
                let entries = disk.verify()?.into_iter().map(Entry::new);
                let contents = Contents {
                    folder,
                    entries: entries.filter(|entry| entry.damage.is_some()).collect(),
                };
                output.print(&contents, verified)?;
                Ok(if contents.entries.is_empty() {
                    Answer::Yes
                } else {
                    Answer::No
                })
            }
            Self::Clear => cleared(output, folder, disk.clear()?),
            Self::Gc => cleared(output, folder, disk.collect()?),
        }
    }
}

impl Entry {
    fn new(listing: Listing) -> Self {
        let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).ok().map(|time| time.as_secs());
        let (about, bytes, damage) = match listing.contents {
            Ok((about, bytes)) => (Some(about), Some(bytes), None),
            Err(damage) => (None, None, Some(damage)),
        };
        Self {
            key: listing.key,
            path: listing.path,
            about,
            bytes,
            made: listing.made.and_then(seconds),
            used: seconds(listing.used),
            damage,
        }
    }
}

/// Prints what was deleted.
fn cleared(output: &Output, folder: PathBuf, cleared: disk::Cleared) -> Result {
    let cleared = Cleared {
        folder,
        entries: cleared.entries,
        bytes: cleared.bytes,
    };
    output.print(&cleared, |cleared| {
        format!(
            "{} entries deleted, {} bytes freed in {}",
            cleared.entries,
            cleared.bytes,
            cleared.folder.display()
        )
    })?;
    Ok(Answer::Yes)
}

/// How long ago the time of so many seconds since 1970 is.
fn age(seconds: u64) -> String {
    let now = UNIX_EPOCH.elapsed().map_or(0, |now| now.as_secs());
    match now.saturating_sub(seconds) {
        0..60 => "now".to_owned(),
        age @ 60..3600 => format!("{} min ago", age / 60),
        age @ 3600..86400 => format!("{} h ago", age / 3600),
        age => format!("{} days ago", age / 86400),
    }
}

fn listed(contents: &Contents) -> String {
    let row = |entry: &Entry| {
        let about = entry
            .about
            .clone()
            .unwrap_or_else(|| format!("damaged: {}", entry.damage.as_deref().unwrap_or_default()));
        [
            entry.key[..12].to_owned(),
            entry.bytes.map_or_else(String::new, |bytes| bytes.to_string()),
            entry.used.map_or_else(String::new, age),
            about,
        ]
    };
    let bytes: u64 = contents.entries.iter().filter_map(|entry| entry.bytes).sum();
    let rows = table(
        ["key", "bytes", "used", "library"],
        contents.entries.iter().map(row),
    );
    format!(
        "{rows}\n{} entries, {bytes} bytes in {}\n",
        contents.entries.len(),
        contents.folder.display()
    )
}

fn verified(contents: &Contents) -> String {
    if contents.entries.is_empty() {
        return format!("every entry of {} is whole", contents.folder.display());
    }
    table(
        ["damaged entry", "what is wrong"],
        contents.entries.iter().map(|entry| {
            [
                entry.path.display().to_string(),
                entry.damage.clone().unwrap_or_default(),
            ]
        }),
    )
}

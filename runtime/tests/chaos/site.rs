//! Where it happens: a cache on a small file system of its own, a compiler, and what was seen.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use oxysycl_runtime::cache::Cache;
use oxysycl_runtime::{Source, Target, Unit};
use tempfile::TempDir;

use crate::common;

/// How many libraries are wanted.
pub(crate) const LIBRARIES: usize = 5;

/// The size of the cache's file system: more than what counts as little room.
const SIZE: &str = "64m";

/// The variable with the folder of it all.
const ROOT: &str = "TEST_ROOT";

/// A compiler that takes a moment, writes its output piece by piece, leaves files among the temporary ones while it works, has
/// a child, and now and then dies without a word, though never twice for one compilation.
const ICPX: &str = r#"#!/bin/sh
case "$1" in --version) echo 'Intel(R) oneAPI DPC++/C++ Compiler 2026.2.0 (stand-in)'; exit;; esac
out= source= last=
for a; do
    case "$last" in -o) out=$a;; c++) source=$a;; esac
    last=$a
done
library=$(dirname "$0")/$(sed -n 's,^// library ,,p' "$source").so
temporary=$(mktemp) || { echo "no temporary file" >&2; exit 1; }
sleep 0.03 &
if [ ! -e "$TMPDIR/died" ] && [ $(($(date +%N | sed 's/^0*//') / 1000 % 8)) = 0 ]; then
    touch "$TMPDIR/died"
    kill -KILL $$
fi
head -c 2000 "$library" > "$out" && wait && sleep 0.02 && tail -c +2001 "$library" >> "$out"
status=$?
rm -f "$temporary"
exit $status
"#;

/// The folders and files of a campaign.
pub(crate) struct Site {
    root: PathBuf,
    /// The folder is deleted in the process that made it.
    _made: Option<TempDir>,
}

impl Site {
    /// A new one, whose cache is on a file system of its own if one can be mounted.
    pub(crate) fn new() -> Self {
        let made = tempfile::tempdir().unwrap();
        let site = Self {
            root: made.path().to_owned(),
            _made: Some(made),
        };
        for folder in ["bin", "temporary", "home", "outcomes", "mount"] {
            fs::create_dir(site.path(folder)).unwrap();
        }
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o"])
            .arg(format!("size={SIZE},mode=0700"))
            .args(["tmpfs"])
            .arg(site.path("mount"))
            .output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            println!("no file system can be mounted here: the cache will not be full");
        }
        fs::create_dir(site.cache()).unwrap();
        fs::set_permissions(site.cache(), Permissions::from_mode(0o700)).unwrap();
        for number in 0..LIBRARIES {
            let source = site.path("bin/library.cpp");
            let text = format!("extern \"C\" int answer(void*) {{ return {number}; }}\n");
            fs::write(&source, text).unwrap();
            let made = Command::new("g++")
                .args(["-shared", "-fPIC", "-o"])
                .arg(site.library(number))
                .arg(&source)
                .status();
            assert!(made.unwrap().success());
        }
        let icpx = site.path("bin/icpx");
        fs::write(&icpx, ICPX).unwrap();
        fs::set_permissions(&icpx, Permissions::from_mode(0o755)).unwrap();
        site
    }

    /// The one of the process that started this one.
    pub(crate) fn inherited() -> Self {
        Self {
            root: std::env::var_os(ROOT).expect("a site").into(),
            _made: None,
        }
    }

    /// This binary in `role`, at this site.
    pub(crate) fn process(&self, role: &str) -> Command {
        let mut command = common::process(role);
        // Less than all libraries together, so that some have to go.
        let bound = 3 * fs::metadata(self.library(0)).unwrap().len();
        command
            .env(ROOT, &self.root)
            .env("OXYSYCL_ICPX", self.path("bin/icpx"))
            .env("OXYSYCL_HOME", self.path("home"))
            .env("OXYSYCL_CACHE", self.cache())
            .env("OXYSYCL_CACHE_SIZE", bound.to_string())
            .env("TMPDIR", self.path("temporary"));
        command
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.path("mount/cache")
    }

    /// What the library of this number has to be.
    pub(crate) fn library(&self, number: usize) -> PathBuf {
        self.path(&format!("bin/{number}.so"))
    }

    /// Notes that the entry `key` is damaged from now on.
    pub(crate) fn note_damage(&self, key: &str) {
        let line = format!("{key} {}\n", now());
        append(&self.path("damages"), &line);
    }

    /// Whether the entry `key` was damaged since `start`: what was looked at before may be wrong after.
    pub(crate) fn was_damaged(&self, key: &str, start: u128) -> bool {
        let damages = fs::read_to_string(self.path("damages")).unwrap_or_default();
        damages
            .lines()
            .filter_map(|line| line.split_once(' '))
            .any(|(damaged, time)| damaged == key && time.parse::<u128>().is_ok_and(|time| time >= start))
    }

    /// Notes what a process saw.
    pub(crate) fn note(&self, outcome: &str) {
        let line = format!("{}\n", outcome.replace('\n', " / "));
        append(&self.path(&format!("outcomes/{}", std::process::id())), &line);
    }

    /// What all processes saw, each with how often. What was wrong has a colon in it.
    pub(crate) fn outcomes(&self) -> BTreeMap<String, usize> {
        let mut seen = BTreeMap::new();
        for file in fs::read_dir(self.path("outcomes")).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            for line in text.lines() {
                *seen.entry(line.to_owned()).or_default() += 1;
            }
        }
        seen
    }

    /// After one more process has obtained every library: nobody holds a lock, nothing is left, no compiler runs.
    pub(crate) fn expect_no_trace(&self) {
        let output = self.process("last").output().unwrap();
        assert!(output.status.success(), "{:?}", common::texts(&output));
        let cache = Cache::open(&self.cache());
        assert_eq!(cache.locks().unwrap(), []);
        self.expect_no_lock(&self.cache().join("locks"));
        let is_key = |name: &str| name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let left: Vec<String> = names(&self.cache())
            .into_iter()
            .filter(|name| !is_key(name) && !["locks", "logs"].contains(&name.as_str()))
            .collect();
        assert!(left.is_empty(), "left in the cache: {left:?}");
        assert!(cache.verify().unwrap().iter().all(|entry| entry.contents.is_ok()));
        // One whose maker was killed before it could lock it is left alone for a minute.
        let temporary = self.path("temporary");
        let left: Vec<String> = names(&temporary)
            .into_iter()
            .filter(|name| !names(&temporary.join(name)).is_empty())
            .collect();
        assert!(left.is_empty(), "left among the temporary files: {left:?}");
        let start = Instant::now();
        while let Some(process) = self.running() {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "still running: {process}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn expect_no_lock(&self, folder: &Path) {
        for name in names(folder) {
            let path = folder.join(name);
            if path.is_dir() {
                self.expect_no_lock(&path);
            } else {
                let file = File::open(&path).unwrap();
                assert!(file.try_lock().is_ok(), "{} is locked", path.display());
            }
        }
    }

    /// A process that has to do with this site, besides this one.
    fn running(&self) -> Option<String> {
        let root = self.root.to_str().unwrap();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes.map(|entry| entry.path()).find_map(|process| {
            let read = |name: &str| fs::read(process.join(name)).unwrap_or_default();
            let words = [read("cmdline"), read("environ")].concat();
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            words.contains(root).then_some(words)
        })
    }
}

/// The time, in nanoseconds.
pub(crate) fn now() -> u128 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos()
}

/// What the stand-in makes the library of this number of.
pub(crate) fn unit(number: usize) -> Unit {
    Unit {
        source: Source::Header {
            name: "test.hpp".to_owned(),
            text: format!("// library {number}\n"),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: Target::Spir64,
    }
}

/// The names in `folder`.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

fn append(path: &Path, line: &str) {
    let file = File::options().create(true).append(true).open(path);
    file.unwrap().write_all(line.as_bytes()).unwrap();
}

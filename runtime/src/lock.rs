//! Advisory locks on files. The system gives a lock back when its holder dies, however it dies.
//!
//! A holder says in the file who it is, and touches the file every few seconds. So whoever waits can say for whom, need not
//! wait for one that was stopped, and shares the failure of one that failed, rather than to fail likewise a turn later.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::events;

/// How often a held lock is tried.
const PAUSE: Duration = Duration::from_millis(20);

/// How often a lock is taken whose file is gone by then.
const TRIES: usize = 100;

/// How long to wait before saying so.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often a holder shows that it goes on.
const BEAT: Duration = Duration::from_secs(2);

/// A holder that has not shown so for this long is not waited for any more.
pub(crate) const STALL: Duration = Duration::from_secs(20);

/// A held lock.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    holder: Option<Holder>,
    _beat: Option<Sender<()>>,
}

/// Who holds a lock, or held it last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    /// Its process.
    pub(crate) pid: u32,
    /// Its machine.
    pub(crate) host: String,
    /// Since when, in seconds since 1970.
    pub(crate) since: u64,
    /// What tells this time from others.
    turn: u64,
    /// Why it did not succeed.
    failure: Option<String>,
}

/// What waiting for a lock came to.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It is held.
    Mine(Lock),
    /// Whoever was waited for failed, for this reason.
    Failed(Holder, String),
    /// Whoever was waited for was stopped, as far as can be seen.
    Stalled(Option<Holder>),
}

impl Holder {
    fn new() -> Self {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        Self {
            pid: std::process::id(),
            host: host(),
            since: since.as_secs(),
            turn: since.as_nanos() as u64 ^ u64::from(std::process::id()) << 40,
            failure: None,
        }
    }

    /// Who holds the lock on `file`, or held it last, as far as that is known.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }
}

impl std::fmt::Display for Holder {
    /// Such as `process 123 on node7, since 40 s`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
        let seconds = now.saturating_sub(self.since);
        write!(f, "process {} on {}, since {seconds} s", self.pid, self.host)
    }
}

/// This machine's name.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

impl Lock {
    /// The lock on `file`, which is made if need be, once nobody else holds it. While somebody does, this waits, and after a
    /// few seconds says what for.
    pub(crate) fn acquire(file: &Path, waiting_for: &str) -> io::Result<Turn> {
        let mut waiting = Waiting::new(file.to_owned(), waiting_for);
        loop {
            if let Some(lock) = Self::try_acquire(file)? {
                return match waiting.failure() {
                    Some((holder, failure)) => Ok(Turn::Failed(holder, failure)),
                    None => Ok(Turn::Mine(lock.announced()?)),
                };
            }
            if waiting.is_in_vain() {
                return Ok(Turn::Stalled(Holder::of(file)));
            }
            waiting.explain();
            thread::sleep(PAUSE);
        }
    }

    /// The lock on `file` as soon as nobody goes on who holds it, for work that each can do over again and that ends in one
    /// step. None if its holder was stopped.
    pub(crate) fn acquire_in_turn(file: &Path, waiting_for: &str) -> io::Result<Option<Self>> {
        loop {
            match Self::acquire(file, waiting_for)? {
                Turn::Mine(lock) => return Ok(Some(lock)),
                Turn::Failed(..) => {}
                Turn::Stalled(_) => return Ok(None),
            }
        }
    }

    /// The lock on `file`, which is made if need be; none while somebody else holds it.
    pub(crate) fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        for _ in 0..TRIES {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(0o600)
                .open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Whoever holds a lock may delete its file: then this was the lock on a file that is gone.
            if is_at(&file, path) {
                return Ok(Some(Self {
                    file,
                    holder: None,
                    _beat: None,
                }));
            }
        }
        Err(io::Error::other(
            "its file is another one whenever it is looked at",
        ))
    }

    /// Says in the file who holds it, and goes on to show so.
    pub(crate) fn announced(mut self) -> io::Result<Self> {
        self.write(Holder::new())?;
        let file = self.file.try_clone()?;
        let (beat, stop) = mpsc::channel::<()>();
        thread::spawn(move || {
            while stop.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let _ = file.set_modified(SystemTime::now());
            }
        });
        self._beat = Some(beat);
        Ok(self)
    }

    /// Says in the file why its holder did not succeed, for those who wait.
    pub(crate) fn fail(&mut self, failure: &str) {
        if let Some(holder) = self.holder.clone() {
            let failure = Some(failure.to_owned());
            // Those who wait then try for themselves.
            let _ = self.write(Holder { failure, ..holder });
        }
    }

    fn write(&mut self, holder: Holder) -> io::Result<()> {
        let text = serde_json::to_vec(&holder)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.holder = Some(holder);
        Ok(())
    }
}

impl Drop for Lock {
    /// Unlocks rather than just closes: a process forked meanwhile has the file open too.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Whether `path` still leads to `file`.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// A wait for whoever holds a lock.
struct Waiting {
    file: PathBuf,
    waiting_for: String,
    start: Instant,
    /// Set when it was told.
    told: bool,
    /// Set when it was said.
    explained: bool,
    /// Whose turn is waited for.
    holder: Option<Holder>,
    /// When the holder last showed that it goes on: its own time, and when that was first seen here, whose clocks may differ.
    beat: Option<(SystemTime, Instant)>,
}

impl Waiting {
    fn new(file: PathBuf, waiting_for: &str) -> Self {
        Self {
            file,
            waiting_for: waiting_for.to_owned(),
            told: false,
            start: Instant::now(),
            explained: false,
            holder: None,
            beat: None,
        }
    }

    /// Whether the holder does not go on. Looks at who it is, too.
    fn is_in_vain(&mut self) -> bool {
        // One that has failed already is no longer waited for, but for others to read why.
        if let Some(holder) = Holder::of(&self.file).filter(|holder| holder.failure.is_none()) {
            self.holder = Some(holder);
        }
        let shown = fs::metadata(&self.file).and_then(|found| found.modified());
        let shown = shown.unwrap_or(SystemTime::UNIX_EPOCH);
        match self.beat {
            Some((last, seen)) if last == shown => seen.elapsed() >= STALL,
            _ => {
                self.beat = Some((shown, Instant::now()));
                false
            }
        }
    }

    /// Why the holder that was waited for failed, if it did.
    fn failure(&self) -> Option<(Holder, String)> {
        let waited_for = self.holder.as_ref()?;
        let last = Holder::of(&self.file).filter(|last| last.turn == waited_for.turn)?;
        let failure = last.failure.clone()?;
        Some((last, failure))
    }

    /// Tells at once, and says after a while, who is waited for.
    fn explain(&mut self) {
        let holder = match &self.holder {
            Some(holder) => format!(" ({holder})"),
            None => String::new(),
        };
        if !self.told {
            self.told = true;
            events::wait(&self.waiting_for, &holder);
        }
        if self.explained || self.start.elapsed() < PATIENCE {
            return;
        }
        self.explained = true;
        eprintln!("oxysycl: waiting for {}{holder}", self.waiting_for);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mine(turn: Turn) -> Lock {
        match turn {
            Turn::Mine(lock) => lock,
            other => panic!("{other:?}"),
        }
    }

    /// U-CON, bugs 59: six wait for one that fails, and do not each take their own turn to.
    #[test]
    fn failures_are_shared_by_those_who_wait_and_not_by_those_who_come() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        let mut first = mine(Lock::acquire(&file, "a test").unwrap());
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..6)
                .map(|_| scope.spawn(|| Lock::acquire(&file, "it")))
                .collect();
            thread::sleep(Duration::from_millis(300));
            first.fail("because");
            drop(first);
            for waiting in waiting {
                let turn = waiting.join().unwrap().unwrap();
                assert!(matches!(turn, Turn::Failed(_, reason) if reason == "because"));
            }
        });
        mine(Lock::acquire(&file, "a newcomer").unwrap());
    }

    #[test]
    fn a_lock_on_a_file_that_is_gone_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        let first = Lock::try_acquire(&file).unwrap().unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| mine(Lock::acquire(&file, "it").unwrap()));
            thread::sleep(Duration::from_millis(100));
            fs::remove_file(&file).unwrap();
            drop(first);
            let second = waiting.join().unwrap();
            assert!(Lock::try_acquire(&file).unwrap().is_none());
            drop(second);
        });
    }

    #[test]
    fn holders_say_who_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock");
        let _lock = mine(Lock::acquire(&file, "a test").unwrap());
        let text = Holder::of(&file).unwrap().to_string();
        let expected = format!("process {} on {}, since", std::process::id(), host());
        assert!(text.starts_with(&expected), "{text}");
    }
}

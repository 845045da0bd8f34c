//! Child processes that cannot outstay their welcome: with a time limit, ended together with all their own children, ended
//! too when this process is, and with a bound on what they write.

use std::fmt;
use std::fs::File;
use std::io::{self, PipeWriter, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{MemfdFlags, OFlags};
use rustix::process::{Pid, Signal};

/// How often a running child is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// A child that writes more than this many bytes is ended.
const MOST: u64 = 64 << 20;

/// How much of the start, and how much of the end, of a long output is shown.
const SHOWN: usize = 32 << 10;

/// How a child ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) ending: Ending,
    /// What it wrote on standard output.
    pub(crate) stdout: Vec<u8>,
    /// What it wrote on standard error.
    pub(crate) stderr: Vec<u8>,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended for reaching this limit.
    TimedOut(Duration),
    /// It was ended for writing this many bytes.
    Flooded(u64),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit status {status}"),
            Self::Signal(signal) => f.write_str(&signal_name(*signal)),
            Self::TimedOut(limit) => write!(f, "ended after {} s", limit.as_secs()),
            Self::Flooded(bytes) => write!(f, "ended after it wrote {bytes} bytes"),
        }
    }
}

/// The name of a signal, such as `SIGKILL`.
pub(crate) fn signal_name(number: i32) -> String {
    // The standard library knows the names: it writes `signal: 9 (SIGKILL)`.
    let text = ExitStatus::from_raw(number).to_string();
    match text.split(['(', ')']).nth(1) {
        Some(name) => name.to_owned(),
        None => format!("signal {number}"),
    }
}

impl Finished {
    /// What it wrote, first on standard error and then on standard output: shortened in the middle if it is very long, as
    /// text whatever bytes it is made of, and without the line ends at its end.
    pub(crate) fn text(&self) -> String {
        shortened(&[self.stderr.as_slice(), &self.stdout].concat())
    }

    /// The first line on standard output.
    pub(crate) fn first_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        text.lines().next().unwrap_or_default().trim().to_owned()
    }
}

/// `bytes` as text, with its middle left out if it is very long.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    let dropped = bytes.len().saturating_sub(2 * SHOWN);
    if dropped == 0 {
        return String::from_utf8_lossy(bytes).trim_end().to_owned();
    }
    let head = String::from_utf8_lossy(&bytes[..SHOWN]);
    let tail = String::from_utf8_lossy(&bytes[bytes.len() - SHOWN..]);
    format!("{head}\n[... {dropped} bytes left out ...]\n{}", tail.trim_end())
}

/// Runs `command`, for `limit` at most, and calls `watch` every few milliseconds meanwhile. An error means that it could not
/// be started.
pub(crate) fn run(
    command: &mut Command,
    limit: Option<Duration>,
    mut watch: impl FnMut(),
) -> io::Result<Finished> {
    // Files in memory rather than pipes: what the child leaves running cannot hold anybody up.
    let (mut stdout, mut stderr) = (file()?, file()?);
    let mut group = Group::new();
    command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .process_group(group.id());
    die_with_parent(command, Signal::KILL);
    let child = command.spawn();
    // The command holds the files.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child?;
    group.adopt(&child);

    let start = Instant::now();
    let ending = loop {
        if let Some(status) = child.try_wait()? {
            break ending(status);
        }
        let written = stdout.metadata()?.len() + stderr.metadata()?.len();
        let excess = match limit {
            Some(limit) if start.elapsed() >= limit => Some(Ending::TimedOut(limit)),
            _ => (written > MOST).then_some(Ending::Flooded(written)),
        };
        if let Some(ending) = excess {
            group.end();
            child.wait()?;
            break ending;
        }
        watch();
        thread::sleep(PAUSE);
    };
    // Whatever it left running serves nobody.
    group.end();
    Ok(Finished {
        ending,
        stdout: contents(&mut stdout)?,
        stderr: contents(&mut stderr)?,
    })
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, signal) => Ending::Signal(signal.unwrap_or_default()),
    }
}

/// A file in memory, to which whoever has it appends.
fn file() -> io::Result<File> {
    let file = rustix::fs::memfd_create("oxysycl", MemfdFlags::CLOEXEC)?;
    rustix::fs::fcntl_setfl(&file, OFlags::APPEND)?;
    Ok(file.into())
}

fn contents(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A process group that ends when this process does, however that ends: a shell in it waits for that, and kills the group.
/// The system itself could only kill a child, and would spare the child's children.
struct Group {
    watcher: Option<(Child, PipeWriter)>,
    leader: Option<Pid>,
}

impl Group {
    /// What the shell does: end the group when the pipe's other end is closed, or when it is told that this process ended,
    /// in case a process forked from this one keeps the pipe open.
    const WATCH: &str = "trap 'kill -KILL 0' TERM; read -r _; kill -KILL 0";

    /// A group with a watcher; without a shell there is none, and then the child is a group's leader itself.
    fn new() -> Self {
        let watcher = Self::watch().ok();
        let leader = watcher.as_ref().and_then(|(watcher, _)| pid(watcher));
        Self { watcher, leader }
    }

    fn watch() -> io::Result<(Child, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", Self::WATCH])
            .env_clear()
            .stdin(reader)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        die_with_parent(&mut shell, Signal::TERM);
        Ok((shell.spawn()?, writer))
    }

    /// The group that a child has to join: 0 for one of its own.
    fn id(&self) -> i32 {
        self.leader.map_or(0, |leader| leader.as_raw_nonzero().get())
    }

    /// Counts `child`, which has joined, as the leader, if nobody else is.
    fn adopt(&mut self, child: &Child) {
        self.leader = self.leader.or_else(|| pid(child));
    }

    /// Kills everybody in the group.
    fn end(&mut self) {
        if let Some(leader) = self.leader {
            // It fails when nobody is left, which is what it is for.
            let _ = rustix::process::kill_process_group(leader, Signal::KILL);
        }
        // Its number is not free for another group before it is waited for.
        if let Some((mut watcher, _)) = self.watcher.take() {
            self.leader = None;
            let _ = watcher.wait();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.watcher.is_some() {
            self.end();
        }
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Has the system send `signal` to the child when the thread that starts it ends, be it by a kill of the whole process.
fn die_with_parent(command: &mut Command, signal: Signal) {
    // SAFETY: between fork and exec the closure makes one system call, which is safe there: it neither allocates nor locks.
    unsafe {
        command.pre_exec(move || Ok(rustix::process::set_parent_process_death_signal(Some(signal))?));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Option<Duration>) -> Finished {
        run(Command::new("sh").args(["-c", script]), limit, || ()).unwrap()
    }

    #[test]
    fn endings_are_told_apart() {
        assert_eq!(shell("exit 3", None).ending, Ending::Exit(3));
        assert_eq!(shell("kill -SEGV $$", None).ending, Ending::Signal(11));
        assert_eq!(shell("kill -KILL $$", None).ending.to_string(), "SIGKILL");
        let limit = Duration::from_millis(200);
        assert_eq!(shell("sleep 60", Some(limit)).ending, Ending::TimedOut(limit));
    }

    #[test]
    fn children_end_with_it() {
        let start = Instant::now();
        let finished = shell("sleep 60 & echo $!", None);
        let child = finished.text();
        let runs = || {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat"));
            state.is_ok_and(|state| !state.contains(" Z "))
        };
        while runs() {
            assert!(start.elapsed() < Duration::from_secs(30), "{child} still runs");
            thread::sleep(PAUSE);
        }
    }

    #[test]
    fn daemons_hold_nobody_up() {
        let start = Instant::now();
        let finished = shell("setsid sleep 30 & echo said", None);
        assert_eq!(finished.text(), "said");
        let finished = shell("setsid sleep 30 & sleep 30", Some(Duration::from_millis(100)));
        assert!(matches!(finished.ending, Ending::TimedOut(_)));
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    }

    #[test]
    fn floods_are_ended() {
        let finished = shell("cat /dev/zero", None);
        assert!(matches!(finished.ending, Ending::Flooded(bytes) if bytes > MOST));
        assert_eq!(finished.stdout.len() as u64, MOST);
    }

    #[test]
    fn long_output_keeps_head_and_tail() {
        let finished = shell(
            "echo first; head -c 20000000 /dev/zero | tr '\\0' '\\377'; echo last",
            None,
        );
        let text = finished.text();
        assert!(text.starts_with("first"), "{}", &text[..20]);
        assert!(text.ends_with("last"));
        assert!(text.contains("bytes left out"));
        assert!(text.len() < 8 * SHOWN);
    }
}

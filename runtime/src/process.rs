//! Child processes that cannot outstay their welcome: with a time limit, ended together with all their own children, and
//! with what they wrote kept at a bounded length.

use std::fmt;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

/// How often a running child is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// How much of the start, and how much of the end, of a child's output is kept.
const KEPT: usize = 32 << 10;

/// How a child ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended.
    pub(crate) ending: Ending,
    /// What it wrote on standard output and standard error.
    pub(crate) output: Output,
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
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "exit status {status}"),
            Self::Signal(signal) => f.write_str(&signal_name(*signal)),
            Self::TimedOut(limit) => write!(f, "ended after {} s", limit.as_secs()),
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

/// The start and the end of what a child wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    head: Vec<u8>,
    tail: Vec<u8>,
    dropped: u64,
}

impl Output {
    fn push(&mut self, bytes: &[u8]) {
        let room = KEPT - self.head.len();
        let (head, tail) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(tail);
        // Not at every push, or it would move the tail about all the time.
        if self.tail.len() > 2 * KEPT {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
        self.dropped += excess as u64;
    }
}

impl fmt::Display for Output {
    /// As text, whatever bytes it is made of, without the line ends at its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dropped == 0 {
            let all = [self.head.as_slice(), &self.tail].concat();
            return f.write_str(String::from_utf8_lossy(&all).trim_end());
        }
        let (head, tail) = (
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(&self.tail),
        );
        write!(
            f,
            "{head}\n[... {} bytes left out ...]\n{}",
            self.dropped,
            tail.trim_end()
        )
    }
}

/// Runs `command`, for `limit` at most, and calls `watch` every few milliseconds meanwhile. An error means that it could not
/// be started.
pub(crate) fn run(
    command: &mut Command,
    limit: Option<Duration>,
    mut watch: impl FnMut(),
) -> io::Result<Finished> {
    let (reader, writer) = io::pipe()?;
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0);
    die_with_parent(command);
    let mut child = command.spawn()?;
    // The command holds the pipe's writing ends, which would keep the reader waiting.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let start = Instant::now();
    thread::scope(|scope| {
        let output = scope.spawn(|| read(reader));
        let ending = loop {
            if let Some(status) = child.try_wait()? {
                break ending(status);
            }
            if let Some(limit) = limit.filter(|limit| start.elapsed() >= *limit) {
                end_group(&child);
                child.wait()?;
                break Ending::TimedOut(limit);
            }
            watch();
            thread::sleep(PAUSE);
        };
        // Whatever it left running would hold the pipe open, and serve nobody.
        end_group(&child);
        let output = output.join().expect("the reader does not panic");
        Ok(Finished { ending, output })
    })
}

fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, signal) => Ending::Signal(signal.unwrap_or_default()),
    }
}

fn read(mut pipe: PipeReader) -> Output {
    let mut output = Output::default();
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        output.push(&buffer[..count]);
    }
    output.trim();
    output
}

/// Kills the process group that `child` leads.
fn end_group(child: &Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // It fails when nobody is left, which is what it is for.
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// Has the system kill the child when the thread that starts it ends, be it by a kill of the whole process.
fn die_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec the closure makes one system call, which is safe there: it neither allocates nor locks.
    unsafe {
        command.pre_exec(|| {
            Ok(rustix::process::set_parent_process_death_signal(Some(
                Signal::KILL,
            ))?)
        });
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
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the pipe was held open"
        );
        let child = finished.output.to_string();
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
    fn long_output_keeps_head_and_tail() {
        let finished = shell(
            "echo first; head -c 20000000 /dev/zero | tr '\\0' '\\377'; echo last",
            None,
        );
        let text = finished.output.to_string();
        assert!(text.starts_with("first"), "{}", &text[..20]);
        assert!(text.ends_with("last"));
        assert!(text.contains("bytes left out"));
        assert!(text.len() < 8 * KEPT);
    }
}

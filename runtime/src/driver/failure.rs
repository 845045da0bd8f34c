//! A compiler that did not do what it was asked to.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::process;

/// So many lines of what a compiler wrote are shown where all of it can be read in a file.
const LINES: usize = 40;

/// A compiler that did not do what it was asked to: why, what it was asked, what it wrote, and where all of that is kept.
///
/// As text, with what to do: the first lines of what the compiler wrote, from its first error on if there is much before
/// that, and the file with the rest; or all of it where there is no such file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why it did not succeed.
    pub cause: Cause,
    /// The command line, quoted for a shell.
    pub command: String,
    /// What the compiler wrote, shortened in the middle if very long.
    pub output: String,
    /// The file with every command of this compilation, and all that was written. None if it could not be kept.
    pub log: Option<PathBuf>,
}

/// Why a compiler did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// It refused what it was given, with this exit status.
    Exit(i32),
    /// It was ended by the signal of this number.
    Signal(i32),
    /// It took longer than this, and was ended with all its children.
    TimedOut(Duration),
    /// It wrote this many bytes, more than any reader would read, and was ended with all its children.
    Flooded(u64),
    /// It reported success, but what it left is no shared library, for this reason.
    BadOutput(String),
}

impl Failure {
    /// Whether the compiler gave no reason.
    pub(crate) fn is_silent(&self) -> bool {
        let ended_itself = matches!(
            self.cause,
            Cause::Exit(_) | Cause::Signal(_) | Cause::BadOutput(_)
        );
        ended_itself && self.output.is_empty()
    }

    /// What to do.
    pub fn advice(&self) -> &'static str {
        match self.cause {
            Cause::Exit(_) if !self.output.is_empty() => "mend what the compiler names",
            Cause::Signal(number) if number == rustix::process::Signal::KILL.as_raw() => {
                "it may have run out of memory: free some, and try again"
            }
            Cause::TimedOut(_) => {
                "if it needs longer, set OXYSYCL_COMPILE_TIMEOUT to a larger number of seconds"
            }
            Cause::Flooded(_) => "mend what its first messages name",
            Cause::Exit(_) | Cause::Signal(_) | Cause::BadOutput(_) => {
                "try again; if that does not help, `oxysycl doctor` says whether this compiler works at all"
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(status) => write!(f, "compiler failed with exit status {status}"),
            Self::Signal(number) => write!(f, "compiler was ended by {}", process::signal_name(*number)),
            Self::TimedOut(limit) => {
                write!(
                    f,
                    "compiler did not finish within {} s and was ended",
                    limit.as_secs()
                )
            }
            Self::Flooded(bytes) => write!(f, "compiler was ended after it wrote {bytes} bytes of messages"),
            Self::BadOutput(problem) => write!(f, "compiler reported success, but {problem}"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.cause)?;
        writeln!(f, "command: {}", self.command)?;
        match &self.log {
            _ if self.output.is_empty() => writeln!(f, "it wrote nothing")?,
            Some(_) => writeln!(f, "{}", beginning(&self.output))?,
            None => writeln!(f, "{}", self.output)?,
        }
        if let Some(log) = &self.log {
            writeln!(f, "all that was written: {}", log.display())?;
        }
        write!(f, "what to do: {}", self.advice())
    }
}

impl std::error::Error for Failure {}

/// The first [`LINES`] lines of `output`; if its first error comes later, those from there on.
fn beginning(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    if lines.len() <= LINES {
        return output.to_owned();
    }
    let error = lines.iter().position(|line| line.contains("error:"));
    // With what leads to it: the files that include the one with the error.
    let start = error.map_or(0, |error| error.saturating_sub(LINES / 2));
    let end = lines.len().min(start + LINES);
    let left_out = |count: usize| match count {
        0 => String::new(),
        count => format!("[... {count} lines left out ...]"),
    };
    let parts = [
        left_out(start),
        lines[start..end].join("\n"),
        left_out(lines.len() - end),
    ];
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(output: &str, log: Option<&str>) -> Failure {
        Failure {
            cause: Cause::Exit(1),
            command: "g++ -c a.cpp".to_owned(),
            output: output.to_owned(),
            log: log.map(PathBuf::from),
        }
    }

    #[test]
    fn everything_is_said() {
        let text = failure("a.cpp:1: error: no", Some("/logs/1.log")).to_string();
        assert_eq!(
            text,
            "compiler failed with exit status 1\ncommand: g++ -c a.cpp\na.cpp:1: error: no\n\
             all that was written: /logs/1.log\nwhat to do: mend what the compiler names"
        );
        assert!(
            failure("", None)
                .to_string()
                .contains("it wrote nothing\nwhat to do: try again")
        );
    }

    #[test]
    fn long_output_is_shown_from_its_first_error_on_where_there_is_a_log() {
        let mut lines = vec!["warning"; 100];
        lines[70] = "error: here";
        let output = lines.join("\n");
        let shown = failure(&output, Some("/logs/1.log")).to_string();
        assert!(shown.contains("[... 50 lines left out ...]\nwarning"), "{shown}");
        assert!(
            shown.contains("error: here") && shown.contains("[... 10 lines left out ...]"),
            "{shown}"
        );
        assert!(failure(&output, None).to_string().contains(&output));
    }
}

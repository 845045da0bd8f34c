//! What the run time does, said as it does it.
//!
//! The run time tells of its work through [`tracing`](https://docs.rs/tracing), at the level `info`: a `hit` or a `miss` of the
//! cache and why, a `wait` and for whom, each run of a compiler (`compile`) with its command and how long it took, a `load`,
//! and an entry that is deleted to make room (`evict`). A program that has a subscriber sees all of that. One that has none
//! calls [`start`]; the command does.
//!
//! How much of each there was in all, [`summary`](oxysycl_runtime::summary) tells at any time.

use std::io;

use tracing_subscriber::filter::LevelFilter;

/// The environment variable that says what is to be told.
const VARIABLE: &str = "OXYSYCL_LOG";

/// The values that it may have.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// `OXYSYCL_LOG` has a value that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE}={value:?}: expected one of {}", LEVELS.join(", "))]
pub struct LogError {
    value: String,
}

/// Writes what the run time tells to standard error from now on, a line each, if the variable `OXYSYCL_LOG` has the value
/// `info`: it is one of off, error, warn, info, debug and trace. If it is not set, or the program has a subscriber already,
/// nothing changes.
///
/// ```
/// oxysycl::log::start()?;
/// # Ok::<(), oxysycl::log::LogError>(())
/// ```
pub fn start() -> Result<(), LogError> {
    let value = std::env::var_os(VARIABLE).unwrap_or_default();
    if value.is_empty() {
        return Ok(());
    }
    let value = value.to_string_lossy().into_owned();
    // Numbers are levels too to those who read them, which nobody would guess.
    let level = LEVELS
        .contains(&value.as_str())
        .then(|| value.parse::<LevelFilter>());
    let Some(Ok(level)) = level else {
        return Err(LogError { value });
    };
    // It fails where there is one.
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_writer(io::stderr)
        .try_init();
    Ok(())
}

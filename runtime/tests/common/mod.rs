//! A test binary that is also the processes its tests start: `main` runs the tests, or, told so by its first
//! argument, one of the named roles.

use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Trial};

/// The first argument of a process that plays a role; the second is the role's name.
const ROLE: &str = "--role";

/// What `main` of a test binary does.
pub(crate) fn run(tests: &[(&str, fn())], roles: &[(&str, fn())]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, name, ..] = &arguments[..]
        && flag == ROLE
    {
        let (_, role) = roles
            .iter()
            .find(|(role, _)| role == name)
            .expect("a role of this binary");
        // Where a shell started the tests in the background, it is ignored.
        // SAFETY: the action that a process starts with, and no handler.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        role();
        return ExitCode::SUCCESS;
    }
    let trial = |&(name, test): &(&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    libtest_mimic::run(&Arguments::from_args(), tests.iter().map(trial).collect()).exit_code()
}

/// This binary, to be started in `role`.
pub(crate) fn process(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([ROLE, role]);
    command
}

/// What a process wrote to standard output and to standard error.
pub(crate) fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

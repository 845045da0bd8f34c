//! The GPU suite: every operator on an NVIDIA GPU, the functions of the device, and the tools that look for races and bad
//! accesses. Without such a GPU its tests are ignored, by name.

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use oxysycl_codegen::ir::{Accuracy, Math, Syntax};
use oxysycl_runtime::{Queue, Runtime, Selector, Source, Unit, nvidia};

/// The functions of `functions.hpp`, by number: how they are written in Rust.
const FUNCTIONS: [&str; 18] = [
    "exp", "exp2", "exp_m1", "ln", "log2", "log10", "ln_1p", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "erf", "erfc", "rsqrt", "sqrt", "recip",
];

/// What the tools look at: a case of every operator, and another one of the operator for which that has no elements.
const CASES: [&[&str]; 2] = [&["--case", "12"], &["per_token_group_quant_int8", "--case", "24"]];

/// The device that everything runs on.
const DEVICE: &str = "cuda";

fn main() -> ExitCode {
    let missing = match nvidia::driver() {
        Ok(driver) if driver.devices > 0 => false,
        Ok(_) => true,
        Err(error) => {
            eprintln!("no NVIDIA GPU: {error}");
            true
        }
    };
    let mut tests = vec![
        trial("every_operator_is_right", every_operator_is_right, missing),
        trial(
            "functions_are_within_their_bounds",
            functions_are_within_their_bounds,
            missing,
        ),
    ];
    let no_sanitizer = Command::new("compute-sanitizer")
        .arg("--version")
        .output()
        .is_err();
    if no_sanitizer && !missing {
        eprintln!("compute-sanitizer is not on PATH: it comes with NVIDIA's toolkit");
    }
    for tool in ["memcheck", "racecheck", "synccheck", "initcheck"] {
        tests.push(trial(tool, move || sanitize(tool), missing || no_sanitizer));
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn trial(name: &str, test: impl FnOnce() -> Result<(), Failed> + Send + 'static, ignored: bool) -> Trial {
    Trial::test(name, test).with_ignored_flag(ignored)
}

/// This project's command.
fn command() -> &'static str {
    env!("CARGO_BIN_EXE_oxysycl")
}

/// Runs `command`, shows what it wrote, and fails where it fails.
fn run(command: &mut Command) -> Result<(), Failed> {
    let output = command.output()?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{text}");
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {}\n{text}", output.status).into())
    }
}

fn every_operator_is_right() -> Result<(), Failed> {
    run(Command::new(command()).args(["check", "--device", DEVICE]))
}

fn sanitize(tool: &str) -> Result<(), Failed> {
    for case in CASES {
        let mut sanitizer = Command::new("compute-sanitizer");
        sanitizer.args(["--tool", tool, "--error-exitcode", "9"]);
        sanitizer
            .arg(command())
            .args(["check", "--device", DEVICE])
            .args(case);
        run(&mut sanitizer)?;
    }
    Ok(())
}

/// How many ULP a function may lose, by its name in Rust.
fn bound(name: &str) -> f64 {
    let found = [Syntax::Function, Syntax::Method]
        .iter()
        .find_map(|syntax| Math::find(*syntax, name));
    match found.map(|math| math.row().accuracy) {
        Some(Accuracy::Within(bound)) => bound.ulps,
        Some(Accuracy::Rounded) => 0.5,
        other => panic!("{name} has no bound: {other:?}"),
    }
}

fn functions_are_within_their_bounds() -> Result<(), Failed> {
    let queue = Queue::new(&Selector::Named(DEVICE.to_owned()))?;
    let module = Runtime::global()?.module(&Unit {
        source: Source::Header {
            name: "functions.hpp".to_owned(),
            text: include_str!("functions.hpp").to_owned(),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: queue.device().target.clone(),
    })?;
    let errors = module.function("function_errors", None)?;
    let (worst, places) = (queue.upload(&[0u64; 18])?, queue.upload(&[0u32; 18])?);
    for number in 0..FUNCTIONS.len() as i32 {
        // SAFETY: the header's C type, with a number for each function.
        unsafe { errors.call_void(&queue, (worst.view(), places.view(), number)) }?;
        queue.wait()?;
    }
    let mut beyond = Vec::new();
    for ((name, worst), place) in FUNCTIONS.iter().zip(worst.to_vec()?).zip(places.to_vec()?) {
        let (error, x) = (f64::from_bits(worst), f32::from_bits(place));
        let bound = bound(name);
        println!("{name:7} {error:.4} ULP of {bound}, at {x:e}");
        // The double-precision reference is off by very little itself.
        if error > bound + 1e-6 {
            beyond.push(format!("{name}: {error} ULP of {bound}, at {x:e}"));
        }
    }
    let wrong = queue.upload(&[0u64])?;
    // SAFETY: the header's C type, with one number.
    unsafe {
        module
            .function("wrong_quotients", None)?
            .call_void(&queue, (wrong.view(),))
    }?;
    let wrong = wrong.to_vec()?[0];
    println!("quotients that are not the nearest float, of 2^32: {wrong}");
    if wrong > 0 {
        beyond.push(format!("{wrong} quotients"));
    }
    if beyond.is_empty() {
        Ok(())
    } else {
        Err(beyond.join("\n").into())
    }
}

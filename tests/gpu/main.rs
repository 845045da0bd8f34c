//! The GPU suite: every operator on an NVIDIA GPU, the functions of the device, and the tools that look for races and bad
//! accesses. Without such a GPU its tests are ignored, by name.
//!
//! With `OXYSYCL_GPU_BUNDLE` nothing is run, and everything that the suite compiles is put into that folder: see
//! `docs/src/nvidia.md`.

mod functions;

use std::env;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use oxysycl::check::{Checked, Plan};
use oxysycl_runtime::bundle::{Bundle, Contents};
use oxysycl_runtime::{Queue, Runtime, Selector, Target, nvidia};

/// The device that everything runs on, and the target that is for it.
const DEVICE: &str = "cuda";
const TARGET: &str = "nvptx64-nvidia-cuda";

/// The first argument of a process that runs operators: all cases of the one whose number follows, or a case of each.
const ONE: &str = "--operator";
const EACH: &str = "--each-operator";

/// The case of each operator; if it has no elements, the next that has. Earlier ones have one row.
const CASE: usize = 12;

/// The tools of NVIDIA's `compute-sanitizer`.
const TOOLS: [&str; 4] = ["memcheck", "racecheck", "synccheck", "initcheck"];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    match &arguments[..] {
        [_, role, number] if role == ONE => {
            let plan = &operators()[number.parse::<usize>().expect("a number")];
            verdict([check(plan, &queue())])
        }
        [_, role] if role == EACH => {
            let queue = queue();
            verdict(operators().iter().map(|plan| check_some(plan, &queue)))
        }
        _ => match env::var_os("OXYSYCL_GPU_BUNDLE") {
            Some(folder) => {
                bundle(folder.as_ref());
                ExitCode::SUCCESS
            }
            None => libtest_mimic::run(&Arguments::from_args(), tests()).exit_code(),
        },
    }
}

fn tests() -> Vec<Trial> {
    let no_gpu = match nvidia::driver() {
        Ok(driver) => driver.devices == 0,
        Err(error) => {
            eprintln!("no NVIDIA GPU: {error}");
            true
        }
    };
    let sanitizer = Command::new("compute-sanitizer").arg("--version").output();
    if sanitizer.is_err() && !no_gpu {
        eprintln!("compute-sanitizer is not on PATH: it comes with NVIDIA's toolkit");
    }
    let functions = [
        Trial::test("functions_of_one_number", || functions::of_one_number(&queue())),
        Trial::test("functions_of_two_numbers", || functions::of_two_numbers(&queue())),
        Trial::test("quotients", || functions::quotients(&queue())),
    ];
    let operators = operators();
    let operators = operators.iter().enumerate().map(|(number, plan)| {
        let test = move || run(this().args([ONE, &number.to_string()]));
        Trial::test(name(plan), test)
    });
    let tools = TOOLS.map(|tool| {
        Trial::test(tool, move || sanitize(tool)).with_ignored_flag(no_gpu || sanitizer.is_err())
    });
    let ignored = |test: Trial| test.with_ignored_flag(no_gpu);
    let tests = functions.into_iter().chain(operators).map(ignored);
    tests.chain(tools).collect()
}

/// Every operator with each combination of its element types.
fn operators() -> Vec<Plan> {
    let kernels = oxysycl::kernels().expect("operators are accepted");
    let plans = kernels.into_iter().map(Plan::all);
    let plans: Result<Vec<_>, _> = plans.collect();
    plans.expect("operators are accepted").concat()
}

fn name(plan: &Plan) -> String {
    let dtypes = plan.dtypes().iter().map(|dtype| format!("_{dtype}"));
    let ir = plan.kernel().ir().expect("operators are accepted");
    ir.name.clone() + &dtypes.collect::<String>()
}

fn queue() -> Queue {
    Queue::new(&Selector::Named(DEVICE.to_owned())).expect("there is an NVIDIA GPU")
}

/// This program, to be started as a process of its own.
fn this() -> Command {
    Command::new(env::current_exe().expect("a test is a file"))
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

fn sanitize(tool: &str) -> Result<(), Failed> {
    let mut sanitizer = Command::new("compute-sanitizer");
    sanitizer
        .args(["--tool", tool, "--error-exitcode", "9"])
        .arg(env::current_exe()?)
        .arg(EACH);
    run(&mut sanitizer)
}

fn check(plan: &Plan, queue: &Queue) -> Checked {
    let checked = plan.run(queue, &|| ()).expect("operators are accepted");
    println!("{}", serde_json::json!(checked));
    checked
}

/// Checks one case that has elements.
fn check_some(plan: &Plan, queue: &Queue) -> Checked {
    let mut cases = plan.numbers().into_iter().filter(|number| *number >= CASE);
    let checked = cases.find_map(|case| {
        let mut only = plan.clone();
        only.retain(|number| number == case);
        let checked = check(&only, queue);
        (checked.elements > 0 || !checked.passed).then_some(checked)
    });
    checked.unwrap_or_else(|| panic!("no case of {} has elements", name(plan)))
}

fn verdict(results: impl IntoIterator<Item = Checked>) -> ExitCode {
    let mut failed = results.into_iter().filter(|checked| !checked.passed).peekable();
    match failed.peek() {
        None => ExitCode::SUCCESS,
        Some(_) => {
            failed.for_each(|checked| eprintln!("{checked:#?}"));
            ExitCode::FAILURE
        }
    }
}

/// Puts all that the suite compiles into a bundle in `folder`.
fn bundle(folder: &std::path::Path) {
    let target = Target::Named(TARGET.to_owned());
    let unit = |plan: &Plan| plan.unit(&target).expect("operators are accepted");
    let mut units: Vec<_> = operators().iter().map(unit).collect();
    units.push(functions::unit(&target));
    let contents = Contents { units, target };
    let made = Bundle::create(folder, Runtime::global().expect("there is a compiler"), &contents);
    made.unwrap_or_else(|error| panic!("{error}"));
}

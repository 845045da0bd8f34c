//! The program around generated kernels: `kernels.rs`, which is beside this file, lists them. Prints a line of JSON for each.
//!
//! Arguments, of which TOGETHER is how many kernels are compiled as one module, and CASES how many cases each has:
//!
//! * `run TOGETHER CASES`, or `run TOGETHER CASES SHARE OF` for one of so many shares of the modules, counted from 0;
//! * `bundle TOGETHER CASES TARGET FOLDER` compiles them for another machine, which then runs them with `OXYSYCL_BUNDLE=FOLDER`.
#![allow(warnings)]

mod kernels;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;

use oxysycl::check::Plan;
use oxysycl::runtime::bundle::{Bundle, Contents};
use oxysycl::runtime::{Runtime, Target, Unit};
use oxysycl::{Kernel, Queue, Selector};

/// Elements of the longest buffer of a case.
const MOST: i64 = 5000;

struct Subject {
    name: &'static str,
    plan: Plan,
    /// Numbers of the cases to run.
    cases: Vec<usize>,
}

fn report(name: &str, cases: usize, panics: usize, problem: Option<String>) {
    println!("{}", serde_json::json!({ "kernel": name, "cases": cases, "panics": panics, "problem": problem }));
}

/// The kernel with a few of its cases; reports what keeps it from having any.
fn subject(name: &'static str, kernel: &'static Kernel, count: usize) -> Option<Subject> {
    let plans = catch_unwind(AssertUnwindSafe(|| {
        let mut plan = Plan::all(kernel)?.remove(0);
        plan.retain_small(MOST)?;
        oxysycl::codegen::header(&*kernel.ir()?);
        Ok::<Plan, oxysycl::LowerError>(plan)
    }));
    let mut plan = match plans {
        Ok(Ok(plan)) => plan,
        // rustc knew more than the attribute did; the same checks refuse it now.
        Ok(Err(error)) => {
            let refused = serde_json::json!({ "kernel": name, "refused": error.to_string() });
            println!("{refused}");
            return None;
        }
        Err(_) => {
            report(name, 0, 0, Some("lowering or emission panics".to_owned()));
            return None;
        }
    };
    let all = plan.numbers();
    // Neighbours have the same const parameters, each choice of which has to be compiled.
    let mut rng = fastrand::Rng::with_seed(all.len() as u64);
    let mut pairs: Vec<&[usize]> = all.chunks(2).collect();
    rng.shuffle(&mut pairs);
    pairs.truncate(count / 2);
    pairs.sort();
    let cases = pairs.concat();
    plan.retain(|number| cases.contains(&number));
    Some(Subject { name, plan, cases })
}

fn plans(subjects: &[Subject]) -> Vec<Plan> {
    subjects.iter().map(|subject| subject.plan.clone()).collect()
}

/// Loads kernels together. Of those that do not compile, what compiles does so in halves; the rest have a problem.
fn load(subjects: &[Subject], queue: &Queue) -> Vec<Option<String>> {
    match Plan::load(&plans(subjects), queue) {
        Ok(()) => vec![None; subjects.len()],
        Err(error) if subjects.len() == 1 => vec![Some(error.to_string())],
        Err(_) => {
            let (first, second) = subjects.split_at(subjects.len() / 2);
            [load(first, queue), load(second, queue)].concat()
        }
    }
}

/// Compiles kernels as [`load`] does. Gives what could be compiled, and reports what could not.
fn compile(subjects: &[Subject], target: &Target) -> Vec<Unit> {
    let unit = Plan::common_unit(&plans(subjects), target).expect("it was lowered before");
    match Runtime::global().and_then(|runtime| runtime.library(&unit)) {
        Ok(_) => vec![unit],
        Err(error) if subjects.len() == 1 => {
            report(subjects[0].name, 0, 0, Some(error.to_string()));
            Vec::new()
        }
        Err(_) => {
            let (first, second) = subjects.split_at(subjects.len() / 2);
            [compile(first, target), compile(second, target)].concat()
        }
    }
}

fn run(subjects: &[Subject], queue: &Queue) {
    for (Subject { name, plan, cases }, mut problem) in subjects.iter().zip(load(subjects, queue)) {
        if problem.is_some() {
            report(name, 0, 0, problem);
            continue;
        }
        let mut panics = 0;
        for case in cases {
            let mut only = plan.clone();
            only.retain(|number| number == *case);
            let checked = only.run(queue, &|| ()).expect("it was lowered before");
            match checked.failure {
                Some(failure) if failure.problem.starts_with("run natively, it panics") => panics += 1,
                Some(failure) => {
                    problem.get_or_insert(format!("{}: {}", failure.arguments, failure.problem));
                }
                None => {}
            }
        }
        report(name, cases.len(), panics, problem);
    }
}

/// Compiles on as many threads as there are processors.
fn bundle(subjects: &[Subject], together: usize, target: Target, folder: &Path) {
    let modules: Vec<&[Subject]> = subjects.chunks(together).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = |worker: usize| modules.iter().skip(worker).step_by(workers);
    let compile_share = &|worker: usize| -> Vec<Unit> { share(worker).flat_map(|some| compile(some, &target)).collect() };
    let units: Vec<Unit> = thread::scope(|scope| {
        let start = |worker: usize| scope.spawn(move || compile_share(worker));
        let threads: Vec<_> = (0..workers).map(start).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it reports")).collect()
    });
    let runtime = Runtime::global().expect("it has compiled");
    Bundle::create(folder, runtime, &Contents { units, target }).expect("it can be written");
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [what, together, cases, rest @ ..] = &words[..] else { panic!("{words:?}") };
    let (together, cases) = (number(together), number(cases));
    std::panic::set_hook(Box::new(|_| {}));
    let subjects: Vec<Subject> = kernels::KERNELS
        .iter()
        .filter_map(|(name, kernel)| subject(name, kernel(), cases))
        .filter(|subject| !subject.cases.is_empty())
        .collect();
    if let ("bundle", [target, folder]) = (*what, rest) {
        let _ = std::panic::take_hook();
        return bundle(&subjects, together, Target::Named((*target).to_owned()), Path::new(folder));
    }
    let (share, of) = match rest {
        [share, of] => (number(share), number(of)),
        _ => (0, 1),
    };
    let queue = Queue::new(&Selector::default()).expect("there is a device");
    subjects.chunks(together).skip(share).step_by(of).for_each(|some| run(some, &queue));
}

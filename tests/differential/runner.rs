//! The program around generated kernels: `kernels.rs`, which is beside this file, lists them. Prints a line of JSON for each.
//!
//! Arguments: the number of kernels whose schedules are compiled together, and the number of cases for each.
#![allow(warnings)]

mod kernels;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use oxysycl::check::Plan;
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

/// Loads kernels together. Of those that do not compile, what compiles does so in halves; the rest have a problem.
fn load(subjects: &[Subject], queue: &Queue) -> Vec<Option<String>> {
    let plans: Vec<Plan> = subjects.iter().map(|subject| subject.plan.clone()).collect();
    match Plan::load(&plans, queue) {
        Ok(()) => vec![None; subjects.len()],
        Err(error) if subjects.len() == 1 => vec![Some(error.to_string())],
        Err(_) => {
            let (first, second) = subjects.split_at(subjects.len() / 2);
            [load(first, queue), load(second, queue)].concat()
        }
    }
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    let [together, count] = numbers[..] else { panic!("two numbers") };
    std::panic::set_hook(Box::new(|_| {}));
    let subjects: Vec<Subject> = kernels::KERNELS
        .iter()
        .filter_map(|(name, kernel)| subject(name, kernel(), count))
        .filter(|subject| !subject.cases.is_empty())
        .collect();
    let queue = Queue::new(&Selector::default()).expect("there is a device");
    for some in subjects.chunks(together) {
        for (Subject { name, plan, cases }, mut problem) in some.iter().zip(load(some, &queue)) {
            if problem.is_some() {
                report(name, 0, 0, problem);
                continue;
            }
            let mut panics = 0;
            for case in cases {
                let mut only = plan.clone();
                only.retain(|number| number == *case);
                let checked = only.run(&queue, &|| ()).expect("it was lowered before");
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
}

//! Random kernels that must mean one thing: natively, with shuffled lanes, and on the device under several schedules.
//!
//! A generator writes kernels as text, good ones and bad ones. None may make the front end panic. Those that it accepts go
//! into one program, each with several schedules, which compares them with their own native function as `oxysycl check`
//! does: bit by bit, or within the bounds of the shadow where there are reductions or functions with an error of their own.
//!
//! What is left out, and why that hides nothing that the language promises:
//!
//! * Kernels that rustc refuses: those never run. They are counted, and must be few.
//! * Cases in which the native function panics, because an index lies outside a buffer or an integer overflows: what the
//!   device does then is not promised. Arithmetic is generated with the range of its values, so that these are few, too, and
//!   they are counted. A twin with shuffled lanes that panics where the function did not is a disagreement.
//! * Jumps on values that the shadow knows only within bounds: the generator writes none.
//! * What the group itself does with a row of one of two buffers, of which one may be empty: see `rows_of_the_other_buffer`
//!   in `tests/semantics`.
//!
//! `OXYSYCL_DIFFERENTIAL_SEED` and `OXYSYCL_DIFFERENTIAL_COUNT` choose other kernels, and more. A kernel's own seed with a
//! count of 1 makes it alone. With `OXYSYCL_DIFFERENTIAL_BUNDLE` they are not run but put into that folder, for a GPU: see
//! `docs/src/nvidia.md`.

mod expr;
mod index;
mod kernel;
mod program;

use std::fmt::Write;
use std::panic::catch_unwind;

use self::kernel::Generated;
use self::program::Verdict;

/// Kernels that are generated unless the environment says otherwise.
const COUNT: u64 = 120;
/// The seed of the first.
const SEED: u64 = 20_260_101;
/// With fewer kernels, shares mean nothing.
const MANY: usize = 100;

/// A number from the environment.
fn chosen(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => otherwise,
    }
}

/// Whether the front end accepts a kernel and everything that it calls. Whatever it says, the attribute has to expand.
fn is_accepted(kernel: &Generated) -> bool {
    let verdict = catch_unwind(|| {
        let tokens = |text: &str| text.parse().expect("it is Rust");
        oxysycl::codegen::sycl_kernel(tokens(&kernel.attribute), tokens(&kernel.function("kernel")));
        let mut items = kernel.helpers.clone();
        for helper in &items {
            let function = helper.trim_start_matches("#[sycl_fn]");
            oxysycl::codegen::sycl_fn(tokens(""), tokens(function));
        }
        items.push(kernel.item("kernel", ""));
        items.iter().all(|item| oxysycl::codegen::judge(item).is_ok())
    });
    verdict.unwrap_or_else(|_| panic!("the attribute panics: {}", described(kernel)))
}

/// A kernel for the reader of a failure.
fn described(kernel: &Generated) -> String {
    format!(
        "seed {0}; alone with OXYSYCL_DIFFERENTIAL_SEED={0} OXYSYCL_DIFFERENTIAL_COUNT=1\n{1}{2}",
        kernel.seed,
        kernel.helpers.concat(),
        kernel.item("kernel", "")
    )
}

#[test]
fn what_is_accepted_means_one_thing() {
    let (seed, count) = (
        chosen("OXYSYCL_DIFFERENTIAL_SEED", SEED),
        chosen("OXYSYCL_DIFFERENTIAL_COUNT", COUNT),
    );
    let generated: Vec<Generated> = (seed..seed + count).map(Generated::new).collect();
    let accepted: Vec<&Generated> = generated.iter().filter(|kernel| is_accepted(kernel)).collect();
    let share = |part: usize, of: usize| 100 * part / of.max(1);
    eprintln!(
        "{} of {} kernels are accepted, {} %",
        accepted.len(),
        generated.len(),
        share(accepted.len(), generated.len())
    );
    if let Some(folder) = std::env::var_os("OXYSYCL_DIFFERENTIAL_BUNDLE") {
        return program::bundle(&accepted, folder.as_ref());
    }
    let verdict = program::run(&accepted);
    let Verdict {
        refused,
        launches,
        cases,
        panics,
        failures,
    } = &verdict;
    eprintln!(
        "{} are refused by rustc; {launches} schedules ran {cases} cases, of which {panics} panic natively",
        refused.len()
    );
    for (seed, message) in refused {
        eprintln!("seed {seed}: {message}");
    }
    let mut report = String::new();
    for (seed, what) in failures {
        let _ = writeln!(report, "{what}\n{}", described(&Generated::new(*seed)));
    }
    assert!(failures.is_empty(), "{} disagreements\n{report}", failures.len());
    if generated.len() >= MANY {
        assert!((20..=90).contains(&share(accepted.len(), generated.len())));
        assert!(
            share(refused.len(), accepted.len()) <= 5,
            "rustc refuses many: {refused:?}"
        );
        assert!(share(*panics, *cases) <= 25, "many cases panic");
    }
}

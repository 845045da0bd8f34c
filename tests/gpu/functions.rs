//! How far the device's functions are from the exact ones.

use libtest_mimic::Failed;
use oxysycl_codegen::ir::{Library, Math, Syntax};
use oxysycl_runtime::{Function, Module, Queue, Runtime, Source, Target, Unit};

/// The functions of one number in `functions.hpp`, by number: how they are written in Rust.
const OF_ONE: [&str; 21] = [
    "exp", "exp2", "exp_m1", "ln", "log2", "log10", "ln_1p", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "erf", "erfc", "rsqrt", "sqrt", "asin", "acos", "atan", "recip",
];

/// Those of two.
const OF_TWO: [&str; 3] = ["atan2", "hypot", "powf"];

/// What is compiled for them.
pub(crate) fn unit(target: &Target) -> Unit {
    Unit {
        source: Source::Header {
            name: "functions.hpp".to_owned(),
            text: include_str!("functions.hpp").to_owned(),
        },
        defines: Vec::new(),
        include_dirs: Vec::new(),
        target: target.clone(),
    }
}

fn module(queue: &Queue) -> Result<&'static Module, Failed> {
    Ok(Runtime::global()?.module(&unit(&queue.device().target))?)
}

/// How many ULP the function may lose that Rust calls `name`.
fn bound(name: &str) -> f64 {
    let found = [Syntax::Function, Syntax::Method]
        .iter()
        .find_map(|syntax| Math::find(*syntax, name));
    found.expect("a function of the language").ulps(Library::Cuda)
}

/// Tries the functions called `names` by `function`, and fails where one is further off than it may be.
fn try_all(queue: &Queue, function: &Function, names: &[&str]) -> Result<(), Failed> {
    let (worst, places) = (
        queue.upload(&vec![0u64; names.len()])?,
        queue.upload(&vec![0u64; names.len()])?,
    );
    for number in 0..names.len() as i32 {
        // SAFETY: the header's C type, with a number for each function.
        unsafe { function.call_void(queue, (worst.view(), places.view(), number)) }?;
        queue.wait()?;
    }
    let mut beyond = Vec::new();
    for ((name, worst), place) in names.iter().zip(worst.to_vec()?).zip(places.to_vec()?) {
        let (error, bound) = (f64::from_bits(worst), bound(name));
        let [x, y] = [place >> 32, place].map(|bits| f32::from_bits(bits as u32));
        let found = format!("{name:7} {error:.4} ULP of {bound}, at ({x:e}, {y:e})");
        println!("{found}");
        // The double-precision reference is off by very little itself.
        if error > bound + 1e-6 {
            beyond.push(found);
        }
    }
    if beyond.is_empty() {
        Ok(())
    } else {
        Err(beyond.join("\n").into())
    }
}

/// Functions of one number, over all floats.
pub(crate) fn of_one_number(queue: &Queue) -> Result<(), Failed> {
    try_all(queue, &module(queue)?.function("function_errors", None)?, &OF_ONE)
}

/// Functions of two numbers, over 2^32 pairs of floats.
pub(crate) fn of_two_numbers(queue: &Queue) -> Result<(), Failed> {
    try_all(
        queue,
        &module(queue)?.function("function_of_two_errors", None)?,
        &OF_TWO,
    )
}

/// Quotients of floats are the nearest float.
pub(crate) fn quotients(queue: &Queue) -> Result<(), Failed> {
    let wrong = queue.upload(&[0u64])?;
    let function = module(queue)?.function("wrong_quotients", None)?;
    // SAFETY: the header's C type, with one number.
    unsafe { function.call_void(queue, (wrong.view(),)) }?;
    match wrong.to_vec()?[0] {
        0 => Ok(()),
        wrong => Err(format!("{wrong} of 2^32 quotients are not the nearest float").into()),
    }
}

//! What is found only when other items are known: the macro lets it pass, the lowering does not.

use crate::ir::Scalar;
use crate::source::{Callee, Constant, FunctionSource, KernelSource, Named};

const HELPER: FunctionSource = FunctionSource {
    text: "fn helper(x: f32) -> f32 { x + 1.0 }",
    calls: &[],
    constants: &[],
};

const UNREADABLE: FunctionSource = FunctionSource {
    text: "fn (",
    ..HELPER
};

const CALLS: &[Named<Callee>] = &[
    ("helper", Callee::Function(|| &HELPER)),
    ("rsqrt", Callee::Builtin("rsqrt")),
    ("unheard_of", Callee::Builtin("unheard_of")),
];

const CONSTANTS: &[Named<fn() -> Constant>] = &[
    ("FLOAT", || Constant::F32(0.5)),
    ("SHIFT", || Constant::Integer(Scalar::I64, 2)),
    ("BACK", || Constant::Integer(Scalar::I64, -2)),
    ("SMALL", || Constant::Integer(Scalar::I8, 3)),
];

/// A kernel over `n` elements of `a` and `width` of `b`, stored to by this statement.
fn kernel(width: &str, store: &str, calls: &'static [Named<Callee>]) -> KernelSource {
    let text =
        format!("fn kernel(a: &[f32], b: &mut [f32], n: i64) {{ for i in elements(n) {{ {store} }} }}");
    KernelSource {
        attribute: format!("shapes(a = [n], b = [{width}])").leak(),
        item: FunctionSource {
            text: text.leak(),
            calls,
            constants: CONSTANTS,
        },
        lines: 1,
    }
}

/// What the lowering says of a kernel that the macro lets pass.
fn problems_of(source: &KernelSource) -> Vec<String> {
    let tokens = |text: &str| text.parse().expect("tokens");
    let seen = crate::sycl_kernel(tokens(source.attribute), tokens(source.item.text)).to_string();
    assert!(!seen.contains("compile_error"), "the macro lets it pass: {seen}");
    match crate::kernel(source) {
        Ok(_) => vec![],
        Err(errors) => errors.into_iter().map(|e| e.to_string()).collect(),
    }
}

fn problems(store: &str) -> Vec<String> {
    problems_of(&kernel("n + SHIFT", store, CALLS))
}

#[track_caller]
fn one(store: &str, message: &str) {
    let problems = problems(store);
    assert!(
        problems.len() == 1 && problems[0].contains(message),
        "{store}: {problems:?}"
    );
}

#[test]
fn functions_and_constants_are_what_rustc_found() {
    assert_eq!(
        problems("b.store(i, helper(a.load(i)) * rsqrt(2.0) + FLOAT);"),
        [""; 0]
    );
    assert_eq!(problems("b.store(i + SHIFT, helper(FLOAT));"), [""; 0]);
    assert_eq!(problems("b.store(i, (SMALL + 1) as f32);"), [""; 0]);
}

#[test]
fn types_have_to_fit() {
    one("b.store(i, helper(i));", "the types here do not fit together");
    one("b.store(i, FLOAT + SHIFT);", "the types here do not fit together");
    one("b.store(i, SMALL);", "the types here do not fit together");
}

#[test]
fn names_have_to_be_known() {
    one("b.store(i, missing(a.load(i)));", "`missing` is not known");
    one("b.store(i, MISSING);", "`MISSING` is not known");
    one(
        "b.store(i, unheard_of(a.load(i)));",
        "there is no built-in `unheard_of`",
    );
}

#[test]
fn an_unreadable_function_is_an_error() {
    let calls = &[("unreadable", Callee::Function(|| &UNREADABLE))];
    assert!(!problems_of(&kernel("n", "b.store(i, unreadable(a.load(i)));", calls)).is_empty());
}

#[test]
fn what_was_judged_with_an_unknown_constant_is_judged_again() {
    let back = problems_of(&kernel("n + BACK", "b.store(i + BACK, 0.0);", CALLS));
    assert!(
        back.len() == 1 && back[0].contains("this may lie outside `b`"),
        "{back:?}"
    );
}

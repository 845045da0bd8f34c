//! One problem each, told once. Those of `tests/ui` are not repeated here: these have a message of rustc's beside ours.

use super::problems;

#[track_caller]
fn one(body: &str, message: &str) {
    let problems = problems(body);
    assert!(
        problems.len() == 1 && problems[0].contains(message),
        "{body}: {problems:?}"
    );
}

#[test]
fn calls_with_other_numbers_of_arguments() {
    one(
        "for i in elements(n) { b.store(i, a.load()); }",
        "`load(i)` takes an index",
    );
    one(
        "for i in elements(n) { b.store(i, a.load(i, i)); }",
        "`load(i)` takes an index",
    );
    one(
        "for i in elements(n) { b.store(i); }",
        "`store(i, value)` takes an index and a value",
    );
    one(
        "for i in elements(n) { b.store(i, a.load(i).max()); }",
        "`max` works on 2 values, not 1",
    );
    one(
        "for i in elements(n) { b.store(i, a.load(i).sqrt(1.0)); }",
        "`sqrt` works on 1 values, not 2",
    );
    one(
        "for g in groups(n) { let x = a.row(); let v = x.load(0); }",
        "`row(offset)` takes the row's first element",
    );
    one(
        "for g in groups(n) { let x = a.row(g, n); let v = x.load(0); }",
        "`row(offset)` takes the row's first element",
    );
    one(
        "for g in groups(n) { for i in lanes() { b.store(i, 0.0); } }",
        "`lanes(n)` takes the number of elements",
    );
    one(
        "for g in groups(n) { b.store(g, group_sum()); }",
        "`group_sum(x)` takes one value",
    );
    one(
        "for i in elements() { b.store(i, 0.0); }",
        "`elements(n)` takes the number of elements",
    );
    one(
        "for i in elements((n, n)) { b.store(i, 0.0); }",
        "`elements(n)` takes the number of elements",
    );
    one(
        "for g in groups() { b.store(0, 0.0); }",
        "write `for row in groups(rows)`",
    );
    one(
        "for (i, j, k) in groups((n, n, n)) { b.store(i, 0.0); }",
        "write `for row in groups(rows)`",
    );
}

#[test]
fn values_that_are_none() {
    one(
        "for i in elements(n) { let v = if i > 2 { 1.0 }; b.store(i, v); }",
        "an `if` that gives a value needs an `else`",
    );
    one(
        "for i in elements(n) { let v = if i > 2 { 1.0 } else { }; b.store(i, v); }",
        "this block should end in a value",
    );
    one(
        "for i in elements(n) { b.store(i, scale.x); }",
        "values in kernels are scalars, which have no fields",
    );
    one(
        "for i in elements(n) { b.store(i, scale.await); }",
        "this expression has no meaning in a kernel",
    );
    one(
        "for i in group_sum(scale) { let s = 1; } for i in elements(n) { b.store(i, 0.0); }",
        "a loop runs over `lanes(n)`",
    );
}

#[test]
fn names_that_stand_for_something_else() {
    one(
        "for i in elements(n) { N = 3; b.store(i, 0.0); }",
        "`N` is no variable of this function",
    );
    one(
        "for i in elements(n) { b = a; }",
        "memory is written with `store`",
    );
    one(
        "for i in elements(n) { let x = scale.row(i); b.store(i, x.load(0)); }",
        "`scale` is no buffer",
    );
    one(
        "for i in elements(n) { let x = a.row(i); let y = x.row(0); b.store(i, y.load(0)); }",
        "a row of a row",
    );
    one(
        "for i in elements(n) { b.store(i, scale.load(0)); }",
        "`load` and `store` are methods of buffers",
    );
}

#[test]
fn patterns_that_bind_nothing_are_told_once() {
    one(
        "for i in elements(n) { let Some(v) = a.load(i); b.store(i, v + 1.0); }",
        "this pattern has no meaning",
    );
    one(
        "for i in elements(n) { let (x, (y, z)); b.store(i, x + y + z); }",
        "a declaration without a value is one name",
    );
}

#[test]
fn lanes_are_counted_on_the_host() {
    let unknown = "all rows have as many lanes";
    one(
        "for r in groups(n) { for i in lanes(a.load(r) as i64) { b.store(i, 0.0); } }",
        unknown,
    );
    one(
        "for r in groups(n) { for i in lanes(r) { b.store(i, 0.0); } }",
        unknown,
    );
    one(
        "for r in groups(n) { let m = a.load(r) as i64; for i in lanes(m) { b.store(i, 0.0); } }",
        unknown,
    );
    one(
        "for r in groups(n) { let mut m = n; m -= 1; for i in lanes(m) { b.store(i, 0.0); } }",
        unknown,
    );
    assert!(problems("let h = n / 2; for r in groups(n) { let q = h / 2; let s = q + N; for i in lanes(s) { b.store(i, 0.0); } }").is_empty());
}

#[test]
fn patterns_that_rust_has_for_other_types() {
    for pattern in [
        "1.5",
        "&0",
        "Some(1)",
        "[2, ..]",
        "Point { x: 1 }",
        "(0, 1)",
        "many!()",
    ] {
        one(
            &format!("for i in elements(n) {{ match i {{ {pattern} => {{}} _ => {{}} }} }}"),
            "a pattern in a kernel is an integer",
        );
    }
    for pattern in ["'c'", "\"text\""] {
        one(
            &format!("for i in elements(n) {{ match i {{ {pattern} => {{}} _ => {{}} }} }}"),
            "there is no text in a kernel",
        );
    }
    one(
        "for i in elements(n) { match 0.5_f32 { _ => {} } }",
        "and this is an `f32`",
    );
    one(
        "for i in elements(n) { let wide = match i { 0 | other => 1.0_f32, _ => 0.0 }; }",
        "binds no name",
    );
    one(
        "let LAST = 3; for i in elements(n) { match i { LAST => {} _ => {} } }",
        "binds no name",
    );
}

#[test]
fn loops_over_what_is_no_range() {
    let loops = |over: &str| format!("for i in elements(n) {{ for s in {over} {{ b.store(i, 0.0); }} }}");
    one(
        &loops("(0..n).skip(1)"),
        "ranges in a kernel have `rev()` and `step_by(k)`",
    );
    one(&loops("(0..n).step_by(2).step_by(3)"), "a range has one step");
    one(&loops("(0..n).step_by(0)"), "a step of 0 never ends");
    one(
        &loops("(0..n).step_by(n)"),
        "a literal, or an integer above 0 with `as usize`",
    );
    one(&loops("(0..).step_by(2)"), "a range in a kernel has both ends");
    one(&loops("n.rev()"), "a loop runs over `lanes(n)` or over a range");
}

#[test]
fn continue_outside_of_loops() {
    one(
        "if n == 1 { continue; } for i in elements(n) { b.store(i, 0.0); }",
        "`continue` stands among the statements of a loop",
    );
    one(
        "for i in elements(n) { let v = { if n == 1 { continue; } 1.0 }; b.store(i, v); }",
        "`continue` stands among the statements of a loop",
    );
    one(
        "for i in elements(n) { for s in 0..n { if s == 1 { continue 'a; } } }",
        "labels have no use",
    );
    one(
        "for i in elements(n) { let v = a.load(i).sin_cos(); }",
        "`sin_cos` gives two values",
    );
}

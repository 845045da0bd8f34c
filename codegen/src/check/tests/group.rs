//! Groups that a condition or data leaves: they are told apart all the same.

use super::{accepted, refused};

fn kernel(grid: &str, shape: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(b = {shape}))]
        fn kernel(b: &mut [f32], rows: i64, heads: i64, n: i64, p: i64) {{
            for {grid} {{ {body} }}
        }}"
    )
}

fn store(row: &str) -> String {
    format!("for i in lanes(n) {{ b.store({row} * n + i, 1.0); }}")
}

#[test]
fn groups_that_are_left_alone_do_not_share_a_row() {
    let two = |first: &str, second: &str| {
        let (a, b) = (store("r"), store("r"));
        let body = format!("if {first} {{ {a} }} if {second} {{ {b} }}");
        kernel("(stage, r) in groups((2, rows))", "[rows, n]", &body)
    };
    accepted(&two("stage == 0", "stage == 0"));
    accepted(&two("stage == 0", "stage < 1"));
    accepted(&two("stage == 1", "p > 0 && stage >= 1"));
    for second in ["stage == 1", "stage > 0", "!(stage == 0)", "stage != 0", "p > 0"] {
        refused(&two("stage == 0", second), "`b`");
    }
    let read = "if stage == 0 { for i in lanes(n) { b.store(r * n + i, 1.0); } }
        if stage == 1 && n > 0 { let v = b.load(r * n); if v > 0.0 {} }";
    refused(
        &kernel("(stage, r) in groups((2, rows))", "[rows, n]", read),
        "another row of `b`",
    );
    let stages = |stages: &[&str]| {
        let stage = |cond: &&str| format!("if {cond} {{ for i in lanes(n) {{ b.store(i, 1.0); }} }}");
        let body: String = stages.iter().map(stage).collect();
        kernel("stage in groups(3)", "[n]", &body)
    };
    accepted(&stages(&["stage == 0", "stage == 0"]));
    refused(&stages(&["stage == 0", "stage == 1"]), "another row of `b`");
    refused(&stages(&["stage == p", "stage == 1"]), "`b`");
}

#[test]
fn a_group_alone_may_have_any_row() {
    let alone = |cond: &str, row: &str| {
        let body = format!("if {cond} {{ {} }}", store(row));
        kernel("r in groups(rows)", "[rows, n]", &body)
    };
    accepted(&alone("r == 3", "r"));
    refused(&alone("r == 0", "(r + rows)"), "outside the group's own row");
    refused(&alone("r >= 0", "0"), "every `r` reaches");
}

#[test]
fn inside_its_row_a_group_stores_where_it_likes() {
    let kernel = |guard: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, n], t = [rows], k = [rows]))]
            fn kernel(b: &mut [f32], t: &[i64], k: &mut [i64], rows: i64, n: i64) {{
                for r in groups(rows) {{
                    let own = k.row_mut(r);
                    let d = t.load(r);
                    let e = own.load(0);
                    if {guard} {{ b.store(r * n + d, 1.0); }}
                    if e >= 0 && e < n {{ b.store(r * n + e, 2.0); }}
                }}
            }}"
        )
    };
    accepted(&kernel("d >= 0 && d < n"));
    refused(&kernel("d >= 0"), "outside the group's own row");
    refused(&kernel("d < n"), "outside the group's own row");
}

/// Stores to the row of `cache` that element `at` of `slots` addresses.
fn scatter(bind: &str, at: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(slots = [2 * rows], t = [rows], k = [rows], cache = [m, n]), scatter(cache by slots))]
        fn kernel(slots: &[i64], t: &[i64], k: &mut [i64], cache: &mut [f32], rows: i64, m: i64, n: i64, p: i64) {{
            for r in groups(rows) {{
                let own = k.row_mut(r);
                {bind}
                let slot = slots.load({at});
                if slot >= 0 && slot < m {{
                    let mut c = cache.row_mut(slot * n);
                    for i in lanes(n) {{ c.store(i, 1.0); }}
                }}
            }}
        }}"
    )
}

#[test]
fn what_a_group_loads_is_its_own_value() {
    for (bind, at) in [
        ("let d = own.load(0);", "r + d"),
        ("let d = t.load(r);", "r + d"),
        ("let d = t.load(0); let e = own.load(0) + d;", "r + e"),
        ("let d = own.load(0) as i32;", "r + d as i64"),
        ("let d = if own.load(0) > 0 { 1 } else { 0 };", "r + d"),
        ("let d = if r > 3 { 1 } else { 0 };", "r + d"),
        ("let mut d = 0; if r > 3 { d = 1; }", "r + d"),
        ("let mut d = 0; for s in 0..r { d += 1; }", "r + d"),
        ("let v = t.row(r); let d = v.load(0);", "r + d"),
        (
            "let v = if r > 0 { t.row(0) } else { t.row(1) }; let d = v.load(0);",
            "r + d",
        ),
        ("", "r - r / 2"),
        ("", "r * p"),
    ] {
        refused(&scatter(bind, at), "addressed by `scatter(..)`");
    }
    for (bind, at) in [
        ("let d = t.load(0);", "r + d"),
        ("let d = if p > 3 { 1 } else { 0 };", "r + d"),
        (
            "let v = if p > 0 { t.row(0) } else { t.row(1) }; let d = v.load(0);",
            "2 * r + d",
        ),
    ] {
        accepted(&scatter(bind, at));
    }
}

#[test]
fn two_elements_of_the_indices_address_two_rows() {
    let twice = "let other = slots.load(rows + r);
        if other >= 0 && other < m { for i in lanes(n) { cache.store(other * n + i, 2.0); } }";
    refused(&scatter(twice, "r"), "another row of `cache`");
    let again = twice.replace("rows + r", "r");
    accepted(&scatter(&again, "r"));
}

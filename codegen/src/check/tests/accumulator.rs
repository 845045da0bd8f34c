//! What lanes gather: every work-item starts with the variable's first value, and all parts are combined in one way.

use super::{accepted, refused, row_kernel};

/// Gathers into `v`, which starts as `start`, and stores what `result` makes of it.
fn gathered(start: &str, body: &str, result: &str) -> String {
    row_kernel(&format!(
        "let mut v = {start};
        for i in lanes(n) {{ {body} }}
        z.store(0, {result});"
    ))
}

#[test]
fn a_sum_starts_at_zero() {
    let sum = |start: &str| gathered(start, "v += x.load(i);", "group_sum(v)");
    accepted(&sum("0.0"));
    for start in ["1.0", "-0.0", "x.load(0)"] {
        refused(&sum(start), "starts at `0.0`");
    }
    accepted(&gathered("1.0", "v = v.max(x.load(i));", "group_max(v)"));
}

#[test]
fn a_variable_is_gathered_in_one_way() {
    let twice = |second: &str| gathered("0.0", &format!("v += x.load(i); {second}"), "group_sum(v)");
    accepted(&twice("v -= y.load(i);"));
    refused(
        &twice("v = v.max(y.load(i));"),
        "already gathered for `group_sum`",
    );
}

/// Lanes look for a largest value `m` and its place `p`; `after` is what follows.
fn searched(cond: &str, then: &str, after: &str) -> String {
    row_kernel(&format!(
        "let (mut m, mut p) = (f32::NEG_INFINITY, 0);
        for i in lanes(n) {{ let v = x.load(i); if {cond} {{ {then} }} }}
        {after}"
    ))
}

#[test]
fn a_place_is_found_by_one_comparison() {
    let find = |cond: &str, then: &str| searched(cond, then, "z.store(0, group_argmax(m, p) as f32);");
    for cond in ["v > m", "m < v", "i > 2 && v > m", "v < 3.0 && i != 5 && m < v"] {
        accepted(&find(cond, "m = v; p = i;"));
        accepted(&find(cond, "p = i; m = v;"));
    }
    for (cond, then) in [
        ("v >= m", "m = v; p = i;"),
        ("!(v <= m)", "m = v; p = i;"),
        ("v > m || i == 0", "m = v; p = i;"),
        ("v > m", "m = v + 1.0; p = i;"),
        ("v > m", "m = v; p = i; z.store(i, v);"),
        ("v > m", "m = v; p = i; } else { z.store(i, v);"),
        ("v > m", "m = v; p += i;"),
    ] {
        refused(&find(cond, then), "lanes run at the same time");
    }
    refused(
        &find("v > m && p < 3", "m = v; p = i;"),
        "only looked among its own lanes",
    );
    refused(
        &find("v > m && m < 3.0", "m = v; p = i;"),
        "only its own part of `m`",
    );
    for at in ["i + 1", "2 * i", "row", "0"] {
        refused(
            &find("v > m", &format!("m = v; p = {at};")),
            "`p` is the lane itself",
        );
    }
    refused(
        &searched("v < m", "m = v; p = i;", "z.store(0, group_argmax(m, p) as f32);"),
        "`p` was found for `group_argmin(m, p)`",
    );
}

#[test]
fn what_a_search_keeps_is_its_own() {
    let then = |after: &str| searched("v > m", "m = v; p = i;", after);
    accepted(&then(
        "let top = group_max(m); let at = group_argmax(m, p); z.store(0, top + at as f32);",
    ));
    refused(
        &then("z.store(0, p as f32);"),
        "`group_argmax(m, p)` gives the place",
    );
    refused(&then("z.store(0, m);"), "combine it with `group_max(m)`");
    refused(
        &then("p = 3; z.store(0, group_argmax(m, p) as f32);"),
        "bind what `group_argmax(m, p)` gives",
    );
    refused(
        &then("m = 3.0; z.store(0, group_argmax(m, p) as f32);"),
        "bind what `group_max(m)` gives",
    );
    refused(
        &then("z.store(0, group_argmax(m, 0) as f32);"),
        "gives the place that lanes have found",
    );
    refused(
        &then("z.store(0, group_sum(p) as f32);"),
        "only looked among its own lanes",
    );
    let again = |second: &str| {
        then(&format!(
            "for i in lanes(n) {{ {second} }} z.store(0, group_argmax(m, p) as f32);"
        ))
    };
    refused(
        &again("if y.load(i) > m { m = y.load(i); p = i; }"),
        "by one comparison",
    );
    refused(&again("m = m.max(y.load(i));"), "`m` is found together with `p`");
    refused(&again("p = p.min(i);"), "`p` is found together with `m`");
    let rounds = "for k in 0..3 { for i in lanes(n) { if x.load(i) > m { m = x.load(i); p = i; } } } z.store(0, group_argmax(m, p) as f32);";
    refused(
        &row_kernel(&format!("let (mut m, mut p) = (0.0, 0); {rounds}")),
        "declare both inside the loop",
    );
    accepted(&row_kernel(
        "for k in 0..3 { let (mut m, mut p) = (0.0, 0); for i in lanes(n) { if x.load(i) > m { m = x.load(i); p = i; } } let at = group_argmax(m, p); }",
    ));
}

#[test]
fn a_lane_may_search_among_its_own() {
    let own = |start: &str| {
        row_kernel(&format!(
            "for i in lanes(n) {{ {start} for s in 0..4 {{ if x.load(s) > m {{ m = x.load(s); p = s; }} }} z.store(i, (p + 1) as f32 * m); }}"
        ))
    };
    accepted(&own("let (mut m, mut p) = (0.0, 0);"));
}

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

//! Running sums: where lanes add to them and read them.

use super::{accepted, barriers, refused, row_kernel};

fn lanes(body: &str) -> String {
    row_kernel(&format!(
        "let mut s = 0.0; for i in lanes(n) {{ let v = x.load(i); {body} }} z.store(0, group_sum(s));"
    ))
}

#[test]
fn a_running_sum_is_read_behind_its_addition_or_right_before_it() {
    accepted(&lanes("s += v; y.store(i, group_scan_sum(s));"));
    accepted(&lanes(
        "s -= v; let w = 2.0 * group_scan_sum(s); if w > v { y.store(i, w - group_scan_sum(s)); }",
    ));
    accepted(&lanes(
        "let before = 1.0 + group_scan_sum(s); s += v; y.store(i, before);",
    ));
    for body in [
        "y.store(i, group_scan_sum(s)); s += v;",
        "let before = group_scan_sum(s); y.store(i, before); s += v;",
        "let before = group_scan_sum(s); s += v; y.store(i, before + group_scan_sum(s));",
        "s += v * group_scan_sum(s); y.store(i, v);",
    ] {
        refused(&lanes(body), "is read behind `s += ..`");
    }
    refused(
        &lanes("let before = group_scan_sum(s); s += before; y.store(i, before);"),
        "this term depends on the sum",
    );
}

#[test]
fn all_lanes_add_to_a_running_sum_once() {
    for body in [
        "if v > 0.0 { s += v; } y.store(i, group_scan_sum(s));",
        "for k in 0..2 { s += v; y.store(i, group_scan_sum(s)); }",
    ] {
        refused(&lanes(body), "all lanes take part in a running sum");
    }
    refused(
        &lanes("s += v; s += 1.0; y.store(i, group_scan_sum(s));"),
        "one `s += ..`",
    );
    refused(
        &lanes("y.store(i, group_scan_sum(s));"),
        "gives the sum of what lanes have added",
    );
    refused(
        &lanes("let mut t = 0.0; t += v; y.store(i, group_scan_sum(t));"),
        "from outside the loop",
    );
    refused(
        &lanes("s += v; y.store(i, group_scan_sum(v + 1.0));"),
        "gives the sum of what lanes have added",
    );
    let second = |body: &str| {
        row_kernel(&format!(
            "let mut s = 0.0; for i in lanes(n) {{ s += x.load(i); y.store(i, group_scan_sum(s)); }} for i in lanes(n) {{ {body} }}"
        ))
    };
    refused(
        &second("s += x.load(i);"),
        "by the loop with `group_scan_sum(s)` alone",
    );
    refused(
        &second("z.store(i, group_scan_sum(s));"),
        "no lane of this loop adds to `s`",
    );
    refused(
        &second("s += x.load(i); z.store(i, group_scan_sum(s));"),
        "by the loop with `group_scan_sum(s)` alone",
    );
}

#[test]
fn loops_with_running_sums_deal_lanes_in_a_way_of_their_own() {
    let sum = "let mut s = 0.0; for i in lanes(n) { s += y.load(i); y.store(i, group_scan_sum(s)); }";
    let twice = "for i in lanes(n) { y.store(i, 2.0 * y.load(i)); }";
    assert_eq!(barriers(&format!("{twice}\n{sum}\n{twice}\n{twice}")), [1, 2]);
    let again = sum
        .replace("let mut s", "let mut t")
        .replace("s += ", "t += ")
        .replace("(s)", "(t)");
    assert_eq!(barriers(&format!("{sum}\n{again}")), []);
}

//! Reductions come right before what reads them, as often as what they combine changes.

use super::body;

/// A loop that adds to `s`.
const ADD: &str = "for i in lanes(width) { s += p.load(i); }";

/// The lines for `stmts` behind `let mut s = 0.0` and one loop that adds to it, but for those inside `lanes`.
fn lines(stmts: &str) -> Vec<String> {
    let lines = body(&format!("let mut s = 0.0; {ADD} {stmts}"));
    let mut inside = None;
    let mut kept = Vec::new();
    for line in &lines {
        let depth = line.len() - line.trim_start().len();
        if inside.is_some_and(|outer| depth > outer) || line.trim_start().starts_with("let whole") {
            continue;
        }
        let is_lanes = |kind: &&str| line.trim_start().starts_with(kind);
        inside = ["work-items ", "vectors ", "tail "]
            .iter()
            .any(is_lanes)
            .then_some(depth);
        kept.push(line.clone());
    }
    kept.split_off(3)
}

const ONE: &str = "reduce sum: f32 = group_sum(s)";
const TWO: &str = "reduce sum.2: f32 = group_sum(s)";

#[test]
fn what_does_not_change_is_combined_once() {
    let found = lines("z.store(0, group_sum(s)); z.store(1, group_sum(s) + group_sum(s));");
    let stores = [
        "leader (lane = 0)",
        "  z[0] = sum",
        "leader (lane = 0)",
        "  z[1] = sum + sum",
    ];
    assert_eq!(found, [&[ONE], &stores[..]].concat());
}

#[test]
fn what_was_named_is_not_combined_again() {
    let found = lines("let all = group_sum(s); z.store(0, all + group_sum(s));");
    let expected = [
        "reduce all: f32 = group_sum(s)",
        "leader (lane = 0)",
        "  z[0] = all + all",
    ];
    assert_eq!(found, expected);
    let found = lines("let mut all = group_sum(s); all += 1.0; z.store(0, all + group_sum(s));");
    assert_eq!(found[0], "reduce mut all: f32 = group_sum(s)");
    assert_eq!(found[2], ONE);
}

#[test]
fn an_accumulator_that_changes_is_combined_again() {
    let found = lines(&format!(
        "z.store(0, group_sum(s)); {ADD} z.store(1, group_sum(s));"
    ));
    assert_eq!((&*found[0], &*found[5]), (ONE, TWO));
    // In a loop each round comes after the others.
    let found = lines(&format!(
        "let a = group_sum(s); for k in 0..2 {{ z.store(k, group_sum(s) + a); {ADD} }}"
    ));
    assert_eq!(found[2], format!("  {}", ONE));
    // In a branch it may have changed.
    let found = lines(&format!(
        "let a = group_sum(s); if a > 1.0 {{ {ADD} }} z.store(0, a * group_sum(s));"
    ));
    assert_eq!(found[4], ONE);
}

#[test]
fn a_result_is_known_where_it_is_declared() {
    let found = lines("if width > 1 { z.store(0, group_sum(s)); } z.store(1, group_sum(s));");
    assert_eq!(found[0], "if width > 1");
    assert_eq!((&*found[1], &*found[4]), (&*format!("  {ONE}"), TWO));
    let found = lines("if width > 1 { z.store(0, group_sum(s)); } else { z.store(0, -group_sum(s)); }");
    assert_eq!(
        (&*found[1], &*found[5]),
        (&*format!("  {ONE}"), &*format!("  {TWO}"))
    );
    let found = lines("for k in 0..4 { z.store(k, group_sum(s)); } z.store(0, group_sum(s));");
    assert_eq!((&*found[1], &*found[4]), (&*format!("  {ONE}"), TWO));
}

#[test]
fn what_only_some_ways_read_all_work_items_combine() {
    let all = [
        "if width > 1 && group_sum(s) > 0.0 { z.store(0, 1.0); }",
        "let a = if width > 1 { group_sum(s) } else { 0.0 }; z.store(0, a);",
        "let a = match width { 1 => group_sum(s), _ => 0.0 }; z.store(0, a);",
        "for k in 0..group_sum(s) as i64 { z.store(0, k as f32); }",
        "let r = x.row(group_sum(s) as i64); z.store(0, r.load(0));",
        "z.store(0, p.load(group_sum(s) as i64));",
    ];
    for stmts in all {
        let found = lines(stmts);
        assert!(found.contains(&ONE.to_owned()), "{stmts}: {found:?}");
    }
}

#[test]
fn a_second_condition_has_its_own() {
    let found = lines("if width > 3 { z.store(0, 3.0); } else if group_sum(s) > 1.0 { z.store(0, 1.0); }");
    let expected = ["else", &format!("  {ONE}"), "  if sum > 1.0"];
    assert_eq!(found[3..6], expected);
}

#[test]
fn a_largest_number_that_starts_at_a_value_may_be_none() {
    let most = |start: &str| {
        body(&format!(
            "let mut m = {start}; for i in lanes(width) {{ m = m.max(p.load(i)); }} z.store(0, group_max(m));"
        ))
    };
    let found = |start: &str, line: &str| most(start).contains(&line.to_owned());
    assert!(found("f32::NEG_INFINITY", "reduce max: f32 = group_max(m)"));
    assert!(found("-1.0f32", "reduce max: f32 = group_max(m)"));
    assert!(found("p.load(0)", "reduce max: f32 = group_max(m), NaN or not"));
    assert!(found("f32::NAN", "reduce max: f32 = group_max(m), NaN or not"));
}

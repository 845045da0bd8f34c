//! What the simulator finds in kernels that are wrong, whatever the checks say of them.
//!
//! Each runs as it stands, with no barrier but those that the checks ask for where the kernel says so.

use std::collections::BTreeSet;

use fastrand::Rng;
use oxysycl_codegen::{Checked, checked};

use crate::case::Case;
use crate::finding::{Finding, Kind, Stop};
use crate::simulate::run;

/// Launches in which a kernel has to fail at least once.
const CASES: u64 = 400;

/// The first thing that goes wrong.
fn found(checked: &Checked) -> Option<Finding> {
    (0..CASES).find_map(|seed| {
        let case = Case::draw(&checked.kernel, &mut Rng::with_seed(seed));
        match run(checked, &case) {
            Err(Stop::Finding(finding)) => Some(finding),
            _ => None,
        }
    })
}

/// A kernel over rows of `x`, `y` and `z`, each `4 * w + 8` long.
fn rows(attribute: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(x = [rows, 4 * w + 8], y = [rows, 4 * w + 8], z = [rows, 4 * w + 8], table = [8]){attribute})]
        fn kernel(x: &[f32], y: &mut [f32], z: &mut [f32], table: &[i64], rows: i64, w: i64) {{
            for row in groups(rows) {{
                let x = x.row(row * (4 * w + 8));
                let mut y = y.row_mut(row * (4 * w + 8));
                let mut z = z.row_mut(row * (4 * w + 8));
                {body}
            }}
        }}"
    )
}

/// A kernel whose grid has two dimensions, of which only the rows have memory.
fn pairs(body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(y = [rows, w + 1]))]
        fn kernel(y: &mut [f32], rows: i64, w: i64) {{
            for (row, c) in groups((rows, 2)) {{ let mut y = y.row_mut(row * (w + 1)); {body} }}
        }}"
    )
}

#[track_caller]
fn finds(kind: Kind, item: &str) {
    let mut checked = checked(item).expect("it is a kernel");
    checked.barriers = BTreeSet::new();
    let finding = found(&checked).unwrap_or_else(|| panic!("nothing is found in\n{item}"));
    assert_eq!(finding.kind, kind, "{}\n{item}", finding.what);
}

#[test]
fn lanes_that_meet() {
    for body in [
        // Between two loops, through another lane.
        "for i in lanes(w) { y.store(i, x.load(i)); } for i in lanes(w) { z.store(i, y.load(w - 1 - i)); }",
        // A loop of one round moves an index.
        "for i in lanes(w) { for s in 1..2 { y.store(2 * i + s, x.load(i)); } }
         for i in lanes(w) { z.store(i, y.load(2 * i + 3)); }",
        // A number that is not the same in all rounds.
        "for s in 0..2 {
            let t = if s == 0 { table.row(0) } else { table.row(1) };
            let d = t.load(0);
            if d >= 0 && d <= w { for i in lanes(w) { y.store(i + d, y.load(i + d) * 2.0); } }
         }",
        // A float that depends on the lane.
        "for i in lanes(w) {
            let v = x.load(i);
            let d = v - v;
            let j = d.is_nan() as i64;
            if j >= 0 && j <= 1 { y.store(i + j, i as f32); }
         }",
        // Lanes of one loop, in whichever work-item they are.
        "for i in lanes(w) { y.store(i / 2, 1.0); }",
        "for i in lanes(w) { y.store(i, y.load(i + 1)); }",
        // The group's load of what a lane stored.
        "for i in lanes(w) { y.store(i, x.load(i)); } z.store(0, 1.0); let v = y.load(w / 2); z.store(1, v);",
    ] {
        finds(Kind::Race, &rows("", body));
    }
}

#[test]
fn groups_that_meet() {
    for body in [
        "if c == 0 { for i in lanes(w) { y.store(i, 1.0); } } if c == 1 { for i in lanes(w) { y.store(i, 2.0); } }",
        "if c == 0 { y.store(0, 1.0); } else { let v = y.load(0); }",
    ] {
        finds(Kind::Groups, &pairs(body));
    }
    let shifted = "#[sycl_kernel(shapes(slots = [2 * tokens], k = [tokens], cache = [places, w]), scatter(cache by slots))]
        fn kernel(slots: &[i64], k: &mut [i64], cache: &mut [f32], tokens: i64, places: i64, w: i64) {
            for token in groups(tokens) {
                let d = k.load(token);
                if d >= 0 && token + d < 2 * tokens {
                    let slot = slots.load(token + d);
                    if slot >= 0 && slot < places { for i in lanes(w) { cache.store(slot * w + i, 1.0); } }
                }
            }
        }";
    finds(Kind::Groups, shifted);
}

#[test]
fn loads_that_come_after_stores_under_another_name() {
    for body in [
        "for i in lanes(w) { y.store(i, 1.0); } for i in lanes(w) { z.store(i, x.load(i)); }",
        "for i in lanes(w) { for t in 0..2 { y.store(2 * i + t, x.load(2 * i)); } }",
    ] {
        finds(Kind::Alias, &rows(", alias(y = x)", body));
    }
}

#[test]
fn work_items_that_part() {
    for body in [
        "let mut a = 0.0; for i in lanes(w) { a += 1.0; } if a > 1.0 { y.store(0, 1.0); }",
        "let mut n = 0; for i in lanes(w) { n = i; } for s in 0..n { y.store(0, 1.0); }",
    ] {
        finds(Kind::Divergence, &rows("", body));
    }
}

#[test]
fn what_lies_outside() {
    for body in [
        "for i in lanes(w) { y.store(4 * i + 13, 1.0); }",
        "for i in lanes(w) { y.store(i, 1.0); z.store(i, y.load(i - 1)); }",
        "for s in 2..w { y.store(4 * w + 6 + s, 1.0); }",
    ] {
        finds(Kind::Outside, &rows("", body));
    }
}

#[test]
fn what_is_not_there() {
    for (condition, value) in [("true", "bias.load(i)"), ("bias.is_empty()", "bias.load(i)")] {
        let kernel = format!(
            "#[sycl_kernel(shapes(y = [w], bias = [w]), optional(bias))]
            fn kernel(y: &mut [f32], bias: &[f32], w: i64) {{
                for i in elements(w) {{ if {condition} {{ y.store(i, {value}); }} }}
            }}"
        );
        finds(Kind::Null, &kernel);
    }
}

#[test]
fn results_that_depend_on_work_items() {
    for body in [
        // Each work-item has a part of its own, and starts with all of it.
        "let mut a = 1.0; for i in lanes(w) { a += 1.0; } y.store(0, group_sum(a));",
        "let mut a = 0.0; for i in lanes(w) { a += 1.0; } y.store(0, a);",
    ] {
        finds(Kind::Result, &rows("", body));
    }
}

#[test]
fn nothing_where_nothing_is_wrong() {
    for (attribute, body) in [
        (
            "",
            "for i in lanes(w) { y.store(i, x.load(i)); } for i in lanes(w) { z.store(i, y.load(w - 1 - i)); }",
        ),
        (
            ", alias(y = x)",
            "for i in lanes(w) { y.store(i, x.load(i) + 1.0); }",
        ),
        (
            "",
            "let mut a = 0.0; for i in lanes(w) { a += x.load(i); } if group_sum(a) > 1.0 { y.store(0, group_sum(a)); }",
        ),
    ] {
        let item = rows(attribute, body);
        let checked = checked(&item).expect("it is a kernel");
        assert!(checked.problems.is_empty(), "{:?}", checked.problems);
        assert_eq!(found(&checked), None, "{item}");
    }
}

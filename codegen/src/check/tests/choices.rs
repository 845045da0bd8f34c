//! Parameters that launchers make constants: rules are judged for each of their values.

use super::{accepted, checked, refused};

fn kernel(choices: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(a = [rows, n], b = [rows, n]), {choices})]
        fn kernel(a: &[f32], b: &mut [f32], rows: i64, n: i64, kind: i64, flip: bool) {{
            for row in groups(rows) {{ {body} }}
        }}"
    )
}

#[track_caller]
fn waits(choices: &str, body: &str) -> usize {
    let source = kernel(choices, body);
    let (_, barriers) = checked(&source).unwrap_or_else(|problems| panic!("refused: {problems:?}\n{source}"));
    barriers.len()
}

#[test]
fn a_listed_value_is_a_constant_in_indices() {
    let body = "for i in lanes(n / 2) { b.store(row * n + i * kind, 1.0); }";
    accepted(&kernel("specialize(kind in [1, 2])", body));
    refused(&kernel("specialize(kind in [2, 3])", body), "outside");
    refused(&kernel("specialize(kind in [1, 0])", body), "every lane stores");
    refused(&kernel("", body), "two lanes may store");
}

#[test]
fn only_branches_that_a_value_takes_meet() {
    // Some conditions exclude each other whatever the values are, which then need not be listed.
    for (first, second, unlisted) in [
        ("kind == 0", "kind != 0", 0),
        ("kind < 1", "1 <= kind", 0),
        ("kind as i32 == -1 || kind == 0", "kind > 0 && true", 1),
        ("!(kind >= 2)", "2 <= kind", 0),
        ("flip", "!flip", 0),
        ("flip == true", "flip == false", 0),
    ] {
        let body = format!(
            "if {first} {{ for i in lanes(n) {{ b.store(row * n + i, 1.0); }} }}
            if {second} {{ for i in lanes(n) {{ b.store(row * n + n - 1 - i, 2.0); }} }}"
        );
        assert_eq!(
            waits("specialize(kind in [0, -1, 2], flip in [false, true])", &body),
            0,
            "{body}"
        );
        assert_eq!(waits("", &body), unlisted, "{body}");
    }
    let both = "if kind >= 0 { for i in lanes(n) { b.store(row * n + i, 1.0); } }
        if kind <= 0 { for i in lanes(n) { b.store(row * n + n - 1 - i, 2.0); } }";
    assert_eq!(waits("specialize(kind in [0, 1])", both), 1);
    assert_eq!(waits("specialize(kind in [-1, 1])", both), 0);
}

#[test]
fn arms_are_decided() {
    let body = "match kind {
            0 => for i in lanes(n) { b.store(row * n + i, 1.0); },
            1 | 5..=6 => {}
            _ => for i in lanes(n) { b.store(row * n + i * kind, 1.0); },
        }";
    accepted(&kernel("specialize(kind in [0, 1, 6])", body));
    refused(&kernel("specialize(kind in [0, 1, 4])", body), "outside");
    let named = "let wide = kind as i32; let step = match wide { 3 => 1, _ => 2 };
        for i in lanes(n) { b.store(row * n + i * step, 1.0); }";
    accepted(&kernel("specialize(kind in [3])", named));
    refused(&kernel("specialize(kind in [3, 4])", named), "outside");
}

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

/// A kernel with so many flags, optional buffers and listed values each, in which `body` is done for each of them.
fn many(count: usize, body: &dyn Fn(usize) -> String) -> String {
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<Vec<_>>().join(", ");
    let body: String = (0..count).map(body).collect();
    format!(
        "#[sycl_kernel(shapes(b = [rows, n], {}), optional({}), specialize({}))]
        fn kernel<{}>(b: &mut [f32], {}, {}, rows: i64, n: i64) {{
            for row in groups(rows) {{
                let mut y = b.row_mut(row * n);
                {body}
            }}
        }}",
        each(&|at| format!("c{at} = [n]")),
        each(&|at| format!("c{at}")),
        each(&|at| format!("k{at} in [0, 1, 2]")),
        each(&|at| format!("const F{at}: bool")),
        each(&|at| format!("c{at}: &[f32]")),
        each(&|at| format!("k{at}: i64")),
    )
}

/// In how many cases a kernel is judged, and how many barriers it has.
#[track_caller]
fn work(source: &str) -> (usize, usize) {
    let kernel = super::lowered(source);
    let mut errors = crate::diagnostics::Errors::default();
    let (barriers, cases) = crate::check::counted(&kernel, &mut errors);
    assert_eq!(errors.len(), 0, "{:?}\n{source}", errors.finish(()));
    (cases, barriers.len())
}

#[test]
fn choices_that_do_not_meet_are_not_taken_together() {
    let added = |at: usize| {
        format!(
            "for i in lanes(n) {{
                let v = if c{at}.is_empty() {{ 0.0 }} else {{ c{at}.load(i) }};
                let w = if F{at} && k{at} == 1 {{ v }} else {{ -v }};
                y.store(i, y.load(i) + w);
            }}
            if F{at} {{ for i in lanes(n) {{ y.store(i, 1.0); }} }}
            if !F{at} {{ for i in lanes(n) {{ y.store(i, 2.0); }} }}"
        )
    };
    for count in [1, 4, 8] {
        let (cases, barriers) = work(&many(count, &added));
        assert_eq!(
            cases,
            count + 1,
            "each optional buffer where it is null, and all choices left open"
        );
        assert_eq!(barriers, 0);
    }
}

#[test]
fn what_one_choice_decides_is_judged_in_as_many_cases_as_there_are_choices() {
    // The third value decides how far lanes store, and the third flag and value together where.
    let kernel = |count: usize, store: &str| {
        let store = store.to_owned();
        many(count, &move |at| match at {
            2 => store.clone(),
            _ => format!("if F{at} && k{at} > 0 {{ for i in lanes(n) {{ y.store(i, 1.0); }} }}"),
        })
    };
    let step = "for i in lanes(n / 3) { y.store(i * (1 + k2), 1.0); }";
    let both = "let d = if F2 { k2 } else { 1 }; for i in lanes(n / 3) { y.store(i * (1 + d), 1.0); }";
    for store in [step, both] {
        let cases = [3, 5].map(|count| work(&kernel(count, store)).0);
        assert!(cases[1] <= 3 * cases[0] && cases[1] <= 200, "{cases:?}");
    }
}

#[test]
fn choices_are_taken_together_where_they_are_decided_together() {
    let wrong = "let d = if F2 { k2 } else { 0 }; for i in lanes(n / 3) { y.store(i * (1 + d), 1.0); }
        let e = if F2 { 0 } else { k2 }; for i in lanes(n / 2) { y.store(i * (1 + e), 1.0); }";
    let source = many(8, &|at| if at == 2 { wrong.to_owned() } else { String::new() });
    refused(&source, "outside the group's own row");
    accepted(&source.replace("lanes(n / 2)", "lanes(n / 3)"));
}

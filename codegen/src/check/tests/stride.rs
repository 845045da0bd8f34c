//! Indices that a condition keeps inside, and lanes that step over each other.

use super::{accepted, barriers, checked, refused, row_kernel};

#[test]
fn a_guard_keeps_an_index_inside_the_row() {
    let reads = |cond: &str, index: &str| {
        row_kernel(&format!(
            "for i in lanes(n) {{ y.store(i, x.load(i)); }}
            for i in lanes(n) {{ let v = if {cond} {{ y.load({index}) }} else {{ 0.0 }}; z.store(i, v); }}
            for i in lanes(n) {{ if {cond} {{ z.store(i, y.load({index})); }} }}"
        ))
    };
    for (cond, index) in [
        ("i > 0", "i - 1"),
        ("i >= 2", "i - 2"),
        ("1 <= i && rows > 3", "i - 1"),
        ("!(i < 1)", "i - 1"),
        ("i + 1 < n", "i + 1"),
        ("i < n - 3", "i + 3"),
        ("i >= rows", "i - rows"),
        ("2 * i < n", "2 * i"),
        ("i > 4 && i < n - 4", "i - 5"),
        ("i / 2 < n && n > 0", "i / 2"),
    ] {
        accepted(&reads(cond, index));
    }
    for (cond, index) in [
        ("i > 0", "i - 2"),
        ("i >= 0", "i - 1"),
        ("i > 0 || rows > 3", "i - 1"),
        ("i < n", "i + 1"),
        ("i != 0", "i + 1"),
        ("rows > 0", "i - 1"),
        ("i < rows", "i - rows"),
        ("2 * i < n", "2 * i + 1"),
    ] {
        refused(&reads(cond, index), "outside the group's own row");
    }
}

#[test]
fn a_neighbours_element_is_waited_for() {
    let shifted = "
        for i in lanes(n) { y.store(i, x.load(i)); }
        for i in lanes(n) { let v = if i > 0 { y.load(i - 1) } else { 0.0 }; z.store(i, v); }";
    assert_eq!(barriers(shifted), [2]);
    refused(
        &row_kernel("for i in lanes(n) { let v = if i > 0 { y.load(i - 1) } else { 0.0 }; y.store(i, v); }"),
        "another lane of this loop loads the element of `y` that is stored here",
    );
}

#[test]
fn an_element_that_is_found_in_data_is_read_inside_the_row() {
    let gather = |guard: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, n], c = [rows, n], t = [rows, n]))]
            fn kernel(b: &mut [f32], c: &mut [f32], t: &[i64], rows: i64, n: i64) {{
                for row in groups(rows) {{
                    let mut y = b.row_mut(row * n);
                    let mut z = c.row_mut(row * n);
                    for i in lanes(n) {{ y.store(i, 1.0); }}
                    for i in lanes(n) {{
                        let at = t.load(row * n + i);
                        if {guard} {{ z.store(i, y.load(at)); }}
                    }}
                }}
            }}"
        )
    };
    let (_, barriers) = checked(&gather("at >= 0 && at < n")).expect("it is inside");
    assert_eq!(barriers.len(), 1);
    refused(&gather("at >= 0"), "outside the group's own row");
}

/// A buffer of `shape`, of which a group that `row` counts stores by `body`.
fn stepped(shape: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(a = [rows, t, n], b = {shape}))]
        fn kernel(a: &[f32], b: &mut [f32], rows: i64, t: i64, n: i64) {{
            for row in groups(rows) {{
                let x = a.row(row * (t * n));
                {body}
            }}
        }}"
    )
}

#[test]
fn a_loop_in_a_lane_steps_over_all_lanes() {
    let scan = |store: &str, load: &str| {
        stepped(
            "[rows, t, n]",
            &format!(
                "let mut y = b.row_mut(row * (t * n));
                for i in lanes(n) {{
                    let mut h = 0.0;
                    for s in 0..t {{
                        h = 0.5 * h + x.load(s * n + i);
                        y.store({store}, h);
                    }}
                    for s in 0..t {{ if s > 0 {{ y.store(s * n + i, y.load({load})); }} }}
                }}"
            ),
        )
    };
    accepted(&scan("s * n + i", "s * n + i"));
    accepted(&scan("s * n + i", "(s - 1) * n + i"));
    accepted(&scan("(t - 1 - s) * n + i", "s * n + i"));
    refused(&scan("s * (n - 1) + i", "s * n + i"), "two lanes may store");
    refused(
        &scan("s * n + i", "s * n + i - 1"),
        "another lane of this loop loads",
    );
    refused(&scan("s * n + 2 * i", "s * n + i"), "two lanes may store");
    refused(&scan("s + i", "s * n + i"), "two lanes may store");
    // Blocks inside rounds.
    let blocks = |block: &str| {
        stepped(
            "[rows, t, n, 4]",
            &format!(
                "let mut y = b.row_mut(row * (t * n * 4));
                for i in lanes(n) {{
                    for s in 0..t {{ for k in 0..{block} {{ y.store(s * (n * 4) + 4 * i + k, 1.0); }} }}
                }}"
            ),
        )
    };
    accepted(&blocks("4"));
    refused(&blocks("5"), "two lanes may store");
}

#[test]
fn a_row_may_lie_across() {
    let across = |store: &str| {
        stepped(
            "[n, rows]",
            &format!("for i in lanes(n) {{ b.store({store}, x.load(i)); }}"),
        )
    };
    accepted(&across("i * rows + row"));
    accepted(&across("(n - 1 - i) * rows + row"));
    refused(&across("i * rows + 2 * row"), "no dimension of `b`");
    refused(&across("i * rows + row + 1"), "outside the group's own row");
    refused(&across("i * t + row"), "`b`");
    refused(&across("row"), "every lane stores");
    let rounds =
        "for i in lanes(n) { for s in 0..t { b.store((s * n + i) * rows + row, x.load(s * n + i)); } }";
    accepted(&stepped("[t, n, rows]", rounds));
}

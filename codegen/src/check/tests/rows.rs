use super::{accepted, refused};

fn kernel(shape: &str, grid: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(b = {shape}, t = [rows]))]
        fn kernel(b: &mut [f32], t: &[i64], rows: i64, heads: i64, n: i64, s: i64, hs: i64, shift: i64) {{
            for {grid} {{ {body} }}
        }}"
    )
}

#[test]
fn groups_write_rows_that_the_shape_keeps_apart() {
    for (shape, grid, body) in [
        (
            "[rows, n]",
            "r in groups(rows)",
            "for i in lanes(n) { b.store(r * n + i, 1.0); }",
        ),
        (
            "[rows @ s, n]",
            "r in groups(rows)",
            "for i in lanes(n) { b.store(r * s + i, 1.0); }",
        ),
        (
            "[rows @ s, heads @ hs, n]",
            "(r, h) in groups((rows, heads))",
            "for i in lanes(n) { b.store(h * hs + i + r * s, 1.0); }",
        ),
        (
            "[rows, heads, n]",
            "(r, h) in groups((rows, heads))",
            "for i in lanes(n) { b.store((r * heads + h) * n + i, 1.0); }",
        ),
        (
            "[rows @ s, heads @ hs, n]",
            "r in groups(rows)",
            "for h in 0..heads { for i in lanes(n) { b.store(r * s + h * hs + i, 1.0); } }",
        ),
        (
            "[rows @ s, heads, n]",
            "r in groups(rows)",
            "for i in lanes(heads * n) { b.store(r * s + i, 1.0); }",
        ),
        ("[rows]", "r in groups(rows)", "b.store(r, 1.0);"),
        ("[rows, n]", "r in groups(rows)", "b.store(r * n, 1.0);"),
        ("[rows, n]", "r in groups(rows)", "b.store(r * n + n - 1, 1.0);"),
        (
            "[rows, n]",
            "r in groups(rows)",
            "for i in lanes(n / 2) { b.store(r * n + 2 * i, 1.0); b.store(r * n + 2 * i + 1, 1.0); }",
        ),
        ("[rows, n]", "i in elements(rows * n)", "b.store(i, 1.0);"),
    ] {
        accepted(&kernel(shape, grid, body));
    }
}

#[test]
fn groups_that_may_meet_are_refused() {
    for (shape, body, because) in [
        (
            "[rows, n]",
            "for i in lanes(n) { b.store(i, 1.0); }",
            "every `r` reaches this element",
        ),
        (
            "[rows, n]",
            "for i in lanes(n) { b.store(r * s + i, 1.0); }",
            "no dimension of `b`",
        ),
        (
            "[n, rows]",
            "for i in lanes(n) { b.store(r * n + i, 1.0); }",
            "no dimension of `b`",
        ),
        (
            "[rows, n]",
            "for i in lanes(n) { b.store(t.load(r) * n + i, 1.0); }",
            "does not keep groups apart",
        ),
        (
            "[rows, n]",
            "for i in lanes(n) { b.store(r / 2 * n + i, 1.0); }",
            "does not keep groups apart",
        ),
        (
            "[rows, n]",
            "for i in lanes(n + 1) { b.store(r * n + i, 1.0); }",
            "outside the group's own row",
        ),
        (
            "[rows, n]",
            "for i in lanes(n) { b.store(r * n + i + 1, 1.0); }",
            "outside the group's own row",
        ),
        (
            "[rows, n]",
            "for i in lanes(n) { b.store(r * n + i - 1, 1.0); }",
            "outside the group's own row",
        ),
        (
            "[rows, n]",
            "let v = b.load(r * n + n); for i in lanes(n) { b.store(r * n + i, v); }",
            "outside the group's own row",
        ),
        (
            "[rows, n]",
            "let v = b.load(0); for i in lanes(n) { b.store(r * n + i, v); }",
            "every `r` reaches this element",
        ),
        (
            "[rows, n + heads]",
            "b.store(r * (n + heads) + heads, 1.0);",
            "outside the group's own row",
        ),
        (
            "[rows, n]",
            "b.store(r * n + n / 2 * 2, 1.0);",
            "outside the group's own row",
        ),
    ] {
        refused(&kernel(shape, "r in groups(rows)", body), because);
    }
}

#[test]
fn a_number_that_no_launcher_checks_may_be_negative() {
    refused(
        &kernel(
            "[rows, heads, n]",
            "r in groups(rows)",
            "for h in shift..heads { for i in lanes(n) { b.store((r * heads + h) * n + i, 1.0); } }",
        ),
        "outside the group's own row",
    );
    refused(
        &kernel(
            "[rows, heads, n]",
            "r in groups(rows)",
            "for h in -1..heads { for i in lanes(n) { b.store((r * heads + h) * n + i, 1.0); } }",
        ),
        "outside the group's own row",
    );
    accepted(&kernel(
        "[rows, shift + n]",
        "r in groups(rows)",
        "for i in lanes(n) { b.store(r * (shift + n) + shift + i, 1.0); }",
    ));
}

#[test]
fn an_empty_row_has_no_first_element() {
    // Lanes of another length say nothing of the row's.
    refused(
        &kernel(
            "[rows, n]",
            "r in groups(rows)",
            "for i in lanes(heads) { if i == 0 { b.store(r * n, 1.0); } }",
        ),
        "outside the group's own row",
    );
    accepted(&kernel(
        "[rows, n]",
        "r in groups(rows)",
        "for i in lanes(n) { if i == 0 { b.store(r * n, 1.0); } }",
    ));
}

#[test]
fn groups_do_not_take_turns_with_rows() {
    let square = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [n @ s, n @ t, w]))]
            fn kernel(b: &mut [f32], n: i64, s: i64, t: i64, w: i64) {{
                for (r, c) in groups((n, n)) {{ {body} }}
            }}"
        )
    };
    let store = |at: &str| format!("for i in lanes(w) {{ b.store({at} + i, 1.0); }}");
    accepted(&square(&store("r * s + c * t")));
    accepted(&square(&store("c * s + r * t")));
    let both = store("r * s + c * t") + &store("c * s + r * t");
    refused(&square(&both), "another row of `b`");
}

#[test]
fn gaps_between_heads_are_no_part_of_a_row() {
    let whole = "for i in lanes(heads * n) { b.store(r * s + i, 1.0); }";
    accepted(&kernel("[rows @ s, heads, n]", "r in groups(rows)", whole));
    refused(
        &kernel("[rows @ s, heads @ hs, n]", "r in groups(rows)", whole),
        "outside the group's own row",
    );
}

#[test]
fn a_condition_that_differs_from_lane_to_lane_leaves_no_group_out() {
    let moved = |by: &str, element: &str| {
        let body =
            format!("for i in lanes(4) {{ if r >= {by} {{ b.store((r - {by}) * 4 + {element}, 1.0); }} }}");
        kernel("[rows, 4]", "r in groups(rows)", &body)
    };
    accepted(&moved("1", "i"));
    // Lane 0 of one group stores where lane 1 of the next does.
    refused(&moved("i", "0"), "outside the group's own row");
}

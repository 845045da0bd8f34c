use super::{accepted, refused, row_kernel};

#[track_caller]
fn lanes(body: &str, because: &str) {
    refused(&row_kernel(&format!("for i in lanes(n) {{ {body} }}")), because);
}

#[test]
fn lanes_keep_to_elements_of_their_own() {
    lanes("y.store(0, x.load(i));", "every lane stores to this one element");
    lanes("y.store(i / 2, x.load(i));", "two lanes may store");
    lanes("y.store(i * i, x.load(i));", "two lanes may store");
    lanes("y.store(i % 4, x.load(i));", "two lanes may store");
    lanes("y.store(i, y.load(i + 1));", "another lane of this loop loads");
    lanes(
        "y.store(i, 0.0); y.store(n - 1 - i, 1.0);",
        "another lane of this loop stores",
    );
}

#[test]
fn a_shift_that_differs_from_lane_to_lane_is_no_shift() {
    lanes(
        "let mut j = 0; if i > 3 { j = 1; } y.store(i - j, 1.0);",
        "two lanes may store",
    );
    lanes(
        "let j = x.load(i) as i64; y.store(i + j, 1.0);",
        "two lanes may store",
    );
    lanes(
        "let j = if x.load(i) > 0.0 { 1 } else { 0 }; y.store(i - j, 1.0);",
        "two lanes may store",
    );
}

#[test]
fn a_loop_that_differs_from_lane_to_lane_bounds_nothing() {
    lanes(
        "for s in i..i + 1 { y.store(i - s, x.load(i)); }",
        "two lanes may store",
    );
    lanes(
        "for s in 0..2 { for t in s..s + 1 { y.store(i + s - t, x.load(i)); } } y.store(i, 0.0);",
        "two lanes may store",
    );
    lanes("for s in 0..i { y.store(s, x.load(i)); }", "two lanes may store");
}

#[test]
fn a_lane_may_have_a_block_of_any_width() {
    let kernel = |rounds: &str| {
        format!(
            "#[sycl_kernel(shapes(a = [rows, n, BLOCK], b = [rows, n, BLOCK]))]
            fn kernel<const BLOCK: i64>(a: &[f32], b: &mut [f32], rows: i64, n: i64) {{
                for r in groups(rows) {{
                    let x = a.row(r * (n * BLOCK));
                    let mut y = b.row_mut(r * (n * BLOCK));
                    for i in lanes(n) {{
                        let mut most = 0.0;
                        for s in 0..BLOCK {{ most = x.load(i * BLOCK + s).abs().max(most); }}
                        for s in 0..{rounds} {{ y.store(i * BLOCK + s, y.load(i * BLOCK + s) / most); }}
                    }}
                }}
            }}"
        )
    };
    accepted(&kernel("BLOCK"));
    refused(&kernel("BLOCK + 1"), "two lanes may store");
}

#[test]
fn a_condition_that_several_lanes_meet_leaves_more_than_one() {
    lanes(
        "let mut j = 3; if i > 3 { j = i; } if i == j { y.store(0, 1.0); }",
        "every lane stores",
    );
    lanes(
        "for s in 0..3 { if i == s { y.store(0, 1.0); } }",
        "every lane stores",
    );
    lanes(
        "if i == x.load(i) as i64 { y.store(0, 1.0); }",
        "every lane stores",
    );
    lanes(
        "let v = x.load(i); if i == v as i64 { y.store(0, 1.0); }",
        "every lane stores",
    );
    lanes("if i == 1 || i == 2 { y.store(0, 1.0); }", "every lane stores");
    lanes("if i != 1 { y.store(0, 1.0); }", "every lane stores");
    lanes("if i == 1 { } else { y.store(0, 1.0); }", "every lane stores");
}

#[test]
fn one_lane_may_store_anywhere_in_its_row() {
    accepted(&row_kernel(
        "for i in lanes(n) { if i == 0 && x.load(0) > 1.0 { y.store(n - 1, x.load(i)); } }",
    ));
    accepted(&row_kernel(
        "for i in lanes(n) { if 0 == i { y.store(0, x.load(i)); } }",
    ));
    lanes(
        "if i == 0 { y.store(5, 1.0); } y.store(i, 0.0);",
        "another lane of this loop stores",
    );
}

#[test]
fn conditions_around_stores_are_the_lanes_own_affair() {
    accepted(&row_kernel(
        "for i in lanes(n) { if x.load(i) > 0.0 { y.store(i, 1.0); } else { y.store(i, y.load(i) + 1.0); } }",
    ));
}

#[test]
fn elements_are_lanes() {
    let kernel = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(a = [n], b = [n]))]
            fn kernel(a: &[f32], b: &mut [f32], n: i64) {{ for i in elements(n) {{ {body} }} }}"
        )
    };
    accepted(&kernel("b.store(i, a.load(i));"));
    accepted(&kernel("if i == 3 { b.store(0, a.load(i)); }"));
    refused(&kernel("b.store(0, a.load(i));"), "every lane stores");
    refused(
        &kernel("b.store(i, b.load(i + 1));"),
        "another lane of this loop loads",
    );
    refused(
        &kernel("let mut j = 3; if i > 3 { j = i; } if i == j { b.store(0, a.load(i)); }"),
        "every lane stores",
    );
}

#[test]
fn lanes_under_opposite_conditions_run_at_the_same_time() {
    let kernel = |cond: &str| {
        row_kernel(&format!(
            "for i in lanes(n) {{ if {cond} {{ y.store(i, 1.0); }} else {{ z.store(i, y.load(n - 1 - i)); }} }}"
        ))
    };
    accepted(&kernel("row < 3"));
    refused(&kernel("i < 3"), "another lane of this loop loads");
}

#[test]
fn lanes_are_in_rounds_of_their_own() {
    // Before and behind `at`, which is another one for each lane if it counts rounds.
    let parts = |at: &str| {
        format!("if i + 1 < {at} {{ z.store(i, y.load(i + 1)); }} if i >= {at} {{ y.store(i, 1.0); }}")
    };
    accepted(&row_kernel(&format!(
        "if row < n {{ for i in lanes(n) {{ {} }} }}",
        parts("row")
    )));
    lanes(
        &format!("for s in 0..n {{ {} }}", parts("s")),
        "another lane of this loop loads",
    );
}

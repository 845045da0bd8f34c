use super::{accepted, barriers, checked, refused, row_kernel};

#[test]
fn a_row_that_stays_with_its_lanes_needs_no_barrier() {
    let norm = "
        let mut sum = 0.0;
        for i in lanes(n) { sum += x.load(i) * x.load(i); }
        let scale = group_sum(sum);
        for i in lanes(n) { y.store(i, x.load(i) * scale); }
        for i in lanes(n) { y.store(i, y.load(i) + 1.0); }";
    assert_eq!(barriers(norm), []);
}

#[test]
fn lanes_wait_before_they_read_what_others_stored() {
    let reversed = "
        for i in lanes(n) { y.store(i, x.load(i)); }
        for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }
        for i in lanes(n) { z.store(i, z.load(i) + y.load(n - 1 - i)); }";
    assert_eq!(barriers(reversed), [2], "once is enough");
}

#[test]
fn lanes_wait_before_they_overwrite_what_others_read() {
    let overwritten = "
        for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }
        for i in lanes(n) { y.store(i, x.load(i)); }";
    assert_eq!(barriers(overwritten), [2]);
}

#[test]
fn loops_of_unlike_lengths_are_dealt_unlike() {
    let unlike = "
        for i in lanes(n) { y.store(i, x.load(i)); }
        for i in lanes(n - 1) { y.store(i, y.load(i) + 1.0); }";
    assert_eq!(barriers(unlike), [2]);
}

#[test]
fn a_uniform_read_comes_before_the_loop_that_overwrites_it() {
    let first = "
        let first = y.load(0);
        for i in lanes(n) { y.store(i, x.load(i) - first); }
        let last = y.load(n - 1);
        z.store(0, last);
        z.store(0, first);
        let both = z.load(0) + y.load(0);
        z.store(0, both);";
    // The loop; the reading of what it stored; the reading of what one work-item stored; its overwriting.
    assert_eq!(barriers(first), [2, 3, 6, 7]);
}

#[test]
fn a_reduction_is_no_barrier() {
    let reduced = "
        let mut sum = 0.0;
        for i in lanes(n) { y.store(i, x.load(i)); sum += x.load(i); }
        let total = group_sum(sum);
        for i in lanes(n) { z.store(i, y.load(n - 1 - i) + total); }";
    assert_eq!(barriers(reduced), [4]);
}

#[test]
fn rounds_of_a_loop_wait_for_each_other() {
    let carried = "
        for s in 0..4 {
            for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }
            for i in lanes(n) { y.store(i, x.load(i)); }
        }";
    assert_eq!(barriers(carried), [2, 3]);
    let within = "
        for s in 0..4 {
            for i in lanes(n) { y.store(i, y.load(i) + x.load(i)); }
        }";
    assert_eq!(barriers(within), []);
}

#[test]
fn a_loop_of_one_round_moves_an_element_all_the_same() {
    let store = |range: &str, load: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, 4 * n + 8], c = [rows, n]))]
            fn kernel<const TAPS: i64>(b: &mut [f32], c: &mut [f32], rows: i64, n: i64) {{
                for row in groups(rows) {{
                    let mut y = b.row_mut(row * (4 * n + 8));
                    let mut z = c.row_mut(row * n);
                    for i in lanes(n) {{ for s in {range} {{ y.store(2 * i + s, 1.0); }} }}
                    for i in lanes(n) {{ z.store(i, y.load({load})); }}
                }}
            }}"
        )
    };
    let waits = |range: &str, load: &str| checked(&store(range, load)).expect("it is right").1.len();
    assert_eq!(waits("1..2", "2 * i + 1"), 0);
    assert_eq!(waits("1..2", "2 * i"), 0, "even and odd");
    assert_eq!(waits("1..2", "2 * i + 3"), 1);
    assert_eq!(waits("2..3", "2 * i + 2"), 0);
    assert_eq!(waits("2..3", "2 * i"), 1);
    assert_eq!(waits("3..4", "2 * i + 1"), 1);
    // One lane alone.
    let one = "
        for i in lanes(n) { if i == 3 { for s in 1..2 { y.store(2 + s, x.load(i)); } } }
        for i in lanes(n) { z.store(i, y.load(i)); }";
    assert_eq!(barriers(one), []);
    assert_eq!(barriers(&one.replace("2 + s", "4 - s")), []);
    assert_eq!(barriers(&one.replace("2 + s", "3 - s")), [2]);
    assert_eq!(barriers(&one.replace("1..2", "0..1")), [2]);
}

#[test]
fn rounds_that_keep_to_parts_of_their_own_do_not_wait() {
    let kernel = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, 8, n]))]
            fn kernel(b: &mut [f32], rows: i64, n: i64) {{
                for row in groups(rows) {{
                    let mut y = b.row_mut(row * (8 * n));
                    for s in 0..8 {{ {body} }}
                }}
            }}"
        )
    };
    let apart = checked(&kernel(
        "for i in lanes(n) { y.store(s * n + i, y.load(s * n + n - 1 - i)); }",
    ));
    assert!(apart.is_err(), "lanes of one round meet");
    let apart = kernel("let v = y.load(s * n); for i in lanes(n) { y.store(s * n + i, v); }");
    let (_, barriers) = checked(&apart).expect("accepted");
    assert_eq!(
        barriers.len(),
        1,
        "the read before the loop, but no round before the next"
    );
    let back = kernel(
        "for i in lanes(n) { y.store(i, y.load(i) + 1.0); } for i in lanes(n) { y.store(s * n + n - 1 - i, 0.0); }",
    );
    let (_, barriers) = checked(&back).expect("accepted");
    assert_eq!(barriers.len(), 2);
}

#[test]
fn a_loop_that_may_not_run_leaves_its_barriers_undone() {
    let skipped = "
        for i in lanes(n) { y.store(i, x.load(i)); }
        for s in 0..rows {
            for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }
        }
        for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }";
    assert_eq!(barriers(skipped), [3, 5]);
    assert_eq!(barriers(&skipped.replace("0..rows", "0..2")), [3]);
}

#[test]
fn branches_are_ordered_each_by_itself() {
    let branches = "
        for i in lanes(n) { y.store(i, x.load(i)); }
        if row > 3 {
            for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }
        } else {
            for i in lanes(n) { z.store(i, y.load(i)); }
        }
        for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }";
    assert_eq!(
        barriers(branches),
        [3, 7],
        "the branch, and what follows the other one"
    );
}

#[test]
fn one_lane_may_touch_its_own_element_without_waiting() {
    let one = "
        for i in lanes(n) { if i == 3 { y.store(i, 1.0); } }
        for i in lanes(n) { z.store(i, y.load(i)); }
        for i in lanes(n) { if i == 0 { z.store(n - 1, y.load(n - 1)); } }";
    assert_eq!(barriers(one), [3]);
}

#[test]
fn variables_that_change_keep_nothing_apart() {
    let changing = "
        let mut shift = 0;
        if row > 2 { shift = 1; }
        for i in lanes(n) { z.store(i, x.load(i + shift)); }";
    assert_eq!(barriers(changing), []);
    let moved = changing.replace("z.store(i, x.load(i + shift))", "z.store(i + shift, x.load(i))");
    refused(&row_kernel(&moved), "outside the group's own row");
}

fn in_place(body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(a = [rows @ sa, n], b = [rows @ sb, n]), alias(b = a))]
        fn kernel(a: &[f32], b: &mut [f32], rows: i64, n: i64, sa: i64, sb: i64) {{
            for row in groups(rows) {{
                let x = a.row(row * sa);
                let mut y = b.row_mut(row * sb);
                {body}
            }}
        }}"
    )
}

#[test]
fn in_place_a_load_comes_before_the_store() {
    accepted(&in_place("for i in lanes(n) { y.store(i, x.load(i) * 2.0); }"));
    refused(
        &in_place("for i in lanes(n) { y.store(i, 0.0); } for i in lanes(n) { y.store(i, x.load(i)); }"),
        "stored to before this load",
    );
    refused(
        &in_place("for i in lanes(n) { y.store(i, x.load(n - 1 - i)); }"),
        "may be the same buffer",
    );
    refused(
        &in_place("for s in 0..2 { for i in lanes(n) { y.store(i, x.load(i) * 2.0); } }"),
        "stored to before this load",
    );
}

#[test]
fn in_place_a_round_may_load_what_no_other_stores() {
    let kernel = |index: &str| {
        format!(
            "#[sycl_kernel(shapes(a = [rows, heads, n], b = [rows, heads, n]), alias(b = a))]
            fn kernel(a: &[f32], b: &mut [f32], rows: i64, heads: i64, n: i64) {{
                for row in groups(rows) {{
                    let x = a.row(row * (heads * n));
                    let mut y = b.row_mut(row * (heads * n));
                    for h in 0..heads {{
                        for i in lanes(n) {{ y.store(h * n + i, x.load({index}) * 2.0); }}
                    }}
                }}
            }}"
        )
    };
    accepted(&kernel("h * n + i"));
    refused(&kernel("i"), "stored to before this load");
}

#[test]
fn in_place_a_lanes_own_block_is_loaded_before_it_is_stored() {
    let kernel = |load: &str| {
        format!(
            "#[sycl_kernel(shapes(a = [n, 4], b = [n, 4]), alias(b = a))]
            fn kernel(a: &[f32], b: &mut [f32], n: i64) {{
                for i in elements(n) {{
                    for s in 0..4 {{ b.store(4 * i + s, a.load({load})); }}
                }}
            }}"
        )
    };
    accepted(&kernel("4 * i + s"));
    refused(&kernel("4 * i"), "an earlier round of this loop stores to");
}

#[test]
fn what_is_found_in_data_is_another_number_in_each_round() {
    let kernel = |before: &str, inside: &str, index: &str| {
        format!(
            "{before}
            for s in 0..2 {{
                {inside}
                if u >= 0 && u < 4 {{
                    for i in lanes(n) {{ if {index} < n {{ y.store({index}, 1.0); }} }}
                }}
            }}"
        )
    };
    let (first, each) = ("let u = x.load(0) as i64;", "let u = x.load(s) as i64;");
    assert_eq!(barriers(&kernel(first, "", "4 * i + u")), []);
    assert_eq!(barriers(&kernel(first, "", "4 * i + 4 * s + u")), [4]);
    assert_eq!(barriers(&kernel("", each, "4 * i + 4 * s + u")), [4]);
}

#[test]
fn one_access_under_two_conditions_happens_under_either() {
    let stored = |second: &str| {
        format!(
            "if row < 3 && n > 0 {{ y.store(0, 1.0); }}
            if {second} && n > 0 {{ y.store(0, 2.0); }}
            if row >= 3 {{ for i in lanes(n) {{ z.store(i, y.load(0)); }} }}"
        )
    };
    assert_eq!(barriers(&stored("row < 2")), []);
    assert_eq!(barriers(&stored("row >= 3")), [2]);
}

#[test]
fn an_access_stands_for_those_of_its_own_kind_and_place() {
    let updated = "for i in lanes(n) { y.store(i, y.load(i) + 1.0); }
        for i in lanes(n) { z.store(i, y.load(n - 1 - i)); }";
    assert_eq!(barriers(updated), [1]);
    let halves = "for i in lanes(n / 2) { y.store(2 * i, 1.0); y.store(2 * i + 1, 2.0); }
        if n > 1 { z.store(0, y.load(1)); }";
    assert_eq!(barriers(halves), [1]);
}

#[test]
fn in_place_a_number_is_the_same_until_it_is_stored() {
    let kernel = |before: &str, after: &str| {
        format!(
            "#[sycl_kernel(shapes(a = [rows, n], b = [rows, n], c = [rows, n + 1]), alias(b = a))]
            fn kernel(a: &[i64], b: &mut [i64], c: &mut [f32], rows: i64, n: i64) {{
                for row in groups(rows) {{
                    let x = a.row(row * n);
                    let mut y = b.row_mut(row * n);
                    let mut z = c.row_mut(row * (n + 1));
                    for i in lanes(n) {{
                        let once = x.load(i);
                        {before}
                        let j = x.load(i) - once;
                        if j >= 0 && j <= 1 {{ z.store(i + j, 1.0); }}
                        {after}
                    }}
                }}
            }}"
        )
    };
    accepted(&kernel("", "y.store(i, 1);"));
    refused(&kernel("y.store(i, 1);", ""), "stored to before this load");
    let written = kernel("y.store(i, 1);", "").replace("x.load", "y.load");
    refused(&written, "two lanes may store");
}

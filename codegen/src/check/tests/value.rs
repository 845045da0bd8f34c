//! Values that are not what they seem: nothing is concluded from what may differ.

use super::{accepted, barriers, refused, row_kernel};

/// Rows of `y` with one element more than lanes, and integers `t` that are only read.
fn shifted(body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(a = [rows, n], b = [rows, n + 1], t = [rows, n]))]
        fn kernel(a: &[f32], b: &mut [f32], t: &[i64], rows: i64, n: i64, p: i64, k: i32, u: u32, flag: bool) {{
            for row in groups(rows) {{
                let x = a.row(row * n);
                let s = t.row(row * n);
                let mut y = b.row_mut(row * (n + 1));
                {body}
            }}
        }}"
    )
}

/// A store that a shift of 0 or 1 moves, where the shift may differ from lane to lane.
#[track_caller]
fn differs(shift: &str) {
    let body = format!("for i in lanes(n) {{ {shift} if j >= 0 && j <= 1 {{ y.store(i + j, 1.0); }} }}");
    refused(&shifted(&body), "two lanes may store");
}

/// The same where it may not.
#[track_caller]
fn is_uniform(shift: &str) {
    let body = format!("for i in lanes(n) {{ {shift} if j >= 0 && j <= 1 {{ y.store(i + j, 1.0); }} }}");
    accepted(&shifted(&body));
}

#[test]
fn a_float_does_not_cancel() {
    for shift in [
        "let v = x.load(i); let d = v - v; let j = d.is_nan() as i64;",
        "let v = x.load(i); let j = (v - v) as i64;",
        "let v = x.load(i); let j = (1.0 + v - v) as i64;",
        "let v = x.load(i); let j = (v * 0.0) as i64;",
        "let v = x.load(i); let j = (v != v) as i64;",
        "let v = x.load(i); let j = if v == v { 1 } else { 0 };",
        "let v = x.load(i); let w = -v; let j = (v + w) as i32 as i64;",
        "let v = x.load(i); let same = v <= v; let j = same as i64;",
        "let v = i as f32; let j = (v - v + 0.5) as i64;",
    ] {
        differs(shift);
    }
    is_uniform("let v = x.load(0); let j = (v - v) as i64;");
    is_uniform("let v = p as f32; let j = v.is_nan() as i64;");
}

#[test]
fn a_branch_on_floats_is_not_decided() {
    let kernel = |cond: &str| {
        shifted(&format!(
            "for i in lanes(n) {{ let v = x.load(i); if {cond} {{ y.store(0, v); }} }}"
        ))
    };
    for cond in ["v != v", "v - v > 0.0", "v < v", "!(v == v)", "v * 0.0 > 0.0"] {
        refused(&kernel(cond), "every lane stores");
    }
}

#[test]
fn a_choice_belongs_to_what_its_condition_depends_on() {
    for shift in [
        "let r = if i == 3 { t.row(0) } else { t.row(1) }; let j = r.load(0);",
        "let on = i > 3; let r = if on { t.row(0) } else { t.row(1) }; let j = r.load(p);",
        "let r = if x.load(i) > 0.0 { t.row(0) } else { t.row(1) }; let j = r.load(0);",
        "let r = if flag { t.row(0) } else { if i < p { t.row(1) } else { t.row(2) } }; let j = r.load(0);",
        "let j = if i > 3 { 1 } else { 0 };",
        "let j = (i > 3) as i64;",
        "let j = (i > 3 && flag) as i64;",
        "let j = match i { 3 => 1, _ => 0 };",
        "let j; if i > 3 { j = 1; } else { j = 0; }",
        "let mut j = 0; if flag { if s.load(i) > 0 { j = 1; } }",
        "let mut j = 0; for k in 0..i { j = 1; }",
        "let mut j = 0; for k in 0..2 { if i == k { j = 1; } }",
        "let (c, d) = (i, 1); let j = if c > p { d } else { 0 };",
    ] {
        differs(shift);
    }
    for shift in [
        "let r = if row == 3 { t.row(0) } else { t.row(1) }; let j = r.load(0);",
        "let j = if flag { 1 } else { 0 };",
        "let j = match p { 3 => 1, _ => 0 };",
        "let j = if i > 3 { p } else { p };",
    ] {
        is_uniform(shift);
    }
}

#[test]
fn a_row_chosen_in_a_loop_is_another_one_in_each_round() {
    let kernel = |cond: &str| {
        format!(
            "
            for s in 0..2 {{
                let v = if {cond} {{ x.load(0) }} else {{ x.load(1) }};
                for i in lanes(n) {{ y.store(i, y.load(i) + v); }}
            }}
            for s in 0..2 {{
                let t = if {cond} {{ a.row(0) }} else {{ a.row(1) }};
                for i in lanes(n) {{ y.store(i, y.load(i) * t.load(0)); }}
            }}"
        )
    };
    assert_eq!(barriers(&kernel("s == 0")), [], "rows of floats move no element");
    let chosen = |cond: &str| {
        format!(
            "#[sycl_kernel(shapes(a = [1], b = [1], c = [rows, 2 * n]))]
            fn kernel(a: &[i64], b: &[i64], c: &mut [f32], rows: i64, n: i64) {{
                for row in groups(rows) {{
                    let mut y = c.row_mut(row * (2 * n));
                    for s in 0..2 {{
                        let t = if {cond} {{ a.row(0) }} else {{ b.row(0) }};
                        let d = t.load(0);
                        if d >= 0 && d <= n {{
                            for i in lanes(n) {{ y.store(i + d, y.load(i + d) * 2.0); }}
                        }}
                    }}
                }}
            }}"
        )
    };
    let count = |cond: &str| super::checked(&chosen(cond)).expect("it is right").1.len();
    assert_eq!(count("s == 0"), 1);
    assert_eq!(count("row == 0"), 0);
}

#[test]
fn text_that_is_equal_is_not_one_value_if_types_wrap() {
    // What does not fit is another number, so that these differ from lane to lane.
    for shift in [
        "let c = i as u8 as i64; let j = i - c;",
        "let c = i as i32 as i64; let j = (i - c) / 4294967296;",
        "let c = (i as u32 + 1) as i64; let j = c - i;",
        "let c = (i as i32 * 2) as i64; let j = c - 2 * i;",
        "let c = i.wrapping_mul(2); let j = 2 * i - c;",
        "let c = -(i as i32); let j = i + c as i64;",
        "let c = (i as u32).wrapping_sub(1) as i64; let j = i - 1 - c;",
        "let c = i << 1; let j = c - 2 * i;",
        "let c = (i as u64 as i64); let j = c - i;",
        "let c = (i - 4) / 2; let j = i - 4 - 2 * c;",
        "let c = (i - 4) % 2; let j = c;",
        "let c = i / p; let j = i - c * p;",
        "let c = i.saturating_sub(1); let j = i - c;",
        "let c = i & 1; let j = c;",
        "let c = i.min(4); let j = i - c;",
    ] {
        differs(shift);
    }
    for shift in [
        "let c = i as i64; let j = i - c + p;",
        "let c = k as i64; let j = c - k as i64;",
        "let c = (u as u8) as i64; let j = c;",
        "let c = (k / 2 * 2) as i64; let j = c;",
        "let c = (p - 4) % 2; let j = c;",
        "let c = 2 * i / 2; let j = i - c;",
    ] {
        is_uniform(shift);
    }
    // Of two widths of one number one may be inside, the other not.
    refused(
        &shifted("let c = p as u8 as i64; let d = p as u16 as i64; if d <= n { y.store(c, 1.0); y.store(d, 1.0); }")
            .replace("d <= n", "c <= n"),
        "outside the group's own row",
    );
    refused(
        &shifted("for i in lanes(n) { if p >= 0 && p <= n { y.store(p as i32 as i64, 1.0); } }"),
        "every lane stores",
    );
    refused(
        &shifted("if p >= 0 && p <= n { y.store(p as i32 as i64, 1.0); }"),
        "outside the group's own row",
    );
    accepted(&shifted("if p >= 0 && p <= n { y.store(p, 1.0); }"));
}

#[test]
fn a_guard_may_have_a_name() {
    accepted(&shifted(
        "let fits = p >= 0 && p <= n; if fits { y.store(p, 1.0); }",
    ));
    accepted(&shifted("let off = p < 0 || p > n; if !off { y.store(p, 1.0); }"));
    refused(
        &shifted("let fits = p >= 0 || p <= n; if fits { y.store(p, 1.0); }"),
        "outside the group's own row",
    );
    refused(
        &shifted("let mut fits = p >= 0 && p <= n; if flag { fits = true; } if fits { y.store(p, 1.0); }"),
        "outside the group's own row",
    );
}

#[test]
fn a_value_of_values_is_looked_into_only_so_far() {
    let grown: String = (0..40)
        .map(|at| {
            format!(
                "let v{} = v{at} * v{at} + u{at}; let u{} = v{}.min(u{at});",
                at + 1,
                at + 1,
                at + 1
            )
        })
        .collect();
    refused(
        &row_kernel(&format!(
            "for i in lanes(n) {{ let v0 = i; let u0 = i + 1; {grown} y.store(i + v40, 1.0); }}"
        )),
        "two lanes may store",
    );
}

#[test]
fn what_is_loaded_again_may_have_been_stored() {
    let kernel = |store: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, n + 1], t = [rows, n]))]
            fn kernel(b: &mut [f32], t: &mut [i64], rows: i64, n: i64) {{
                for row in groups(rows) {{
                    let mut y = b.row_mut(row * (n + 1));
                    let mut s = t.row_mut(row * n);
                    for i in lanes(n) {{
                        let once = s.load(i);
                        {store}
                        let j = s.load(i) - once;
                        if j >= 0 && j <= 1 {{ y.store(i + j, 1.0); }}
                    }}
                }}
            }}"
        )
    };
    refused(&kernel("s.store(i, 1);"), "two lanes may store");
    let read = kernel("")
        .replace("t: &mut", "t: &")
        .replace("let mut s = t.row_mut", "let s = t.row");
    accepted(&read);
}

#[test]
fn a_number_is_at_least_0_by_what_it_is_made_of() {
    let store = |index: &str, element: &str| {
        shifted(&format!(
            "let c = {index}; if {element} <= n {{ y.store({element}, 1.0); }}"
        ))
    };
    for (right, wrong, element) in [
        ("u as i64 + 1", "(u + 1) as i64", "c - 1"),
        ("2 * (u as i64)", "(2 * k) as i64", "c"),
        ("n % 4", "p % 4", "c"),
        ("n >> 1", "p >> 1", "c"),
        ("n.min(rows)", "n.min(p)", "c"),
        ("n.max(p)", "p.max(-1)", "c"),
        ("if flag { n } else { 3 }", "if flag { n } else { p }", "c"),
    ] {
        accepted(&store(right, element));
        refused(&store(wrong, element), "outside the group's own row");
    }
}

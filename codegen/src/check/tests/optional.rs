//! Buffers that may be null.

use super::{accepted, refused};

fn kernel(choices: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(a = [rows, n], c = [n], b = [rows, n]), {choices})]
        fn kernel<const ON: bool>(a: &[f32], c: &[f32], b: &mut [f32], rows: i64, n: i64, kind: i64) {{
            for row in groups(rows) {{
                let x = a.row(row * n);
                let z = c.row(0);
                let mut y = b.row_mut(row * n);
                for i in lanes(n) {{ {body} }}
            }}
        }}"
    )
}

#[test]
fn what_is_under_its_own_condition_is_loaded() {
    for body in [
        "y.store(i, if c.is_empty() { 0.0 } else { c.load(i) });",
        "y.store(i, if !c.is_empty() { z.load(i) } else { x.load(i) });",
        "if !c.is_empty() { y.store(i, z.load(i)); }",
        "if ON && !c.is_empty() { y.store(i, z.load(i)); }",
        "if !c.is_empty() && z.load(i) > 1.0 { y.store(i, 2.0); }",
        "if c.is_empty() || z.load(i) > 1.0 { y.store(i, 2.0); }",
        "if c.is_empty() { y.store(i, 1.0); } else if ON { y.store(i, z.load(i)); }",
        "match c.is_empty() { true => {} false => y.store(i, z.load(i)) }",
        "let given = !c.is_empty(); if given { y.store(i, z.load(i)); }",
        "if !(c.is_empty() || kind > 3) { for s in 0..3 { y.store(i, z.load(i)); } }",
    ] {
        accepted(&kernel("optional(c)", body));
    }
}

#[test]
fn what_may_be_null_is_not() {
    for body in [
        "y.store(i, z.load(i));",
        "y.store(i, c.load(i));",
        "y.store(i, if c.is_empty() { c.load(i) } else { 1.0 });",
        "y.store(i, if !c.is_empty() { 1.0 } else { c.load(i) });",
        "if ON || !c.is_empty() { y.store(i, z.load(i)); }",
        "if !c.is_empty() || z.load(i) > 1.0 { y.store(i, 2.0); }",
        "if c.is_empty() && z.load(i) > 1.0 { y.store(i, 2.0); }",
        "if z.load(i) > 1.0 && !c.is_empty() { y.store(i, 2.0); }",
        "if !c.is_empty() {} y.store(i, z.load(i));",
        "let mut given = !c.is_empty(); if kind == 0 { given = true; } if given { y.store(i, z.load(i)); }",
        "for s in 0..3 { y.store(i, z.load(i)); }",
        "match kind { 0 => y.store(i, z.load(i)), _ => {} }",
    ] {
        refused(&kernel("optional(c)", body), "`c` may be null here");
    }
}

#[test]
fn listed_values_and_flags_decide_what_is_reached() {
    let body = "if kind > 2 { if ON { if !ON { y.store(i, z.load(i)); } } }";
    accepted(&kernel("optional(c)", body));
    let body = "if kind > 2 { y.store(i, z.load(i)); }";
    accepted(&kernel("optional(c), specialize(kind in [1, 2])", body));
    refused(
        &kernel("optional(c), specialize(kind in [2, 3])", body),
        "`c` may be null here",
    );
}

#[test]
fn row_offsets_and_the_group_are_looked_at() {
    let source = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(t = [rows], a = [rows, n], b = [rows]), optional(t))]
            fn kernel(t: &[i64], a: &[f32], b: &mut [f32], rows: i64, n: i64) {{
                for row in groups(rows) {{ {body} b.store(row, a.load(0)); }}
            }}"
        )
    };
    refused(
        &source("let x = a.row(t.load(row)); for i in lanes(n) { if x.load(i) > 0.0 {} }"),
        "`t` may be null here",
    );
    accepted(&source(
        "let at = if t.is_empty() { row } else { t.load(row) }; let x = a.row(at); for i in lanes(n) { if x.load(i) > 0.0 {} }",
    ));
}

//! Rows that a condition chooses, rows addressed through data, and what conditions say of indices.

use super::{accepted, refused};
use crate::check::indices;

/// Heads of `q` and `k` in one grid, each normalised in its own buffer.
fn heads(start: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(q = [rows, m, n], k = [rows, l, n], w = [n]))]
        fn kernel(q: &mut [f32], k: &mut [f32], w: &[f32], rows: i64, m: i64, l: i64, n: i64) {{
            let heads = m + l;
            for (r, h) in groups((rows, heads)) {{
                {start}
                {body}
            }}
        }}"
    )
}

const CHOSEN: &str =
    "let mut x = if h < m { q.row_mut((r * m + h) * n) } else { k.row_mut((r * l + (h - m)) * n) };";
const DOUBLED: &str = "for i in lanes(n) { x.store(i, 2.0 * x.load(i)); }";

#[test]
fn each_branch_keeps_to_its_own_heads() {
    accepted(&heads(CHOSEN, DOUBLED));
    let reversed =
        "let mut x = if h >= m { k.row_mut((r * l + (h - m)) * n) } else { q.row_mut((r * m + h) * n) };";
    accepted(&heads(reversed, DOUBLED));
    let tuple = "let (mut x, y) = if !(h >= m) { (q.row_mut((r * m + h) * n), w.row(0)) } else { (k.row_mut((r * l + h - m) * n), w.row(0)) };";
    accepted(&heads(
        tuple,
        "for i in lanes(n) { x.store(i, y.load(i) * x.load(i)); }",
    ));
}

#[test]
fn a_branch_that_leaves_its_heads_is_refused() {
    for start in [
        // Heads of k that begin where those of q end.
        "let mut x = if h < m { q.row_mut((r * m + h) * n) } else { k.row_mut((r * l + h) * n) };",
        // One head too many, or too few.
        "let mut x = if h <= m { q.row_mut((r * m + h) * n) } else { k.row_mut((r * l + (h - m)) * n) };",
        "let mut x = if h < l { q.row_mut((r * m + h) * n) } else { k.row_mut((r * l + (h - l)) * n) };",
        // All heads in both.
        "let mut x = if r < 1 { q.row_mut((r * m + h) * n) } else { k.row_mut((r * l + h) * n) };",
    ] {
        refused(&heads(start, DOUBLED), "`shapes(..)`");
    }
}

#[test]
fn one_group_has_one_row_of_a_buffer() {
    // The last heads of `k` once as they are counted from `m`, once from 0.
    let store = |at: &str| format!("for i in lanes(n) {{ k.store((r * l + {at}) * n + i, 1.0); }}");
    let twice = format!(
        "if h >= m {{ {} }} if h < l {{ {} }}",
        store("(h - m)"),
        store("h")
    );
    refused(&heads("", &twice), "another row of `k`");
    let once = format!("if h >= m {{ {} {} }}", store("(h - m)"), store("h - m"));
    accepted(&heads("", &once));
}

#[test]
fn an_element_under_a_condition_may_not_be_there() {
    refused(&heads(CHOSEN, "x.store(0, 1.0);"), "outside the group's own row");
    accepted(&heads(CHOSEN, "if n > 0 { x.store(0, 1.0); }"));
    let kernel = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, n]))]
            fn kernel(b: &mut [f32], rows: i64, n: i64, m: i64) {{
                for r in groups(rows) {{ {body} }}
            }}"
        )
    };
    accepted(&kernel("b.store(r * n, 1.0);"));
    accepted(&kernel("for s in 0..3 { b.store(r * n, s as f32); }"));
    for body in [
        "if m > 0 { b.store(r * n, 1.0); }",
        "for s in 0..m { b.store(r * n, s as f32); }",
    ] {
        refused(&kernel(body), "outside the group's own row");
        let listed = kernel(body).replace("[rows, n])", "[rows, n]), specialize(m in [1, 2])");
        refused(&listed, "outside the group's own row");
    }
    let chosen = "let mut x = if m == 1 { b.row_mut(r * n) } else { c.row_mut(r * n) }; x.store(0, 1.0);";
    let both = kernel(chosen).replace("[rows, n])", "[rows, n], c = [rows, n]), specialize(m in [1])");
    refused(
        &both.replace("b: &mut", "c: &mut [f32], b: &mut"),
        "outside the group's own row",
    );
}

#[test]
fn what_one_branch_chose_is_not_accessed_in_the_other() {
    let body =
        "if h < m { for i in lanes(n) { x.store(i, 1.0); } } else { for i in lanes(n) { x.store(i, 2.0); } }";
    accepted(&heads(CHOSEN, body));
}

#[test]
fn an_assertion_says_what_fits() {
    let kernel = |host: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [rows, n]))]
            fn kernel(b: &mut [f32], rows: i64, n: i64, d: i64) {{
                {host}
                for r in groups(rows) {{
                    let mut y = b.row_mut(r * n);
                    for i in lanes(d) {{ y.store(i, 1.0); }}
                    for i in lanes(n - d) {{ y.store(d + i, 2.0); }}
                }}
            }}"
        )
    };
    refused(&kernel(""), "outside the group's own row");
    refused(&kernel("assert!(d <= n + 1);"), "outside the group's own row");
    for host in [
        "assert!(d <= n);",
        "assert!(n >= d, \"the part is larger than the whole\");",
        "assert!(rows > 3 && !(d > n));",
        "let limit = n; assert!(d < limit + 1);",
    ] {
        accepted(&kernel(host));
    }
}

#[test]
fn assertions_stand_before_the_grid() {
    let kernel = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [n]))]
            fn kernel(b: &mut [f32], n: i64) {{ for i in elements(n) {{ {body} b.store(i, 1.0); }} }}"
        )
    };
    refused(&kernel("assert!(i < n);"), "a device cannot stop a launch");
    refused(&kernel("assert_eq!(i, n);"), "kernels call no macros");
    let formatted = "#[sycl_kernel(shapes(b = [n]))]
        fn kernel(b: &mut [f32], n: i64) { assert!(n > 1, \"n is {}\", n); for i in elements(n) { b.store(i, 1.0); } }";
    refused(formatted, "with a plain text");
}

/// Stores to rows of `b` that `t` addresses.
fn scatter(attribute: &str, body: &str) -> String {
    format!(
        "#[sycl_kernel(shapes(b = [slots, heads, n], t = [rows]), {attribute})]
        fn kernel(b: &mut [f32], t: &[i32], rows: i64, heads: i64, slots: i64, n: i64) {{
            for (r, h) in groups((rows, heads)) {{
                let slot = t.load(r);
                let mut y = b.row_mut((slot * heads + h) * n);
                {body}
            }}
        }}"
    )
}

#[test]
fn rows_are_addressed_through_data_where_they_are_guarded() {
    let stored = "for i in lanes(n) { y.store(i, 1.0); }";
    accepted(&scatter(
        "scatter(b by t)",
        &format!("if slot >= 0 && slot < slots {{ {stored} }}"),
    ));
    let (inside, outside) = ("slot >= 0 && slot < slots", "slot < 0 || slot >= slots");
    accepted(&scatter(
        "scatter(b by t)",
        &format!("if {outside} {{}} else {{ {stored} }}"),
    ));
    for (attribute, body, because) in [
        ("scatter(b by t)", stored.to_owned(), "may have a negative index"),
        (
            "scatter(b by t)",
            format!("if slot >= 0 {{ {stored} }}"),
            "may lie behind the last one",
        ),
        (
            "scatter(b by t)",
            format!("if slot >= 0 && slot <= slots {{ {stored} }}"),
            "may lie behind the last one",
        ),
        (
            "scatter(b by t)",
            format!("if slot < slots {{ {stored} }}"),
            "may have a negative index",
        ),
        (
            "scatter(b by t)",
            format!("if {inside} {{ for i in lanes(n + 1) {{ y.store(i, 1.0); }} }}"),
            "outside the group's own row",
        ),
        (
            "scatter(b by t)",
            format!("if {inside} {{ b.store(h * n, 1.0); }}"),
            "addressed by `scatter(..)`",
        ),
        (
            "alias()",
            format!("if {inside} {{ {stored} }}"),
            "does not keep groups apart",
        ),
    ] {
        refused(&scatter(attribute, &body), because);
    }
}

#[test]
fn every_group_addresses_by_an_index_of_its_own() {
    let kernel = |index: &str| {
        format!(
            "#[sycl_kernel(shapes(b = [slots, n], t = [rows]), scatter(b by t))]
            fn kernel(b: &mut [f32], t: &[i32], rows: i64, slots: i64, n: i64) {{
                for r in groups(rows) {{
                    let slot = t.load({index});
                    if slot >= 0 && slot < slots {{ for i in lanes(n) {{ b.store(slot * n + i, 1.0); }} }}
                }}
            }}"
        )
    };
    accepted(&kernel("r"));
    accepted(&kernel("rows - 1 - r"));
    for shared in ["0", "r / 2", "r % 2", "r - r"] {
        refused(&kernel(shared), "addressed by `scatter(..)`");
    }
}

#[test]
fn launchers_return_early_for_what_every_group_accesses() {
    let kernel = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(t = [m], a = [rows], b = [rows]))]
            fn kernel(t: &[i64], a: &mut [f32], b: &mut [f32], rows: i64, m: i64, p: i64) {{
                for r in groups(rows) {{ {body} }}
            }}"
        )
    };
    let accessed = |body: &str| {
        let (kernel, _) = super::checked(&kernel(body)).expect("the kernel is right");
        let ids = crate::check::certainly_accessed(&kernel);
        ids.into_iter()
            .map(|id| kernel.params[id].name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(accessed("a.store(r, t.load(0) as f32);"), ["t", "a"]);
    assert_eq!(
        accessed("let v = if m > 0 { t.load(0) } else { 1 }; a.store(r, v as f32);"),
        ["a"]
    );
    assert_eq!(
        accessed("if m > 3 && t.load(0) > 0 { a.store(r, 1.0); }"),
        Vec::<String>::new()
    );
    assert_eq!(
        accessed("if t.load(0) > 0 || m > t.load(1) { a.store(r, 1.0); }"),
        ["t"]
    );
    assert_eq!(
        accessed("for s in 0..m { b.store(r, s as f32); } for s in 0..2 { a.store(r, s as f32); }"),
        ["a"]
    );
    assert_eq!(
        accessed("for s in 0..p + 1 { b.store(r, t.load(0) as f32); } a.store(r, 1.0);"),
        ["a"],
        "`p` may be negative"
    );
    let chosen = "let x = if m > 0 { t.row(t.load(0)) } else { t.row(0) }; a.store(r, x.load(0) as f32);";
    assert_eq!(accessed(chosen), ["a"]);
}

#[test]
fn element_types_that_go_together_are_combined() {
    let source = "#[sycl_kernel(
            types((T, W) = [(f32, f32), (f16, f32)], I = [i32, i64]),
            symbol = \"k_{T}_{W}_{I}\", shapes(x = [n], w = [n], i = [n], y = [n]),
        )]
        fn kernel<T: Float, W: Float, I: Index>(x: &[T], w: &[W], i: &[I], y: &mut [T], n: i64) {
            for e in elements(n) { y.store(e, x.load(e) * w.load(e) + i.load(e) as f32); }
        }";
    let (kernel, _) = super::checked(source).expect("the kernel is right");
    let combinations: Vec<String> = kernel
        .combinations()
        .iter()
        .map(|dtypes| dtypes.iter().map(|d| d.tag()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        combinations,
        ["fp32 fp32 i32", "fp32 fp32 i64", "fp16 fp32 i32", "fp16 fp32 i64"]
    );
    let header = crate::header(&kernel);
    assert!(
        header.contains("#if defined(OXYSYCL_KERNEL_T_DTYPE_fp32) && defined(OXYSYCL_KERNEL_W_DTYPE_fp32)")
    );
    let refused = crate::Instance::new(
        &kernel,
        &[crate::ir::DType::F16, crate::ir::DType::F32, crate::ir::DType::I8],
        &[],
    );
    assert!(refused.is_err());
}

#[test]
fn buffers_of_indices_are_found() {
    let kernel = |body: &str| {
        format!(
            "#[sycl_kernel(shapes(table = [m, n], t = [rows], b = [rows, n]))]
            fn kernel(table: &[f32], t: &[i64], b: &mut [f32], rows: i64, m: i64, n: i64) {{
                for r in groups(rows) {{ let at = t.load(r); {body} }}
            }}"
        )
    };
    let found = |body: &str| {
        let (kernel, _) = super::checked(&kernel(body)).expect("the kernel is right");
        let found = indices(&kernel);
        found
            .iter()
            .map(|i| (i.buffer, i.guarded, i.distinct))
            .collect::<Vec<_>>()
    };
    let gather = "for i in lanes(n) { b.store(r * n + i, table.load(at * n + i)); }";
    assert_eq!(found(gather), [(1, false, false)]);
    assert_eq!(
        found(&format!("if at >= 0 && at < m {{ {gather} }}")),
        [(1, true, false)]
    );
    assert_eq!(found(&format!("if at < m {{ {gather} }}")), [(1, false, false)]);
    assert_eq!(found("for i in lanes(n) { b.store(r * n + i, at as f32); }"), []);
}

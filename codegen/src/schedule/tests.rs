//! What is accessed in vectors, and what has to be aligned for that.

use super::{Divisible, Vectors, schedule};
use crate::source::{FunctionSource, KernelSource};

/// The vectors of a kernel `x.row(..)` and `y.row_mut(..)` over parameters `a`, `b` and `c`.
fn vectors(rows: &str, body: &str) -> Vectors {
    let text = format!(
        "fn kernel<const N: i64>(x: &[f32], y: &mut [f32], rows: i64, a: i64, b: i64) {{
            for row in groups(rows) {{ {rows} for i in lanes(N) {{ {body} }} }}
        }}"
    );
    let source = KernelSource {
        attribute: "symbol = \"k_{N}\", shapes(x = [rows, 4 * N], y = [rows @ b, N])",
        item: FunctionSource {
            text: text.leak(),
            calls: &[],
            constants: &[],
        },
        lines: 1,
    };
    schedule(&crate::kernel(&source).expect("the kernel is accepted")).vectors
}

const ROWS: &str = "let p = x.row(row * a); let mut q = y.row_mut(row * b);";

#[test]
fn neighbouring_lanes_share_a_vector() {
    let found = vectors(ROWS, "q.store(i, p.load(i) + p.load(i + N));");
    assert_eq!(found.loops.values().map(Vec::len).sum::<usize>(), 3);
    assert_eq!(found.bases, [0, 1]);
    assert_eq!(
        found.divisible,
        [Divisible::Param(3), Divisible::Const(0), Divisible::Param(4)]
    );
}

#[test]
fn what_cannot_be_aligned_is_accessed_one_by_one() {
    let plain = |found: Vectors| !found.bases.contains(&0);
    assert!(plain(vectors(ROWS, "q.store(i, p.load(i + 1));")));
    assert!(plain(vectors(ROWS, "q.store(i, p.load(2 * i));")));
    let shifted = "let p = x.row(row * a + 1); let mut q = y.row_mut(row * b);";
    assert!(plain(vectors(shifted, "q.store(i, p.load(i));")));
    let changed = "let mut s = row * a; s += 1; let p = x.row(s); let mut q = y.row_mut(row * b);";
    assert!(plain(vectors(changed, "q.store(i, p.load(i));")));
}

#[test]
fn offsets_are_seen_through_their_names() {
    let named = "let start = row * a; let p = x.row(start); let mut q = y.row_mut(row * b);";
    let found = vectors(named, "q.store(i, p.load(i));");
    assert_eq!(found.divisible, [Divisible::Param(3), Divisible::Param(4)]);
}

#[test]
fn what_only_some_lanes_access_is_accessed_one_by_one() {
    let found = vectors(ROWS, "if i % 2 == 0 { q.store(i, p.load(i)); }");
    assert!(found.is_empty());
}

#[test]
fn a_buffer_that_is_stored_is_wholly_in_vectors_or_not_at_all() {
    let found = vectors(ROWS, "q.store(i, p.load(i)); if i > 3 { q.store(i, 0.0); }");
    assert_eq!(found.bases, [0, 1]);
    let found = vectors(
        ROWS,
        "let old = q.load(i); if p.load(i) > 3.0 { q.store(i, old + 1.0); }",
    );
    assert_eq!(found.bases, [0]);
}

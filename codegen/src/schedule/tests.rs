//! What is accessed in vectors, and what has to be aligned for that.

use super::vector::Divisible;
use super::{Plan, Vector, Vectors, schedule};
use crate::source::{FunctionSource, KernelSource};

/// The vectors of a kernel `x.row(..)` and `y.row_mut(..)` over parameters `a` and `b`.
fn vectors(rows: &str, body: &str) -> Vectors {
    let text = format!(
        "fn kernel<const N: i64, const PAIRS: bool>(x: &[f32], y: &mut [f32], rows: i64, a: i64, b: i64) {{
            for row in groups(rows) {{ {rows} for i in lanes(N) {{ {body} }} }}
        }}"
    );
    let source = KernelSource {
        attribute: "symbol = \"k_{N}_{PAIRS}\", shapes(x = [rows, 4 * N], y = [rows @ b, 4 * N])",
        item: FunctionSource {
            text: text.leak(),
            calls: &[],
            constants: &[],
        },
        lines: 1,
    };
    schedule(&crate::kernel(&source).expect("the kernel is accepted")).vectors
}

/// Place by place: how many elements a lane has in each register of the only loop.
fn steps(found: &Vectors) -> Vec<u8> {
    registers(found).iter().map(|v| v.step).collect()
}

fn registers(found: &Vectors) -> Vec<Vector> {
    found
        .loops
        .values()
        .flat_map(Plan::loops)
        .flat_map(|l| l.registers.clone())
        .collect()
}

const ROWS: &str = "let p = x.row(row * a); let mut q = y.row_mut(row * b);";

#[test]
fn neighbouring_lanes_share_a_vector() {
    let found = vectors(ROWS, "q.store(i, p.load(i) + p.load(i + N));");
    assert_eq!(steps(&found), [1, 1, 1]);
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

#[test]
fn neighbours_of_one_lane_share_a_vector() {
    let pairs = "q.store(2 * i, p.load(i * 2 + 1)); q.store(1 + i * 2, p.load(2 * i));";
    let found = vectors(ROWS, pairs);
    assert_eq!(steps(&found), [2, 2]);
    assert!(registers(&found).iter().all(|v| v.loaded != v.stored));
    assert_eq!(found.divisible, [Divisible::Param(3), Divisible::Param(4)]);
    let quads =
        "q.store(i, p.load(4 * i) + p.load(4 * i + 1) + p.load(4 * i + 3) + p.load(2 * (i + 1 + i)));";
    assert_eq!(steps(&vectors(ROWS, quads)), [4, 1]);
    let behind = "q.store(i, p.load(N + 2 * i + 1) + p.load(2 * i + N));";
    let found = vectors(ROWS, behind);
    assert_eq!(steps(&found), [2, 1]);
    assert_eq!(
        found.divisible,
        [Divisible::Param(3), Divisible::Const(0), Divisible::Param(4)]
    );
}

#[test]
fn a_vector_holds_nothing_that_its_lanes_do_not_reach() {
    assert_eq!(steps(&vectors(ROWS, "q.store(i, p.load(2 * i));")), [1]);
    assert_eq!(
        steps(&vectors(ROWS, "q.store(i, p.load(4 * i) + p.load(4 * i + 1));")),
        [1]
    );
    // Neighbours across what a register would begin at.
    assert_eq!(
        steps(&vectors(
            ROWS,
            "q.store(i, p.load(2 * i + 1) + p.load(2 * i + 2));"
        )),
        [1]
    );
    assert_eq!(
        steps(&vectors(
            ROWS,
            "q.store(i, p.load(3 * i) + p.load(3 * i + 1) + p.load(3 * i + 2));"
        )),
        [1]
    );
    let guarded = "let u = p.load(2 * i); if u > 0.0 { q.store(i, p.load(2 * i + 1)); }";
    assert!(vectors(ROWS, guarded).is_empty());
}

#[test]
fn what_is_stored_in_part_is_stored_one_by_one() {
    assert_eq!(steps(&vectors(ROWS, "q.store(2 * i, p.load(i));")), [1]);
    let half = "let (u, v) = (q.load(2 * i), q.load(2 * i + 1)); q.store(2 * i, u + v);";
    assert!(vectors(ROWS, half).is_empty());
    let sometimes = "q.store(2 * i, p.load(i)); if i > 3 { q.store(2 * i + 1, 0.0); }";
    assert_eq!(steps(&vectors(ROWS, sometimes)), [1]);
    let whole = "let u = q.load(2 * i); q.store(2 * i + 1, u); q.store(2 * i, 1.0);";
    let found = registers(&vectors(ROWS, whole));
    assert!(found.len() == 1 && found[0].loaded && found[0].stored);
    // The last store is of one half alone, so that no register may hold the other one.
    let again = "q.store(2 * i + 1, 2.0); q.store(2 * i, 1.0); if i > 3 { q.store(2 * i, q.load(2 * i)); }";
    assert!(vectors(ROWS, again).is_empty());
}

#[test]
fn choices_of_const_parameters_are_made_for_the_whole_loop() {
    let body = "let (a, b) = if PAIRS { (2 * i, 2 * i + 1) } else { (i, i + N + N / 2) };
        let (u, v) = (q.load(a), q.load(b)); q.store(a, v); q.store(b, u + p.load(i));";
    let found = vectors(ROWS, body);
    let [Plan::Choice(1, yes, no)] = found.loops.values().collect::<Vec<_>>()[..] else {
        panic!("`PAIRS` decides: {:?}", found.loops)
    };
    let of = |plan: &Plan| match plan {
        Plan::Loop(vectors) => vectors.clone(),
        Plan::Choice(..) => panic!("nothing else decides"),
    };
    let (yes, no) = (of(yes), of(no));
    assert_eq!(yes.registers.iter().map(|v| v.step).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(no.registers.iter().map(|v| v.step).collect::<Vec<_>>(), [1, 1, 1]);
    assert!(
        yes.body.len() == 4 && no.body.len() == 4,
        "nothing is left of `a` and `b`"
    );
    let [q, p, n, Divisible::Quotient(_)] = &found.divisible[..] else {
        panic!("where the second half begins is aligned: {:?}", found.divisible)
    };
    let known = [&Divisible::Param(4), &Divisible::Param(3), &Divisible::Const(0)];
    assert_eq!([q, p, n], known);
}

/// A kernel with so many flags, each of which says where one of its buffers is loaded.
fn flagged(count: usize) -> KernelSource {
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<Vec<_>>().join(", ");
    let loads: String = (0..count)
        .map(|at| format!(" + x{at}.load(if F{at} {{ i }} else {{ 3 * i }})"))
        .collect();
    let text = format!(
        "fn kernel<{}>(y: &mut [f32], {}, n: i64) {{ for i in elements(n) {{ y.store(i, 1.0{loads}); }} }}",
        each(&|at| format!("const F{at}: bool")),
        each(&|at| format!("x{at}: &[f32]")),
    );
    let attribute = format!("shapes(y = [n], {})", each(&|at| format!("x{at} = [n]")));
    KernelSource {
        attribute: attribute.leak(),
        item: FunctionSource {
            text: text.leak(),
            calls: &[],
            constants: &[],
        },
        lines: 1,
    }
}

#[test]
fn a_loop_is_searched_as_often_as_there_are_choices() {
    let searches = |count: usize| {
        let kernel = crate::kernel(&flagged(count)).expect("the kernel is accepted");
        let (vectors, searches) = super::vector::counted(&kernel);
        let loops: usize = vectors.loops.values().map(|plan| plan.loops().len()).sum();
        assert_eq!(loops, 1 << count.min(4), "the first choices are made");
        searches
    };
    let counts = [2, 4, 8, 12].map(searches);
    assert!(counts[1] <= 81, "{counts:?}");
    for (more, count) in [(8, counts[2]), (12, counts[3])] {
        assert!(count <= counts[1] + 1 + 2 * more, "{counts:?}");
    }
}

#[test]
fn choices_that_move_no_element_leave_one_loop() {
    let body = "let s = if PAIRS { 1.0 } else { 2.0 }; q.store(i, s * p.load(i));";
    let found = vectors(ROWS, body);
    assert!(matches!(found.loops.values().next(), Some(Plan::Loop(_))));
}

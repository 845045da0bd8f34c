//! Loops over lanes, dealt to work-items.

use super::{body, program};

/// The lines of a `lanes` loop.
fn lanes(stmts: &str) -> Vec<String> {
    body(&format!("for i in lanes(width) {{ {stmts} }}"))
}

#[test]
fn a_loop_is_done_in_vectors_and_then_one_by_one() {
    let expected = [
        "let whole: i64 = begin + (((end - begin) / W) * W)",
        "vectors i from begin + lane * W below whole by lanes * W",
        "  vector p_vec: [f32; W] = load p[i..]",
        "  vector q_vec: [f32; W]",
        "  positions v from 0 below W by 1",
        "    let p_i: f32 = p_vec[v]",
        "    q_vec[v] = 2.0 * p_i",
        "  store q_vec to q[i..]",
        "tail i.2 from whole + lane below end by lanes",
        "  q[i.2] = 2.0 * p[i.2]",
    ];
    assert_eq!(lanes("q.store(i, 2.0 * p.load(i));"), expected);
}

#[test]
fn a_loop_without_vectors_is_done_one_by_one() {
    let expected = [
        "work-items i from begin + lane below end by lanes",
        "  y[(row * width) + i] = x[(row * width) + i]",
    ];
    assert_eq!(
        lanes("y.store(row * width + i, x.load(row * width + i));"),
        expected
    );
}

/// What a launcher says of how rows are dealt, for groups that do this.
fn dealing(stmts: &str) -> String {
    let text = program(stmts).to_string();
    let line = text.lines().find(|line| line.starts_with("  (rows), "));
    line.expect("rows are dealt").replace("  (rows), ", "")
}

#[test]
fn rows_are_split_where_no_work_item_needs_another() {
    let split = "short rows together in a work-group, long rows split";
    let apart = "short rows together in a work-group";
    let together = "a row to a work-group";
    let twice = "for i in lanes(width) { q.store(i, 2.0 * p.load(i)); }";
    assert_eq!(dealing(twice), split);
    assert_eq!(dealing(&format!("{twice} {twice}")), split);
    // Parts of one loop are not those of the other.
    let eight = "for i in lanes(8) { z.store(i, 1.0); }";
    assert_eq!(dealing(&format!("{twice} {eight}")), apart);
    // One work-item of the row stores.
    assert_eq!(dealing(&format!("{twice} z.store(0, 1.0);")), apart);
    let sum = "let mut s = 0.0; for i in lanes(width) { s += p.load(i); }";
    assert_eq!(dealing(&format!("{sum} z.store(0, group_sum(s));")), together);
    let scan = "let mut s = 0.0; for i in lanes(width) { s += p.load(i); q.store(i, group_scan_sum(s)); }";
    assert_eq!(dealing(scan), together);
    // What other work-items have stored is stored over.
    let mirrored = "for i in lanes(8) { z.store(7 - i, 2.0); }";
    let short = format!("{together}, of 32 vectors or fewer to a sub-group");
    assert_eq!(dealing(&format!("{eight} {mirrored}")), short);
}

#[test]
fn a_variable_that_only_a_row_reads_is_kept() {
    let found = lanes("let o = row * width + i; let r = x.row(o); q.store(i, r.load(0));");
    let inside: Vec<&str> = found.iter().map(|line| line.trim()).collect();
    let expected = ["let o: i64 = (row * width) + (i + v)", "row r = x + o"];
    assert!(inside.windows(2).any(|lines| lines == expected), "{found:?}");
}

#[test]
fn a_row_that_begins_where_a_lane_says_is_in_no_vector() {
    let found = lanes("let r = x.row(width * i); q.store(i, r.load(i));").join("\n");
    assert!(found.contains("store q_vec to q[i..]"), "{found}");
    assert!(!found.contains("vector r_vec"), "{found}");
}

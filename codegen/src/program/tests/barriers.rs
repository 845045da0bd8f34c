//! Barriers are where the checks want them, whatever is left out.

use super::body;

const STORE: &str = "for i in lanes(width) { q.store(i, p.load(i)); }";

/// The lines for `stmts` behind a loop that stores to `q`.
fn lines(stmts: &str) -> Vec<String> {
    let lines = body(&format!("{STORE} {stmts}"));
    let tail = lines
        .iter()
        .position(|line| line.starts_with("tail "))
        .expect("a tail");
    lines[tail + 2..].to_vec()
}

#[test]
fn a_barrier_is_before_what_needs_it() {
    let expected = ["barrier", "let a: f32 = q[0]", "leader (lane = 0)", "  z[0] = a"];
    assert_eq!(lines("let a = q.load(0); z.store(0, a);"), expected);
}

#[test]
fn a_barrier_outlives_the_statement_that_it_was_before() {
    // The second loop needs no barrier of its own behind the one of the load, which nobody reads.
    let unread = [
        "let a = z.load(0);",
        "if width > 2 { let a = z.load(0); } else { let b = z.load(1); }",
        "for k in 0..3 { let a = z.load(k); }",
    ];
    for unread in unread {
        let found = body(&format!(
            "for i in lanes(8) {{ z.store(i, 2.0); }} {unread} for i in lanes(8) {{ z.store(7 - i, 1.0); }}"
        ));
        let outer: Vec<&String> = found.iter().filter(|line| !line.starts_with(' ')).collect();
        assert!(outer.len() == 3 && outer[1] == "barrier", "{unread}: {found:?}");
    }
}

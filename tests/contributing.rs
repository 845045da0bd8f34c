//! What CONTRIBUTING.md and ARCHITECTURE.md name is there.

use std::path::Path;

/// Words in backticks that are paths of the tree, without those that have a NAME to be filled in.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split('`').skip(1).step_by(2);
    words.filter(|word| word.contains('/') && !word.contains(' ') && !word.contains("NAME"))
}

#[test]
fn the_named_places_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for text in [
        include_str!("../CONTRIBUTING.md"),
        include_str!("../ARCHITECTURE.md"),
    ] {
        assert!(paths(text).count() > 5);
        for path in paths(text) {
            assert!(root.join(path).exists(), "{path} is named and not there");
        }
    }
}

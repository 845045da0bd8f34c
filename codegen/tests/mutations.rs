//! Holds the table of weakened rules to the checks. What notices each of them is for
//! `cargo run -p oxysycl-codegen --example mutations` to show, which builds the checks anew.

#[path = "../examples/mutations/table.rs"]
mod table;

use std::collections::BTreeSet;

#[test]
fn every_mutation_has_its_place() {
    let checks = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check");
    let mut names = BTreeSet::new();
    for mutation in table::MUTATIONS {
        let text = std::fs::read_to_string(checks.join(mutation.file)).expect("the file is there");
        let count = text.matches(mutation.rule).count();
        assert_eq!(
            count, 1,
            "{}: `{}` in {}",
            mutation.name, mutation.rule, mutation.file
        );
        assert_ne!(mutation.rule, mutation.weaker);
        assert!(names.insert(mutation.name), "{} is there twice", mutation.name);
    }
}

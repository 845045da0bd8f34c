//! Holds the table of weakened rules to the checks and their tests. That each test notices is for
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
        assert!(
            is_test(&checks, mutation.test),
            "{}: there is no test {}",
            mutation.name,
            mutation.test
        );
    }
}

/// Whether `file::name` is a test of the checks.
fn is_test(checks: &std::path::Path, test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else {
        return false;
    };
    let text = std::fs::read_to_string(checks.join(format!("tests/{file}.rs"))).unwrap_or_default();
    text.contains(&format!("#[test]\nfn {name}()"))
}

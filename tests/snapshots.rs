//! Every operator's header and device program, as they were reviewed. `cargo insta review` accepts changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use oxysycl::codegen::program::Program;

/// The reviewed headers, and the programs in a folder of their own.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots");

/// The headers of all operators: where each is in the project's folder of headers, without its extension, and its text.
fn headers() -> Vec<(PathBuf, String)> {
    let headers = oxysycl::headers().unwrap();
    headers
        .iter()
        .map(|header| {
            (
                Path::new(header.path()).with_extension(""),
                header.text().unwrap(),
            )
        })
        .collect()
}

/// The programs of all operators: their names, and their texts.
fn programs() -> Vec<(String, String)> {
    let headers = oxysycl::headers().unwrap();
    let kernels = headers.iter().flat_map(|header| header.kernels());
    kernels
        .map(|kernel| {
            let ir = kernel.ir().unwrap();
            (ir.name.clone(), Program::of(&ir).to_string())
        })
        .collect()
}

#[test]
fn programs_are_as_reviewed() {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new(FOLDER).join("program"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (name, text) in programs() {
        settings.bind(|| insta::assert_snapshot!(name, text));
    }
}

#[test]
fn headers_are_as_reviewed() {
    for (path, text) in headers() {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(Path::new(FOLDER).join(path.parent().unwrap()));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let name = format!("{}.hpp", path.file_name().unwrap().to_str().unwrap());
        settings.bind(|| insta::assert_binary_snapshot!(&name, text.into_bytes()));
    }
}

#[test]
fn everything_reviewed_is_of_a_kernel() {
    let mut expected = BTreeSet::new();
    for (path, _) in headers() {
        expected.insert(path.with_extension("snap"));
        expected.insert(path.with_extension("snap.hpp"));
    }
    for (name, _) in programs() {
        expected.insert(Path::new("program").join(name).with_extension("snap"));
    }
    let mut found = BTreeSet::new();
    files(Path::new(FOLDER), &mut found);
    assert_eq!(found, expected);
}

/// Adds the paths of all files in `folder` to `found`, as below [`FOLDER`]. What waits for a review is no snapshot yet.
fn files(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if !path.to_string_lossy().contains(".snap.new") {
            found.insert(path.strip_prefix(FOLDER).unwrap().to_path_buf());
        }
    }
}

//! Every operator's header, as it was reviewed. `cargo insta review` accepts changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The reviewed headers.
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
fn every_reviewed_header_is_one_of_a_kernel() {
    let mut expected = BTreeSet::new();
    for (path, _) in headers() {
        expected.insert(path.with_extension("snap"));
        expected.insert(path.with_extension("snap.hpp"));
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

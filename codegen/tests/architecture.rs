//! ARCHITECTURE.md says which folder of `src/` may use which; this holds the code to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::Visit;
use syn::{File, ItemMod, ItemUse, UseTree};

type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn folders_use_what_the_table_says() {
    let code = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = table(&fs::read_to_string(code.join("../ARCHITECTURE.md")).unwrap());
    let mut found = Uses::new();
    for place in table.keys() {
        let mut roots = Roots::default();
        roots.folder(&code.join("src").join(place));
        roots.found.remove(place);
        // What lib.rs hands out by another path: the front end and the checks, as one call.
        roots.found.remove("kernel");
        found.insert(place.clone(), roots.found);
    }
    assert_eq!(found, table, "left: src/, right: ARCHITECTURE.md");
}

#[test]
fn every_folder_has_its_row() {
    let code = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = table(&fs::read_to_string(code.join("../ARCHITECTURE.md")).unwrap());
    let entries = fs::read_dir(code.join("src")).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let folders: BTreeSet<String> = folders
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, table.into_keys().collect());
}

/// The rows between the marks.
fn table(text: &str) -> Uses {
    let (_, rest) = text.split_once("<!-- uses -->").expect("the table begins");
    let (table, _) = rest.split_once("<!-- /uses -->").expect("the table ends");
    let names = |cell: &str| {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            (names(cells[0]).remove(0), names(cells[1]).into_iter().collect())
        })
        .collect()
}

/// The first names behind `crate::`, outside tests.
#[derive(Default)]
struct Roots {
    found: BTreeSet<String>,
}

impl Roots {
    fn folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap_or_default();
            if name == "tests" {
                continue;
            }
            if path.is_dir() {
                self.folder(&path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file: File = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
                self.visit_file(&file);
            }
        }
    }

    fn tree(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                self.found.insert(path.ident.to_string());
            }
            UseTree::Name(name) => {
                self.found.insert(name.ident.to_string());
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree)),
            UseTree::Rename(_) | UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Roots {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let is_test = item
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("cfg"));
        if !is_test {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if let UseTree::Path(path) = &item.tree
            && path.ident == "crate"
        {
            self.tree(&path.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut segments = path.segments.iter();
        if segments.next().is_some_and(|first| first.ident == "crate")
            && let Some(second) = segments.next()
        {
            self.found.insert(second.ident.to_string());
        }
        syn::visit::visit_path(self, path);
    }
}

//! The device functions of a header, each once.

use super::functor::function;
use super::helper::Helpers;
use super::names::Names;
use crate::program::Program;

/// The functions so far.
#[derive(Debug, Default)]
pub(super) struct Functions {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Name in Rust.
    name: String,
    /// Name in C++.
    spelled: String,
    text: String,
}

impl Functions {
    /// Adds the functions of a program, and gives their names in C++ by their paths. One that is there already, word for
    /// word, is not added again; one that only has the name of another gets a name of its own.
    pub(super) fn add(
        &mut self,
        program: &Program,
        helpers: &Helpers,
        names: &mut Names,
    ) -> Vec<(String, String)> {
        let mut named: Vec<(String, String)> = Vec::new();
        let own = self.entries.len();
        for callee in &program.functions {
            let text = |spelled: &str| function(callee, spelled, &named, helpers);
            // Two functions of one kernel are two, whatever their text.
            let same = self.entries[..own]
                .iter()
                .find(|entry| entry.name == callee.name && entry.text == text(&entry.spelled));
            let spelled = match same {
                Some(entry) => entry.spelled.clone(),
                None => {
                    let spelled = names.give(&callee.name);
                    let text = text(&spelled);
                    self.entries.push(Entry {
                        name: callee.name.clone(),
                        spelled: spelled.clone(),
                        text,
                    });
                    spelled
                }
            };
            named.push((callee.path.clone(), spelled));
        }
        named
    }

    /// Their texts, each after those of the functions that it calls.
    pub(super) fn texts(self) -> Vec<String> {
        self.entries.into_iter().map(|entry| entry.text).collect()
    }
}

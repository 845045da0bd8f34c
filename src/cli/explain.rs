//! What identifies a library, and what tells it from the nearest one in the cache.

use oxysycl_runtime::cache::Cache;
use oxysycl_runtime::{Key, KeyFields};
use serde::Serialize;

use super::output::table;

/// What `build --explain` says, and what `build --explain --json` prints as `explanation`.
#[derive(Serialize)]
pub(super) struct Explanation {
    /// SHA-256 over all fields.
    key: String,
    /// Everything that shapes the library, in its fixed order.
    fields: Vec<Field>,
    /// Whether an entry of this key is in the cache.
    cached: bool,
    /// On a miss, the entry that has most fields in common with it; `null` if the cache is empty.
    nearest: Option<Nearest>,
}

/// A field of a key.
#[derive(Serialize)]
struct Field {
    name: String,
    value: String,
}

/// Another entry, and what it was made of instead.
#[derive(Serialize)]
struct Nearest {
    /// What was compiled.
    about: String,
    /// Its key.
    key: String,
    /// The fields that are wanted and that it does not have.
    wanted: Vec<Field>,
    /// The fields that it has and that are not wanted.
    has: Vec<Field>,
}

impl Explanation {
    /// Explains `fields` by what is in `cache`.
    pub(super) fn new(cache: &Cache, fields: &KeyFields) -> std::io::Result<Self> {
        let nearest = cache.nearest(fields)?;
        let cached = nearest.as_ref().is_some_and(|(_, others)| others == fields);
        let nearest = nearest.filter(|_| !cached).map(|(about, others)| Nearest {
            about,
            key: others.key().to_string(),
            wanted: Field::all(fields.missing_in(&others)),
            has: Field::all(others.missing_in(fields)),
        });
        let key: Key = fields.key();
        Ok(Self {
            key: key.to_string(),
            fields: Field::all(fields.iter()),
            cached,
            nearest,
        })
    }

    /// As text.
    pub(super) fn text(&self) -> String {
        let mut text = format!("key {}\n", self.key);
        text += &table(["field", "value"], self.fields.iter().map(Field::row));
        text += match (&self.nearest, self.cached) {
            (_, true) => "\nit is in the cache\n",
            (None, false) => "\nit is not in the cache, nor is anything else\n",
            (Some(_), false) => "\nit is not in the cache; what differs from the nearest entry:\n",
        };
        if let Some(nearest) = &self.nearest {
            text += &format!("{} ({})\n", nearest.about, nearest.key);
            let row = |side: &'static str| {
                move |field: &Field| [side.to_owned(), field.name.clone(), field.value.clone()]
            };
            let wanted = nearest.wanted.iter().map(row("wanted"));
            let has = nearest.has.iter().map(row("in the entry"));
            text += &table(["", "field", "value"], wanted.chain(has));
            text += "\n";
        }
        text
    }
}

impl Field {
    fn all<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Self> {
        let field = |(name, value): (&str, &str)| Self {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        fields.into_iter().map(field).collect()
    }

    fn row(&self) -> [String; 2] {
        [self.name.clone(), self.value.clone()]
    }
}

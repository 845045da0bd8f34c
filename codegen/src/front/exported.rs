//! Names that C functions cannot have beside C, C++, the C library and each other.

use std::sync::LazyLock;

use super::lower::Lower;
use crate::instance::{const_text, symbol_pattern};
use crate::ir::DType;

/// Words of C and C++, then names of the header's own, then what C and POSIX declare, as glibc does.
static RESERVED: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("reserved.txt").split_whitespace().collect());

impl Lower<'_> {
    /// Why no function can be exported by a symbol, if so.
    pub(super) fn not_exportable(&self, symbol: &str) -> Option<String> {
        if symbol.starts_with('_') {
            return Some("C keeps names that begin with `_` for itself".to_owned());
        }
        let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if symbol.chars().all(is_capital) {
            return Some("C headers name macros in capitals alone".to_owned());
        }
        let pattern = symbol_pattern(symbol, &self.types, &self.consts);
        if let Some(word) = RESERVED.iter().find(|word| matches(&pattern, word)) {
            return Some(format!("`{word}` means something in C or C++ already"));
        }
        let own =
            ["last_error", "shape_for_gpu", "launch", "submit"].map(|what| format!("{}_{what}", self.name));
        if let Some(name) = own.iter().find(|name| matches(&pattern, name)) {
            return Some(format!("the header has a `{name}` of its own"));
        }
        let mut symbols = self.expansions(symbol);
        symbols.sort();
        let twice = symbols.windows(2).find(|pair| pair[0] == pair[1])?;
        Some(format!(
            "two instances would be `{}`, so put something between the placeholders",
            twice[0]
        ))
    }

    /// The symbols of the instances that a library has where no macro selects one.
    pub(super) fn expansions(&self, symbol: &str) -> Vec<String> {
        // Each choice is what takes the place of some placeholders.
        let mut choices: Vec<Vec<Vec<(String, String)>>> = Vec::new();
        for group in &self.type_groups {
            let names = || group.params.iter().map(|at| &self.types[*at].name);
            let tags = |row: &Vec<DType>| {
                let pairs = names().zip(row);
                pairs
                    .map(|(name, dtype)| (format!("{{{name}}}"), dtype.tag().to_owned()))
                    .collect()
            };
            choices.push(group.rows.iter().map(tags).collect());
        }
        for constant in &self.consts {
            let placeholder = format!("{{{}}}", constant.name);
            let texts = constant.instances.iter();
            let texts = texts.filter_map(|value| const_text(constant.ty, *value));
            choices.push(texts.map(|text| vec![(placeholder.clone(), text)]).collect());
        }
        choices.iter().fold(vec![symbol.to_owned()], |symbols, choices| {
            let with = |symbol: &String| -> Vec<String> {
                let replaced = |choice: &Vec<(String, String)>| {
                    let replace = |symbol: String, (from, to): &(String, String)| symbol.replace(from, to);
                    choice.iter().fold(symbol.clone(), replace)
                };
                choices.iter().map(replaced).collect()
            };
            symbols.iter().flat_map(with).collect()
        })
    }
}

/// Whether some instance of a symbol's pattern is `name`.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((literal, rest)) = pattern.split_once('{') else {
        return pattern == name;
    };
    let (Some(name), Some((kind, rest))) = (name.strip_prefix(literal), rest.split_once('}')) else {
        return false;
    };
    let after = |text: &str| name.strip_prefix(text).is_some_and(|name| matches(rest, name));
    match kind {
        "type" => DType::ALL.iter().any(|dtype| after(dtype.tag())),
        "bool" => after("false") || after("true"),
        _ => {
            let digits = name.chars().take_while(char::is_ascii_digit).count();
            (1..=digits).any(|count| matches(rest, &name[count..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_all_their_instances() {
        assert!(matches("int{number}_t", "int64_t"));
        assert!(matches("{bool}", "true"));
        assert!(matches("a{number}{number}", "a12"));
        assert!(matches("x_{type}", "x_bf16"));
        for (pattern, name) in [
            ("a{number}{number}", "a1"),
            ("x_{type}", "x_"),
            ("malloc{number}", "malloc"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn reserved_are_words_and_functions_of_every_kind() {
        let words = "double xor not_eq co_await concept restrict malloc errno stdin signal exp expf read size_t main environ \
            detail sycl pthread_create y0 isnan unix";
        for word in words.split_whitespace() {
            assert!(RESERVED.contains(&word), "{word}");
        }
    }
}

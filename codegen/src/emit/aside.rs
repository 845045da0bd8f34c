//! Macros of others that would change a header: put aside at its top, and back at its end.
//!
//! Two kinds of names are macros in practice, and a header uses both: names in capitals, by the convention of C, such as
//! those of template parameters; and the lower-case ones that well-known headers define, `min` above all.

use std::collections::BTreeSet;

/// Lower-case names that headers of platforms and libraries define as macros.
const KNOWN: &str = "abs assert check clamp complex constant debug error fail far global half kernel likely local log major \
    max min minor near round select sign small sum swap trace unlikely values vector verify warn";

/// Macros of the standard library that headers of ours mean to use.
const STANDARD: [&str; 4] = ["INT32_MAX", "INT64_MAX", "INT32_MIN", "INT64_MIN"];

/// Names in a header's text that may be macros and that it means otherwise, in alphabetical order. `selected` are the macros
/// that are not the header's to define.
pub(super) fn names(text: &str, selected: &BTreeSet<String>) -> Vec<String> {
    let known: BTreeSet<&str> = KNOWN.split_whitespace().collect();
    let is_capital = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains(|c: char| c.is_ascii_lowercase())
    };
    let is_ours = |name: &str| name.starts_with("OXYSYCL_") || selected.contains(name);
    let mut found = BTreeSet::new();
    for line in code(text) {
        let names = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let may_be_macros = names.filter(|name| {
            known.contains(name) || (is_capital(name) && !is_ours(name) && !STANDARD.contains(name))
        });
        found.extend(may_be_macros.map(str::to_owned));
    }
    found.into_iter().collect()
}

/// The lines that the compiler reads as C++, without comments and the insides of strings. Parameters of macros are no macros
/// themselves.
fn code(text: &str) -> impl Iterator<Item = String> {
    let mut continued = false;
    text.lines().filter_map(move |line| {
        let is_directive = continued || line.trim_start().starts_with('#');
        continued = is_directive && line.ends_with('\\');
        let line = line.replace(r"\\", "").replace(r#"\""#, "");
        let outside_strings: Vec<&str> = line.split('"').step_by(2).collect();
        let code = outside_strings.join(" ");
        let code = code.split("//").next().unwrap_or_default().to_owned();
        (!is_directive).then_some(code)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::names;

    #[test]
    fn capitals_and_well_known_names_are_put_aside() {
        let text = "template <typename T, int VEC>\nT clamp(T x) { return std::min<T>(x, f(\"is \\\"C\\\"\")); }  // as M does";
        assert_eq!(names(text, &BTreeSet::new()), ["T", "VEC", "clamp", "min"]);
    }

    #[test]
    fn macros_of_the_header_itself_and_of_its_interface_stay() {
        let text = "#define OXYSYCL_ADD(N) \\\n  f<N>();\nOXYSYCL_ADD(SGL_WIDTH)\n#ifdef OTHER\n#endif";
        assert_eq!(names(text, &BTreeSet::from(["SGL_WIDTH".to_owned()])), [""; 0]);
    }
}

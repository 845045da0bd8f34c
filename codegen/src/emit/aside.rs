//! Macros of others that would change a header: put aside at its top, and back at its end.
//!
//! Two kinds of names are macros in practice, and a header uses both: names in capitals, by the convention of C, such as
//! those of template parameters; and the lower-case ones that well-known headers define, `min` above all.

use std::collections::BTreeSet;

/// Lower-case names that headers of platforms and libraries define as macros.
const KNOWN: &str = "abs assert box check clamp clear complex constant constrain cos debug emit erase erf erfc error exception exp \
    fabs fail far floor fma fmax fmin foreach global half index interface kernel likely linux local log major max \
    min minor move near pixel pow random refresh rint round select sign signals sin slots small sq sqrt square sum \
    swap tan tanh time timeout trace trunc unix unlikely value values vector verify warn";

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
    for line in lines(text) {
        let names = line.code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        // Capitals in a directive are parameters of the header's own macros, or macros that it asks for.
        let may_be_macros = names.filter(|name| {
            known.contains(name)
                || (!line.is_directive && is_capital(name) && !is_ours(name) && !STANDARD.contains(name))
        });
        found.extend(may_be_macros.map(str::to_owned));
    }
    found.into_iter().collect()
}

struct Line {
    /// Without comments and the insides of strings.
    code: String,
    is_directive: bool,
}

fn lines(text: &str) -> impl Iterator<Item = Line> {
    let mut continued = false;
    text.lines().map(move |line| {
        let is_directive = continued || line.trim_start().starts_with('#');
        continued = is_directive && line.ends_with('\\');
        let line = line.replace(r"\\", "").replace(r#"\""#, "");
        let outside_strings: Vec<&str> = line.split('"').step_by(2).collect();
        let code = outside_strings.join(" ");
        let code = code.split("//").next().unwrap_or_default().to_owned();
        Line { code, is_directive }
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
    fn well_known_names_are_put_aside_where_the_header_s_own_macros_have_them() {
        let text = "#define OXYSYCL_ADD_T \\\n  OXYSYCL_ADD(fp16, ::sycl::half)\nOXYSYCL_ADD_T";
        assert_eq!(names(text, &BTreeSet::new()), ["half"]);
    }

    #[test]
    fn macros_of_the_header_itself_and_of_its_interface_stay() {
        let text = "#define OXYSYCL_ADD(N) \\\n  f<N>();\nOXYSYCL_ADD(SGL_WIDTH)\n#ifdef OTHER\n#endif";
        assert_eq!(names(text, &BTreeSet::from(["SGL_WIDTH".to_owned()])), [""; 0]);
    }
}

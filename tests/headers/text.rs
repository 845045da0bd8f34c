//! What is, and what is not, in the text.

use std::collections::BTreeSet;

use crate::headers;

/// Functions that `<math.h>` and SYCL both have. Without a qualifier a call of one may take the C one, which is no device code,
/// or computes in `double`.
const MATH: [&str; 42] = [
    "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "isfinite", "isinf", "isnan",
    "ldexp", "log", "log10", "log1p", "log2", "pow", "pown", "rint", "round", "rsqrt", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc", "signbit",
];

#[test]
fn includes_are_these_two() {
    for header in headers() {
        let includes: Vec<&str> = header
            .text
            .lines()
            .filter_map(|line| line.trim().strip_prefix('#')?.trim().strip_prefix("include"))
            .map(str::trim)
            .collect();
        assert_eq!(includes, ["<cstdint>", "<sycl/sycl.hpp>"], "{}", header.name);
    }
}

/// An answer of a device may take longer than a launch.
#[test]
fn devices_are_asked_in_one_place() {
    for header in headers() {
        let start = header.text.find("inline const Device& device_of(").unwrap();
        let end = start + header.text[start..].find("\n}\n").unwrap();
        let rest = format!("{}{}", &header.text[..start], &header.text[end..]);
        for question in ["get_info", "get_backend", "get_device"] {
            assert!(!rest.contains(question), "{}: {question}", header.name);
        }
    }
}

#[test]
fn nothing_is_double() {
    for header in headers() {
        let code = code(&header.text);
        assert!(
            words(&code).all(|(word, _)| word != "double"),
            "{}: there is a double",
            header.name
        );
        assert_eq!(doubles(&code), [] as [&str; 0], "{}", header.name);
    }
}

#[test]
fn nothing_waits() {
    for header in headers() {
        let code = code(&header.text);
        for word in [".wait(", "->wait(", "wait_and_throw"] {
            assert!(!code.contains(word), "{}: {word}", header.name);
        }
    }
}

#[test]
fn sycl_is_named_from_the_top() {
    let mut called = BTreeSet::new();
    for header in headers() {
        let code = code(&header.text);
        for (word, at) in words(&code) {
            let (before, after) = (&code[..at], &code[at + word.len()..]);
            if word == "sycl" && after.starts_with("::") {
                assert!(
                    before.ends_with("::"),
                    "{}: sycl without :: before it: {after:.60}",
                    header.name
                );
            }
            if MATH.contains(&word) && after.starts_with('(') {
                assert!(
                    before.ends_with("::sycl::") || before.ends_with("::sycl::native::"),
                    "{}: {word} without ::sycl::",
                    header.name
                );
                called.insert(word.to_owned());
            }
        }
    }
    for word in [
        "ceil", "cos", "erf", "exp", "exp2", "fabs", "fma", "fmax", "fmin", "isnan", "log", "pow", "rsqrt",
    ] {
        assert!(
            called.contains(word),
            "no kernel here calls {word}, which is to be looked at"
        );
    }
}

/// `text` without comments and without what is in string literals.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            code.push_str("\"\"");
            literal_length(rest)
        } else {
            code.push(first);
            first.len_utf8()
        };
        rest = &rest[skipped..];
    }
    code
}

/// The length of the string literal that `text` starts with.
fn literal_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Identifiers, keywords and numbers in `code`, each with the place where it starts.
fn words(code: &str) -> impl Iterator<Item = (&str, usize)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.split(move |c| !part(c))
        .filter(|word| !word.is_empty())
        .map(|word| {
            // Both lie in one string.
            let at = word.as_ptr() as usize - code.as_ptr() as usize;
            (word, at)
        })
}

/// The floating-point literals in `code` without an `f`.
fn doubles(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
        let token = &code[at + start..];
        let token = &token[..token_length(token)];
        at += start + token.len();
        let is_number = token
            .trim_start_matches('.')
            .starts_with(|c: char| c.is_ascii_digit());
        let is_hex = token.starts_with("0x") || token.starts_with("0X");
        let is_float = token.contains('.') || token.contains(if is_hex { ['p', 'P'] } else { ['e', 'E'] });
        if is_number && is_float && !token.ends_with(['f', 'F']) {
            found.push(token);
        }
    }
    found
}

/// The length of the identifier or number that `text` starts with, or of the dots. A sign belongs to a number behind its
/// exponent.
fn token_length(text: &str) -> usize {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let signed = is_number && matches!(c, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P');
        let part = c.is_alphanumeric() || c == '_' || (is_number && matches!(c, '.' | '\'')) || signed;
        if !part {
            return at;
        }
        previous = c;
    }
    text.len()
}

#[test]
fn what_is_looked_for_is_found() {
    let text = "a = 1.0; // 2.0 double\nb = \"3.0 \\\" double\" /* 4.0 */ + 5e-3 - 6.f + .5 + 0x1p3 + x1.y0 + 1'000'000 + 0xe1 + v.e2;";
    let code = code(text);
    assert_eq!(doubles(&code), ["1.0", "5e-3", ".5", "0x1p3"]);
    assert!(words(&code).all(|(word, _)| word != "double"));
    assert_eq!(
        words("x = sin(y1)").collect::<Vec<_>>(),
        [("x", 0), ("sin", 4), ("y1", 8)]
    );
}

//! C++ names for Rust names: never a keyword, a macro, or twice the same.

use std::collections::BTreeSet;

/// C++ keywords and alternative tokens.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t \
    char32_t class co_await co_return co_yield compl concept const consteval constexpr constinit const_cast continue \
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if \
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public \
    register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch \
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile \
    wchar_t while xor xor_eq final override import module";

/// Names that headers which may be included before ours define as macros, and types that ours uses.
const TAKEN: &str = "I NAN INFINITY NULL EOF BUFSIZ RAND_MAX HUGE_VAL HUGE_VALF errno assert stdin stdout stderr linux \
    unix i386 major minor makedev signbit isnan isinf isfinite isnormal isgreater isless isunordered fpclassify \
    setjmp offsetof va_list va_arg va_start va_end va_copy complex imaginary alloca putc getc stat sa_handler \
    sa_sigaction st_atime st_mtime st_ctime s6_addr htons htonl ntohs ntohl min max near far small interface DOMAIN \
    OVERFLOW UNDERFLOW SING PLOSS TLOSS \
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t uintptr_t std sycl half detail sgl \
    sycl_kernel main operator INT32_MAX INT64_MAX error get";

/// Hands out names.
#[derive(Clone, Debug)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// With only what C++ and the platform own taken.
    pub(super) fn new() -> Names {
        let taken = KEYWORDS
            .split_whitespace()
            .chain(TAKEN.split_whitespace())
            .map(str::to_owned);
        Names {
            taken: taken.collect(),
        }
    }

    /// A name as close to `rust` as there is.
    pub(super) fn give(&mut self, rust: &str) -> String {
        let base = spell(rust);
        let mut name = base.clone();
        if self.taken.contains(&name) {
            name = format!("{base}_");
        }
        let mut count = 2;
        while self.taken.contains(&name) {
            name = format!("{base}_{count}");
            count += 1;
        }
        self.take(&name);
        name
    }

    /// Takes a name as it is, so that it is not given.
    pub(super) fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }
}

/// A Rust name in the characters of C++, without what C++ reserves: `__` anywhere, and `_` at the start.
fn spell(rust: &str) -> String {
    let mut name = String::new();
    for c in rust.chars() {
        match c {
            '_' if name.ends_with('_') || name.is_empty() => name.push_str("u_"),
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            c => name.push_str(&format!("u{:x}", u32::from(c))),
        }
    }
    if name.ends_with('_') && name.len() > 1 {
        name.push('u');
    }
    name
}

/// `silu_and_mul` as a class name: `SiluAndMul`.
pub(super) fn class_name(rust: &str) -> String {
    let words = spell(rust);
    words
        .split('_')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|c| c.to_ascii_uppercase().to_string() + chars.as_str())
                .unwrap_or_default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_plain_names_and_never_gives_one_twice() {
        let mut names = Names::new();
        assert_eq!(names.give("input"), "input");
        assert_eq!(names.give("input"), "input_");
        assert_eq!(names.give("input"), "input_2");
        assert_eq!(names.give("new"), "new_");
        assert_eq!(names.give("new_"), "new_u");
        assert_eq!(names.give("linux"), "linux_");
        assert_eq!(names.give("_Upper"), "u_Upper");
        assert_eq!(names.give("a__b"), "a_u_b");
        assert_eq!(names.give("größe"), "gruf6udfe");
    }

    #[test]
    fn class_names_are_camel_case() {
        assert_eq!(class_name("silu_and_mul"), "SiluAndMul");
        assert_eq!(class_name("rmsnorm"), "Rmsnorm");
    }
}

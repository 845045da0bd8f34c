//! Literals in C++, exact to the last bit.

use super::printer::{Cpp, Level};
use crate::ir::Scalar;

/// An integer literal of a type. C++ gives it the narrowest of `int` and `int64_t`, or of their unsigned kin, that has it.
pub(super) fn integer(value: i128, ty: Scalar) -> Cpp {
    if value < 0 {
        return negative(value, ty);
    }
    let narrow = |fits: bool, narrow, wide| if fits { narrow } else { wide };
    match ty {
        Scalar::U32 | Scalar::U64 => {
            let ty = narrow(u32::try_from(value).is_ok(), Scalar::U32, Scalar::U64);
            Cpp::primary(format!("{value}u"), ty)
        }
        Scalar::F32 => Cpp::primary(format!("{value}.0f"), ty),
        Scalar::I64 if value == i64::MAX.into() => Cpp::primary("INT64_MAX", ty),
        _ => {
            let ty = narrow(i32::try_from(value).is_ok(), Scalar::I32, Scalar::I64);
            Cpp::primary(value.to_string(), ty)
        }
    }
}

/// C++ reads a negative literal as minus applied to a positive one, which the least value of a type does not have.
fn negative(value: i128, ty: Scalar) -> Cpp {
    let (least, _) = ty.range().unwrap_or_default();
    if value == least && ty.bits() >= 32 {
        return Cpp {
            text: format!("{} - 1", value + 1),
            level: Level::Add,
            ty,
        };
    }
    // The sign is no part of the literal.
    let ty = integer(-value, ty).ty;
    Cpp {
        text: value.to_string(),
        level: Level::Unary,
        ty,
    }
}

/// A float literal: the shortest that reads back as the same bits.
pub(super) fn float(value: f32) -> Cpp {
    let limits = "std::numeric_limits<float>";
    if value.is_nan() {
        return Cpp::primary(format!("{limits}::quiet_NaN()"), Scalar::F32);
    }
    let magnitude = if value.is_infinite() {
        format!("{limits}::infinity()")
    } else {
        format!("{:?}f", value.abs())
    };
    if value.is_sign_negative() {
        return Cpp {
            text: format!("-{magnitude}"),
            level: Level::Unary,
            ty: Scalar::F32,
        };
    }
    Cpp::primary(magnitude, Scalar::F32)
}

/// A string literal.
pub(super) fn text(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        c => visible(c).to_string(),
    });
    // Two question marks begin a trigraph.
    let escaped = escaped.collect::<String>().replace("??", "?\\?");
    format!("\"{escaped}\"")
}

/// A line of text as the rest of a line comment: nothing in it ends the comment, or takes the next line along.
pub(super) fn comment(line: &str) -> String {
    let text: String = line.chars().map(visible).collect();
    // The trigraph for a backslash.
    let text = text.replace("??/", "? ?/");
    text.trim_end_matches(|c: char| c == '\\' || c.is_whitespace())
        .to_owned()
}

/// A character as it is, or a space for what ends a line, hides, or turns the direction of reading.
fn visible(c: char) -> char {
    match c {
        c if c.is_control() => ' ',
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_exactly() {
        for value in [
            0.0f32,
            1.0,
            0.1,
            1e-6,
            1e-45,
            f32::MAX,
            f32::MIN_POSITIVE,
            16777216.0,
            0.044715,
        ] {
            let text = float(value).text;
            let digits = text.strip_suffix('f').expect("a float literal ends in f");
            assert_eq!(
                digits.parse::<f32>().expect("digits").to_bits(),
                value.to_bits(),
                "{text}"
            );
            assert!(digits.contains(['.', 'e']), "{text} would be an integer");
        }
        assert_eq!(float(-0.0).text, "-0.0f");
        assert_eq!(
            float(f32::NEG_INFINITY).text,
            "-std::numeric_limits<float>::infinity()"
        );
    }

    #[test]
    fn no_text_ends_or_changes_what_it_stands_in() {
        for (line, expected) in [
            ("a path C:\\", "a path C:"),
            ("twice \\ \\\t", "twice"),
            ("a trigraph ??/", "a trigraph ? ?/"),
            ("x\rint y;", "x int y;"),
            (
                "a\u{b}b\u{c}c\0d\u{85}e\u{2028}f\u{2029}g\u{202e}h",
                "a b c d e f g h",
            ),
            (
                "*/ and /* stay, as \\n does: größe²",
                "*/ and /* stay, as \\n does: größe²",
            ),
        ] {
            assert_eq!(comment(line), expected);
        }
        for (reason, expected) in [
            ("say \"why\"", "\"say \\\"why\\\"\""),
            ("what??/ a? b", "\"what?\\?/ a? b\""),
            ("100 % of\ntwo\r\nlines\\", "\"100 % of\\ntwo \\nlines\\\\\""),
            ("\u{7}1 größe\u{2028}", "\" 1 größe \""),
        ] {
            assert_eq!(text(reason), expected);
        }
    }

    #[test]
    fn the_least_integers_have_a_literal() {
        assert_eq!(
            integer(i64::MIN.into(), Scalar::I64).text,
            "-9223372036854775807 - 1"
        );
        assert_eq!(integer(i32::MIN.into(), Scalar::I32).text, "-2147483647 - 1");
        assert_eq!(
            integer(u64::MAX.into(), Scalar::U64).text,
            "18446744073709551615u"
        );
        assert_eq!(integer(-5, Scalar::I64).text, "-5");
    }
}

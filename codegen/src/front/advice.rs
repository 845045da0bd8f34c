//! What to write in place of a method that kernels do not have.

use crate::ir::{Math, Syntax};

/// Methods that Rust, C or other kernel languages have under these names, and what is written here.
const ELSEWHERE: [(&[&str], &str); 20] = [
    (&["sqr", "square", "squared"], "write `x * x`"),
    (
        &["pow"],
        "write `powf` for a real exponent, `powi` for an integer one",
    ),
    (&["log", "loge"], "write `ln`, `log2` or `log10`"),
    (&["log1p"], "write `ln_1p`"),
    (&["expm1"], "write `exp_m1`"),
    (&["rint", "nearbyint", "round_even"], "write `round_ties_even`"),
    (&["fabs"], "write `abs`"),
    (&["fmax", "maximum"], "write `max`"),
    (&["fmin", "minimum"], "write `min`"),
    (&["fma", "mad"], "write `mul_add`"),
    (&["inv_sqrt", "inversesqrt", "recip_sqrt"], "write `rsqrt(x)`"),
    (&["sign"], "write `signum`"),
    (&["cbrt"], "write `x.signum() * x.abs().powf(1.0 / 3.0)`"),
    (&["to_degrees", "to_radians"], "multiply by a constant"),
    (&["sigmoid"], "write `1.0 / (1.0 + (-x).exp())`"),
    (&["relu"], "write `x.max(0.0)`"),
    (&["clone", "copy", "to_owned"], "values are copied as they are"),
    (&["into", "try_into", "from"], "numbers are converted with `as`"),
    (
        &["div_euclid", "rem_euclid"],
        "write `/` or `%`, with an `if` for negative numbers",
    ),
    (
        &[
            "checked_add",
            "checked_sub",
            "checked_mul",
            "overflowing_add",
            "overflowing_sub",
            "overflowing_mul",
        ],
        "write `wrapping_..` or `saturating_..`, or test before",
    ),
];

/// What other languages call atomics.
const ATOMICS: [&str; 3] = ["atomic", "fetch_", "compare_exchange"];

/// How alike names have to be to be taken for each other, from 0 to 1.
const ALIKE: f64 = 0.6;

/// Why there is no method `name`, and what to write.
pub(super) fn unknown_method(name: &str) -> String {
    if ATOMICS.iter().any(|atomic| name.starts_with(atomic)) {
        return format!(
            "there are no atomics in kernels, so no `{name}`: let each group own what it stores, and gather in `lanes` with `+=` and `group_sum`"
        );
    }
    if Math::find(Syntax::Function, name).is_some() {
        return format!("`{name}` is a function of the prelude: write `{name}(x)`");
    }
    let elsewhere = ELSEWHERE.iter().find(|(names, _)| names.contains(&name));
    let advice = match (elsewhere, nearest(name)) {
        (Some((_, advice)), _) => format!("; {advice}"),
        (None, Some(known)) => format!("; did you mean `{known}`?"),
        (None, None) => "; the guide's page \"The words\" lists them".to_owned(),
    };
    format!("there is no method `{name}` in kernels{advice}")
}

/// The known method whose name is most like `name`.
fn nearest(name: &str) -> Option<&'static str> {
    let methods = Math::ALL.iter().map(|math| math.row());
    methods
        .filter(|row| row.syntax == Syntax::Method)
        .map(|row| row.name)
        .map(|known| (strsim::normalized_damerau_levenshtein(name, known), known))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::unknown_method;

    #[test]
    fn a_slip_of_the_pen_is_told_the_nearest_name() {
        assert!(unknown_method("sqtr").ends_with("did you mean `sqrt`?"));
        assert!(unknown_method("wraping_add").ends_with("did you mean `wrapping_add`?"));
        assert!(unknown_method("exp_2").ends_with("did you mean `exp2`?"));
    }

    #[test]
    fn a_name_from_elsewhere_is_told_what_is_written_here() {
        assert!(unknown_method("rint").ends_with("write `round_ties_even`"));
        assert!(unknown_method("atomic_add").contains("no atomics"));
        assert!(unknown_method("fetch_add").contains("no atomics"));
    }

    #[test]
    fn a_name_like_no_other_is_not_guessed() {
        assert_eq!(
            unknown_method("lorem_ipsum"),
            "there is no method `lorem_ipsum` in kernels; the guide's page \"The words\" lists them"
        );
    }
}

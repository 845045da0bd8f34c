//! Faults of all families that would take more memory than tests may: they show in the text.

use std::collections::{BTreeMap, BTreeSet};

use oxysycl::codegen;

/// Headers of all operators, by the operator's name.
fn headers() -> BTreeMap<String, String> {
    let kernels = oxysycl::kernels().expect("every kernel lowers");
    let headers = kernels.into_iter().map(|kernel| {
        let ir = kernel.ir().expect("it was lowered");
        (ir.name.clone(), codegen::header(&ir))
    });
    headers.collect()
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            words.push(&rest[..end]);
        }
        rest = &rest[end..];
    }
    words
}

/// Names that are declared with a type of 32 bits, and no other. A vector's width is no count: it is 16 at most.
fn narrow<'a>(words: &[&'a str]) -> BTreeSet<&'a str> {
    let named = |types: &[&str]| -> BTreeSet<&'a str> {
        let pairs = words.windows(2).filter(|pair| types.contains(&pair[0]));
        pairs
            .map(|pair| pair[1])
            .filter(|name| *name != "VEC" && name.starts_with(|c: char| c.is_alphabetic()))
            .collect()
    };
    &named(&["int32_t", "uint32_t", "int", "unsigned"]) - &named(&["int64_t", "size_t"])
}

/// A13, A14, B40, C45: an offset that is multiplied from two numbers has 64 bits in one of them at least.
#[test]
fn no_offset_is_a_product_of_two_32_bit_numbers() {
    let headers = headers();
    assert!(headers.contains_key("rmsnorm") && headers.contains_key("fused_rope_store"));
    for (name, text) in headers {
        let code: String = text
            .lines()
            .filter(|line| !line.trim().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        let words = words(&code);
        let narrow = narrow(&words);
        for triple in words.windows(3).filter(|triple| triple[1] == "*") {
            // A pointer's star has a type to its left.
            let both = [triple[0], triple[2]].iter().all(|word| narrow.contains(word));
            assert!(!both, "{name}: {}", triple.join(" "));
        }
    }
}

/// A14: strides reach the launcher with 64 bits, in the kernel as in the exported function.
#[test]
fn strides_have_64_bits() {
    let mut strides = 0;
    for (name, text) in headers() {
        let words = words(&text);
        for pair in words
            .windows(2)
            .filter(|pair| pair[1].ends_with("stride") && pair[0].ends_with("_t"))
        {
            assert_eq!(pair[0], "int64_t", "{name}: {}", pair[1]);
            strides += 1;
        }
    }
    assert!(strides > 100);
}

/// B40: heads and tokens are 32-bit arguments, whose product need not fit. Both are widened before anything is made of them.
#[test]
fn counts_of_32_bits_are_widened_before_they_are_used() {
    let mut counts = 0;
    for (name, text) in headers() {
        for line in text.lines().filter(|line| !line.trim().starts_with("//")) {
            for count in ["num_tokens", "num_qo_heads", "num_kv_heads"] {
                for operator in [" * ", " + ", " - ", " / ", " % "] {
                    let used = line.contains(&format!("{count}{operator}"))
                        || line.contains(&format!("{operator}{count}"));
                    assert!(
                        !used || !text.contains(&format!("uint32_t {count}")),
                        "{name}: {line}"
                    );
                }
                counts += usize::from(line.contains(&format!("static_cast<int64_t>({count})")));
            }
        }
    }
    assert!(counts > 20);
}

/// A line of documentation is a comment to its end, whatever is in it.
#[test]
fn documentation_is_not_broken_into_code() {
    for kernel in oxysycl::kernels().expect("every kernel lowers") {
        let ir = kernel.ir().expect("it was lowered");
        let text = codegen::header(&ir);
        for line in &ir.docs {
            let line = format!("/// {line}");
            assert!(
                text.lines().any(|of| of == line.trim_end()),
                "{}: {line}",
                ir.name
            );
        }
    }
}

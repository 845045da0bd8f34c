//! Every operation of the table is lowered and emitted, with operands of every type that it takes.

use crate::ir::{Math, Scalar, Slot, Syntax};
use crate::source::{Callee, FunctionSource, KernelSource};

/// A value of `scalar`, from an `f32` and an `i64` that were loaded.
fn operand(scalar: Scalar) -> String {
    match scalar {
        Scalar::F32 => "x".to_owned(),
        Scalar::Bool => "(x < 1.0)".to_owned(),
        integer => format!("(k as {integer})"),
    }
}

/// A statement that stores what `math` gives for operands of the type that `shared` stands for.
fn store(math: Math, shared: Scalar) -> String {
    let row = math.row();
    let scalar = |slot: Slot| match slot {
        Slot::Fixed(scalar) => scalar,
        Slot::Integer | Slot::Number => shared,
    };
    let operands: Vec<String> = row.takes.iter().map(|slot| operand(scalar(*slot))).collect();
    let value = match row.syntax {
        Syntax::Method => format!("{}.{}({})", operands[0], row.name, operands[1..].join(", ")),
        Syntax::Associated => format!("f32::{}({})", row.name, operands.join(", ")),
        Syntax::Function => format!("{}({})", row.name, operands.join(", ")),
    };
    match scalar(row.gives) {
        Scalar::F32 => format!("y.store(i, {value});"),
        Scalar::Bool => format!("y.store(i, if {value} {{ 1.0 }} else {{ 0.0 }});"),
        _ => format!("y.store(i, {value} as f32);"),
    }
}

/// The types that an operation's operands of an open type may have.
fn shared(math: Math) -> Vec<Scalar> {
    let integers = Scalar::ALL.into_iter().map(|(scalar, _)| scalar);
    let integers = integers.filter(|scalar| scalar.is_integer() && (math != Math::Abs || scalar.is_signed()));
    let takes = |slot| math.row().takes.contains(&slot);
    match () {
        () if takes(Slot::Number) => integers.chain([Scalar::F32]).collect(),
        () if takes(Slot::Integer) => integers.collect(),
        () => vec![Scalar::F32],
    }
}

#[test]
fn each_is_emitted() {
    for math in Math::ALL.iter().copied() {
        for shared in shared(math) {
            let store = store(math, shared);
            let text = format!(
                "fn kernel(a: &[f32], b: &[i64], y: &mut [f32], n: i64) {{
                    for i in elements(n) {{ let x = a.load(i); let k = b.load(i); {store} }}
                }}"
            );
            let callee = (math.name(), Callee::Builtin(math.name()));
            let source = KernelSource {
                attribute: "shapes(a = [n], b = [n], y = [n])",
                item: FunctionSource {
                    text: text.leak(),
                    calls: vec![callee].leak(),
                    constants: &[],
                },
                lines: 1,
            };
            let kernel = crate::kernel(&source).unwrap_or_else(|problem| panic!("{store}: {problem}"));
            let header = crate::header(&kernel);
            if let Some(name) = math.row().sycl {
                assert!(header.contains(&format!("::sycl::{name}(")), "{store}:\n{header}");
            }
        }
    }
}

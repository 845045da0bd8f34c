//! The Python that is written for each kernel: a function, its types and its documentation.

use std::fmt::Write;

use oxysycl::codegen::ir::Scalar;
use oxysycl::operator::{self, Default, Parameter, Role, dtype_name, either};

use crate::error::Failure;
use crate::operator::Operator;

/// Words of Python that no parameter can be called.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The text of the module `oxysycl.ops`, in which `_operators` is a dictionary of operators by name.
pub(crate) fn module(operators: &[Operator]) -> Result<String, Failure> {
    let mut text = String::new();
    for operator in operators {
        let operator = &operator.inner;
        let name = operator.name();
        let signature = signature(operator, &|_| String::new());
        let passed: Vec<String> = operator.parameters().iter().map(python_name).collect();
        write!(
            text,
            "def {name}({signature}):\n    {docs}\n    return _operators[\"{name}\"]({passed})\n\n\n",
            docs = quoted(&docs(operator)?),
            passed = passed.join(", "),
        )
        .expect("strings take everything");
    }
    Ok(text)
}

/// The text of `oxysycl/ops.pyi`.
pub(crate) fn stub(operators: &[Operator]) -> Result<String, Failure> {
    let mut text = String::from(
        "# Written by tests/suite.rs with UPDATE=1 from the kernels' own descriptions.\n\
         from typing import Any, TypeVar\n\n\
         # An array of numpy or dpctl, or a tensor of PyTorch.\n\
         _Array = TypeVar(\"_Array\")\n\n\
         __all__: list[str]\n",
    );
    for operator in operators {
        let operator = &operator.inner;
        let results = operator
            .parameters()
            .iter()
            .filter(|parameter| parameter.is_result())
            .count();
        let result = match results {
            0 => "None".to_owned(),
            1 => "_Array".to_owned(),
            _ => format!("tuple[{}]", vec!["_Array"; results].join(", ")),
        };
        let signature = signature(operator, &|parameter| format!(": {}", python_type(parameter)));
        let mut docs = String::new();
        for line in self::docs(operator)?.lines() {
            docs += if line.is_empty() { "" } else { "    " };
            docs += line;
            docs += "\n";
        }
        write!(
            text,
            "\ndef {}({signature}) -> {result}:\n    \"\"\"{}    \"\"\"\n",
            operator.name(),
            docs.trim_start()
                .replace('\\', "\\\\")
                .replace("\"\"\"", "\\\"\\\"\\\"")
        )
        .expect("strings take everything");
    }
    Ok(text)
}

/// The parameters as Python lists them; `annotation` follows a name.
fn signature(operator: &operator::Operator, annotation: &dyn Fn(&Parameter) -> String) -> String {
    let mut words = Vec::new();
    for parameter in operator.parameters() {
        if parameter.is_result() && !words.iter().any(|word| word == "*") {
            words.push("*".to_owned());
        }
        let annotation = annotation(parameter);
        let equals = if annotation.is_empty() { "=" } else { " = " };
        let default = parameter
            .default
            .map_or(String::new(), |value| format!("{equals}{}", literal(value)));
        words.push(format!("{}{annotation}{default}", python_name(parameter)));
    }
    words.join(", ")
}

fn python_name(parameter: &Parameter) -> String {
    let underscore = if KEYWORDS.contains(&parameter.name.as_str()) {
        "_"
    } else {
        ""
    };
    format!("{}{underscore}", parameter.name)
}

fn python_type(parameter: &Parameter) -> &'static str {
    match parameter.role {
        Role::Array { .. } if parameter.default.is_some() => "_Array | None",
        Role::Array { .. } => "_Array",
        Role::DType(_) => "Any",
        Role::Scalar { ty, .. } | Role::Const { ty, .. } => match ty {
            Scalar::Bool => "bool",
            Scalar::F32 => "float",
            _ => "int",
        },
    }
}

fn literal(value: Default) -> String {
    match value {
        // What is not said does not contradict a result that is given.
        Default::Absent | Default::DType(_) => "None".to_owned(),
        Default::Bool(true) => "True".to_owned(),
        Default::Bool(false) => "False".to_owned(),
        Default::Integer(value) => value.to_string(),
        // The shortest text that is this number.
        Default::F32(value) => format!("{value:?}"),
    }
}

/// A string of Python.
fn quoted(text: &str) -> String {
    let text = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{text}\"")
}

/// The documentation of an operator: the kernel's own, then what is passed, comes back and goes wrong.
fn docs(operator: &operator::Operator) -> Result<String, Failure> {
    let own: Vec<&str> = operator.docs().iter().map(|line| line.trim()).collect();
    let mut text = without_links(&own.join("\n"));
    text += "\n\nArgs:\n";
    for parameter in operator.parameters() {
        let name = python_name(parameter);
        writeln!(text, "    {name}: {}", described(operator, parameter)?).expect("strings take everything");
    }
    let results: Vec<String> = operator
        .parameters()
        .iter()
        .filter(|parameter| parameter.is_result())
        .map(|parameter| format!("`{}`", python_name(parameter)))
        .collect();
    let returns = match &results[..] {
        [] => "Nothing: it works in place.".to_owned(),
        [one] => format!("{one}, a new array unless it is given."),
        several => format!("{}, new arrays unless they are given.", several.join(" and ")),
    };
    write!(
        text,
        "\nReturns:\n    {returns}\n\n\
         Raises:\n    TypeError: an argument is no array, or one of other elements.\n    \
         ValueError: shapes do not go together, or a kernel cannot take an array as it lies in memory.\n    \
         RuntimeError: the kernel could not be compiled or launched.\n"
    )
    .expect("strings take everything");
    Ok(text)
}

fn described(operator: &operator::Operator, parameter: &Parameter) -> Result<String, Failure> {
    let dtypes = operator.dtypes(parameter)?;
    let dtypes: Vec<&str> = dtypes.into_iter().map(dtype_name).collect();
    Ok(match parameter.role {
        Role::Array { mutable, result, .. } => {
            let written = if mutable && !result {
                "; written in place"
            } else {
                ""
            };
            let strided = if operator.is_strided(parameter)? {
                "; rows may lie apart"
            } else {
                ""
            };
            format!(
                "{} of {}{strided}{written}.",
                operator.shape(parameter)?,
                either(&dtypes)
            )
        }
        Role::DType(_) => {
            let default = match parameter.default {
                Some(Default::DType(dtype)) => format!("; {} where nothing says so", dtype_name(dtype)),
                _ => "; needed where no result is given".to_owned(),
            };
            format!("The type of the result's elements, {}{default}.", either(&dtypes))
        }
        Role::Scalar { ty, .. } | Role::Const { ty, .. } => match ty {
            Scalar::Bool => "A truth value.".to_owned(),
            Scalar::F32 => "A number, rounded to float32.".to_owned(),
            ty => format!("A whole number that an {} holds.", ty.rust()).replace("an u", "a u"),
        },
    })
}

/// Docs of Rust without what only rustdoc follows: `` [`qknorm`](fn@..) `` becomes `` `qknorm` ``.
fn without_links(docs: &str) -> String {
    let mut text = String::new();
    let mut rest = docs;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, after)) = after.split_once("`](") else {
            break;
        };
        let Some((_, after)) = after.split_once(')') else {
            break;
        };
        text += before;
        write!(text, "`{name}`").expect("strings take everything");
        rest = after;
    }
    text + rest
}

//! The exported C functions, and the macros that select them.

use std::collections::BTreeSet;

use super::Emission;
use super::writer::{Writer, continued};
use crate::instance::const_text;
use crate::ir::{DType, Kernel, ParamKind, Scalar};

/// A parameter that instances differ in.
enum Choice<'a> {
    /// Type parameters that are chosen together: their element types, and each one's name and selection macro.
    Types(&'a [Vec<DType>], Vec<(&'a str, &'a str)>),
    /// A const parameter: its type, its usual values and its selection macro.
    Const(Scalar, &'a [i64], &'a str),
}

/// `last_error`, and one function per instance.
///
/// `selected` are the macros that are not the header's to define.
pub(super) fn exports(emission: &Emission<'_>, selected: &BTreeSet<String>) -> String {
    let mut out = Writer::at(0);
    let export = "extern \"C\" [[gnu::visibility(\"default\")]]";
    out.line("/// The reason for this thread's last refusal.");
    out.line(format!(
        "{export} const char* {}_last_error() {{",
        emission.kernel.name
    ));
    out.line("  return detail::last_error().c_str();");
    out.line("}");
    out.line("");
    out.directive("#ifdef OXYSYCL_MODULE");
    out.line(format!(
        "{export} void {}_shape_for_gpu(void*, bool wanted) {{",
        emission.kernel.name
    ));
    out.line("  detail::shaped_for_gpu() = wanted;");
    out.line("}");
    out.directive("#endif");
    out.line("");
    let choices = choices(emission);
    if choices.is_empty() {
        return out.text() + &definitions(emission, str::to_owned).join("\n");
    }
    let macro_name = free(
        format!("OXYSYCL_{}", emission.kernel.name.to_uppercase()),
        selected,
    );
    macro_definition(&mut out, emission, &macro_name);
    out.line("");
    let mut defined = vec![macro_name.clone()];
    let mut outer = macro_name.clone();
    if let Some(Choice::Const(..)) = choices.first() {
        // Names are pasted before macros in them are expanded.
        outer = free(format!("{macro_name}_EXPANDED"), selected);
        let params = arguments(emission).concat().join(", ");
        out.directive(&format!("#define {outer}({params}) {macro_name}({params})"));
        defined.push(outer.clone());
    }
    levels(&mut out, emission, &choices, &outer, selected, &mut defined);
    out.line("");
    for name in defined {
        out.line(format!("#undef {name}"));
    }
    out.finish()
}

/// The macros that compilers give a header: those that select of its kernels, and the one that names its module.
pub(super) fn selected(kernels: &[&Kernel]) -> BTreeSet<String> {
    let of = |kernel: &Kernel| {
        let types = kernel.types.iter().flat_map(|param| {
            let placeholder = format!("{{{}}}", param.name);
            let select = kernel.select(&param.name);
            param
                .dtypes
                .iter()
                .map(move |dtype| select.replace(&placeholder, dtype.tag()))
        });
        let consts = kernel.consts.iter().map(|c| kernel.select(&c.name).to_owned());
        types.chain(consts).collect::<Vec<_>>()
    };
    // A kernel may be called `module`.
    let own = "OXYSYCL_MODULE".to_owned();
    kernels.iter().copied().flat_map(of).chain([own]).collect()
}

/// A macro's name that is not one of these.
fn free(mut name: String, selected: &BTreeSet<String>) -> String {
    while selected.contains(&name) {
        name.push('_');
    }
    name
}

fn choices<'a>(emission: &Emission<'a>) -> Vec<Choice<'a>> {
    let kernel = emission.kernel;
    let types = kernel.type_groups.iter().map(|group| {
        let names = group.params.iter().map(|at| &*kernel.types[*at].name);
        Choice::Types(
            &group.rows,
            names.map(|name| (name, kernel.select(name))).collect(),
        )
    });
    let consts = kernel
        .consts
        .iter()
        .map(|c| Choice::Const(c.ty, &c.instances, kernel.select(&c.name)));
    types.chain(consts).collect()
}

/// The macro that defines one export.
fn macro_definition(out: &mut Writer, emission: &Emission<'_>, macro_name: &str) {
    let kernel = emission.kernel;
    let pasted = |symbol: &str| {
        let mut symbol = symbol.to_owned();
        for (param, spelled) in kernel.types.iter().zip(&emission.spelling.types) {
            symbol = symbol.replace(&format!("{{{}}}", param.name), &format!("##{spelled}_TAG##"));
        }
        for (param, spelled) in kernel.consts.iter().zip(&emission.spelling.consts) {
            symbol = symbol.replace(&format!("{{{}}}", param.name), &format!("##{spelled}##"));
        }
        let symbol = symbol.replace("####", "##");
        symbol.trim_start_matches("##").trim_end_matches("##").to_owned()
    };
    let text = definitions(emission, pasted).concat();
    let head = format!(
        "#define {macro_name}({})",
        arguments(emission).concat().join(", ")
    );
    let lines: Vec<String> = [head]
        .into_iter()
        .chain(text.lines().map(|line| format!("  {line}")))
        .collect();
    out.directive(&continued(&lines));
}

/// The exports of an instance, with their symbols as `spell` writes them: the kernel's, and its drop-in's.
fn definitions(emission: &Emission<'_>, spell: impl Fn(&str) -> String) -> Vec<String> {
    let attributes = &emission.kernel.attributes;
    let own = definition(emission, &spell(&attributes.symbol));
    let drop_in = emission.program.drop_in.as_ref();
    let other = drop_in.map(|drop_in| super::drop_in::definition(emission, drop_in, &spell(&drop_in.symbol)));
    [own].into_iter().chain(other).collect()
}

/// The export that takes the kernel's own parameters.
fn definition(emission: &Emission<'_>, symbol: &str) -> String {
    let used = &emission.program.launch.params;
    let queue = &emission.inner.queue;
    let mut params = vec![format!("void* {queue}")];
    let mut args = vec![queue.clone()];
    for (id, param) in emission.kernel.params.iter().enumerate() {
        let name = &emission.spelling.params[id];
        let declared = if used.contains(&id) {
            format!(" {name}")
        } else {
            String::new()
        };
        match &param.kind {
            ParamKind::Scalar(ty) => {
                params.push(format!("{}{declared}", ty.cpp()));
                args.extend(used.contains(&id).then(|| name.clone()));
            }
            ParamKind::Buffer(buffer) => {
                let constness = if buffer.mutable { "" } else { "const " };
                params.push(format!("{constness}void*{declared}"));
                args.push(format!("static_cast<{}>({name})", emission.param_type(id)));
            }
        }
    }
    forwarding(emission, symbol, &params, &args)
}

/// A function that launches the kernel with `args`.
pub(super) fn forwarding(
    emission: &Emission<'_>,
    symbol: &str,
    params: &[String],
    args: &[String],
) -> String {
    let mut out = Writer::at(0);
    out.call(
        &format!("extern \"C\" [[gnu::visibility(\"default\")]] int32_t {symbol}"),
        params,
        " {",
    );
    out.indented(|out| {
        out.call(
            &format!(
                "return {}_launch{}",
                emission.head.spelled,
                emission.template_args()
            ),
            args,
            ";",
        );
    });
    out.line("}");
    out.text()
}

/// One level per parameter: the macro of each level supplies its parameter to the level before it.
fn levels(
    out: &mut Writer,
    emission: &Emission<'_>,
    choices: &[Choice<'_>],
    macro_name: &str,
    selected: &BTreeSet<String>,
    defined: &mut Vec<String>,
) {
    let names: Vec<Vec<String>> = arguments(emission);
    let mut inner = macro_name.to_owned();
    for (at, choice) in choices.iter().enumerate() {
        let rest: Vec<String> = names[at + 1..].concat();
        let last = at + 1 == choices.len();
        let own = free(
            format!("{macro_name}_{}", choice_name(emission, at).to_uppercase()),
            selected,
        );
        let call = |value: &str| {
            let mut args = vec![value.to_owned()];
            args.extend(rest.iter().cloned());
            format!("{inner}({})", args.join(", "))
        };
        let emit = |out: &mut Writer, calls: Vec<String>| {
            if last {
                calls.iter().for_each(|c| out.line(c));
            } else {
                let head = format!("#define {own}({})", rest.join(", "));
                let lines = match &calls[..] {
                    [one] => vec![format!("{head} {one}")],
                    many => [head]
                        .into_iter()
                        .chain(many.iter().map(|call| format!("  {call}")))
                        .collect(),
                };
                out.directive(&continued(&lines));
            }
        };
        match choice {
            Choice::Types(rows, params) => {
                let values = |row: &[DType]| {
                    let values: Vec<String> =
                        row.iter().map(|d| format!("{}, {}", d.tag(), d.cpp())).collect();
                    call(&values.join(", "))
                };
                for (nth, row) in rows.iter().enumerate() {
                    let directive = if nth == 0 { "#if" } else { "#elif" };
                    let defined = params.iter().zip(row).map(|((name, select), dtype)| {
                        let select = select.replace(&format!("{{{name}}}"), dtype.tag());
                        format!("defined({select})")
                    });
                    out.line(format!(
                        "{directive} {}",
                        defined.collect::<Vec<_>>().join(" && ")
                    ));
                    emit(out, vec![values(row)]);
                }
                out.line("#else");
                emit(out, rows.iter().map(|row| values(row)).collect());
                out.line("#endif");
            }
            Choice::Const(ty, instances, select) => {
                out.line(format!("#ifdef {select}"));
                emit(out, vec![call(select)]);
                let usual: Vec<String> = instances
                    .iter()
                    .filter_map(|v| const_text(*ty, *v))
                    .map(|v| call(&v))
                    .collect();
                if !usual.is_empty() || !last {
                    out.line("#else");
                    emit(out, usual);
                }
                out.line("#endif");
            }
        }
        if !last {
            defined.push(own.clone());
            inner = own;
        }
    }
}

/// Macro parameters of each choice: a type has a tag and a type, a const parameter a value.
pub(super) fn arguments(emission: &Emission<'_>) -> Vec<Vec<String>> {
    let types = emission.kernel.type_groups.iter().map(|group| {
        let names = group.params.iter().map(|at| &emission.spelling.types[*at]);
        names.flat_map(|t| [format!("{t}_TAG"), t.clone()]).collect()
    });
    let consts = emission.spelling.consts.iter().map(|c| vec![c.clone()]);
    types.chain(consts).collect()
}

/// The name of what is chosen.
fn choice_name(emission: &Emission<'_>, at: usize) -> String {
    let kernel = emission.kernel;
    match at.checked_sub(kernel.type_groups.len()) {
        None => {
            let params = kernel.type_groups[at].params.iter();
            params
                .map(|at| &*kernel.types[*at].name)
                .collect::<Vec<_>>()
                .join("_")
        }
        Some(at) => kernel.consts[at].name.clone(),
    }
}

//! The integration header: what the device pass's front end tells the host side about the kernels.
//!
//! It is compiled as it is, but for the kernels' names. What it cannot describe rightly is found here.

use super::super::CompileError;

/// Ends the text of a complete integration header.
const END: &str = "} // namespace sycl";

/// Where the table of a kernel's parameters starts.
const TABLE: &str = "//--- ";

/// An accessor's target if it is work-group local memory, as the table has it below its other flags.
const LOCAL: u32 = 2016;

/// Mangled names of types in an unnamed namespace have this in them, of types in a function this at their start.
const UNNAMED: &str = "_GLOBAL__N_";
const IN_FUNCTION: &str = "_ZTSZ";

/// What starts the mangled name of a kernel's type, by which the kernel is called.
pub(super) const KERNEL: &str = "_ZTS";

/// A kernel and its parameters.
struct Kernel<'a> {
    name: &'a str,
    parameters: Vec<Parameter<'a>>,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
struct Parameter<'a> {
    kind: &'a str,
    /// Its size, or for an accessor its target.
    info: u32,
    offset: u32,
}

/// Whether `text` looks like a whole integration header, not one that is still being written.
pub(super) fn is_complete(text: &str) -> bool {
    text.trim_end().ends_with(END)
}

/// Refuses kernels whose parameters `text` describes wrongly or that cannot be named on the host side.
pub(super) fn check(text: &str) -> Result<(), CompileError> {
    for kernel in kernels(text) {
        let refuse = |reason: String| CompileError::Refused {
            subject: format!("kernel {}", demangled(kernel.name)),
            reason,
        };
        if kernel.name.contains(UNNAMED) || kernel.name.starts_with(IN_FUNCTION) {
            return Err(refuse(
                "its type cannot be named outside its file or function: move the functor into a named namespace".to_owned(),
            ));
        }
        if let Some(reason) = kernel.parameters.iter().find_map(unsupported) {
            return Err(refuse(reason));
        }
        if let Some((first, second)) = overlap(&kernel.parameters) {
            return Err(refuse(format!(
                "members at byte {first} and at byte {second} overlap: bit-fields, empty bases and [[no_unique_address]] \
                 cannot be passed to a kernel"
            )));
        }
    }
    Ok(())
}

/// Refuses kernels that `text` describes and the device pass left out, because its device could not run them.
pub(super) fn check_compiled(text: &str, is_compiled: impl Fn(&str) -> bool) -> Result<(), CompileError> {
    match kernels(text).into_iter().find(|kernel| !is_compiled(kernel.name)) {
        None => Ok(()),
        Some(kernel) => Err(CompileError::Refused {
            subject: format!("kernel {}", demangled(kernel.name)),
            reason: "it asks for a sub-group size or another feature that no CPU device has".to_owned(),
        }),
    }
}

/// `text` with every kernel's name preceded by `module`, as in the module's SPIR-V.
pub(super) fn rename(text: &str, module: &str) -> String {
    text.replace(&format!("\"{KERNEL}"), &format!("\"{}", renamed(KERNEL, module)))
}

/// The name of the kernel `name` in `module`. The SYCL run time finds kernels by name in the whole process.
pub(super) fn renamed(name: &str, module: &str) -> String {
    format!("{module}{name}")
}

/// A kernel's type as it stands in the source; the name itself if it isn't a mangled one.
pub(super) fn demangled(name: &str) -> String {
    let demangled = cpp_demangle::Symbol::new(name)
        .ok()
        .and_then(|symbol| symbol.demangle().ok());
    match demangled {
        Some(text) => text.trim_start_matches("typeinfo name for ").to_owned(),
        None => name.to_owned(),
    }
}

fn kernels(text: &str) -> Vec<Kernel<'_>> {
    let mut kernels: Vec<Kernel<'_>> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix(TABLE) {
            let parameters = Vec::new();
            kernels.push(Kernel { name, parameters });
        } else if let Some(parameter) = parameter(line)
            && let Some(kernel) = kernels.last_mut()
        {
            kernel.parameters.push(parameter);
        }
    }
    kernels
}

/// Reads `{ kernel_param_kind_t::kind_pointer, 8, 16 },`.
fn parameter(line: &str) -> Option<Parameter<'_>> {
    let row = line.strip_prefix("{ kernel_param_kind_t::kind_")?;
    let mut fields = row.strip_suffix(" },")?.split(", ");
    Some(Parameter {
        kind: fields.next()?,
        info: fields.next()?.parse().ok()?,
        offset: fields.next()?.parse().ok()?,
    })
}

/// Why a parameter's kind cannot be passed.
fn unsupported(parameter: &Parameter<'_>) -> Option<String> {
    match parameter.kind {
        "pointer" | "std_layout" => None,
        "accessor" if parameter.info & LOCAL == LOCAL => None,
        kind => Some(format!(
            "it has a member of kind `{kind}` at byte {}; pointers, plain values and local accessors can be passed",
            parameter.offset
        )),
    }
}

/// The offsets of two parameters that share bytes. Plain members never do.
fn overlap(parameters: &[Parameter<'_>]) -> Option<(u32, u32)> {
    let mut plain: Vec<&Parameter<'_>> = parameters.iter().filter(|row| row.kind != "accessor").collect();
    plain.sort_by_key(|row| row.offset);
    plain
        .windows(2)
        .find(|pair| pair[0].offset + pair[0].info > pair[1].offset)
        .map(|pair| (pair[0].offset, pair[1].offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integration header as far as it is read here.
    fn header(kernel: &str, rows: &str) -> String {
        format!(
            "  //--- {kernel}\n{rows}\n\n  {{ kernel_param_kind_t::kind_invalid, -987654321, -987654321 }}, \n}};\n"
        )
    }

    #[track_caller]
    fn refused(kernel: &str, rows: &str) -> String {
        check(&header(kernel, rows)).unwrap_err().to_string()
    }

    const POINTER: &str = "  { kernel_param_kind_t::kind_pointer, 8, 0 },\n";

    #[test]
    fn plain_members_pass() {
        let rows = "  { kernel_param_kind_t::kind_std_layout, 2, 8 },\n  { kernel_param_kind_t::kind_accessor, 4064, 16 },";
        assert!(check(&header("_ZTSN1a1KE", &format!("{POINTER}{rows}"))).is_ok());
    }

    #[test]
    fn bit_fields_are_refused_by_name() {
        let rows = "  { kernel_param_kind_t::kind_std_layout, 4, 8 },\n  { kernel_param_kind_t::kind_std_layout, 4, 8 },";
        let error = refused("_ZTSN1a1KE", &format!("{POINTER}{rows}"));
        assert!(error.starts_with("kernel a::K: "), "{error}");
        assert!(error.contains("bit-fields"), "{error}");
    }

    #[test]
    fn unknown_kinds_are_refused_by_name() {
        let error = refused("_ZTSN1a1KE", "  { kernel_param_kind_t::kind_sampler, 8, 8 },");
        assert!(
            error.contains("kernel a::K") && error.contains("sampler"),
            "{error}"
        );
    }

    #[test]
    fn unnamed_namespaces_are_refused_by_name() {
        let error = refused("_ZTSN12_GLOBAL__N_11KE", POINTER);
        assert!(error.contains("(anonymous namespace)::K"), "{error}");
    }

    #[test]
    fn names_get_the_module_in_front() {
        let text = "\"_ZTSN1a1KE\", //--- _ZTSN1a1KE";
        assert_eq!(rename(text, "m_1"), "\"m_1_ZTSN1a1KE\", //--- _ZTSN1a1KE");
    }
}

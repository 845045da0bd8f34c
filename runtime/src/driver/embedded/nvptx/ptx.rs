//! PTX modules: what is in them, and other names for their kernels.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::super::integration::{KERNEL, demangled, renamed};
use super::super::module::{Form, Image};
use crate::driver::CompileError;
use crate::driver::source::unreadable;

/// What follows a kernel's name in that of its variant for launches with a global offset.
const WITH_OFFSET: &str = "_with_offset";

/// The sub-group sizes that a kernel may ask for. There all sub-groups have 32 work-items, and kernels for 16 are written such
/// that they may have more.
const SUB_GROUPS: [&str; 3] = ["0", "16", "32"];

/// Reads the modules that the device pass left in `folder`, and puts `module` in front of their kernels' names.
pub(super) fn read_all(folder: &Path, module: &str) -> Result<Vec<Image>, CompileError> {
    let mut images = Vec::new();
    for number in 0.. {
        let path = folder.join(format!("module.{number}.ptx"));
        if !path.exists() {
            break;
        }
        let text = fs::read_to_string(&path).map_err(unreadable(&path))?;
        let path = path.with_extension("sub_group");
        let size = fs::read_to_string(&path).map_err(unreadable(&path))?;
        images.push(image(&text, &size, module)?);
    }
    images.sort_by(|a, b| a.code.cmp(&b.code));
    Ok(images)
}

/// The module `text`, whose kernels ask for a sub-group size of `sub_group`.
fn image(text: &str, sub_group: &str, module: &str) -> Result<Image, CompileError> {
    let mut kernels = Vec::new();
    for name in entries(text) {
        let refuse = |reason: String| CompileError::Refused {
            subject: format!("kernel {}", demangled(name)),
            reason,
        };
        if !name.starts_with(KERNEL) {
            return Err(refuse(
                "only kernels that are functors can be compiled, no free functions".to_owned(),
            ));
        }
        if !SUB_GROUPS.contains(&sub_group) {
            return Err(refuse(format!(
                "it asks for sub-groups of {sub_group} work-items, but on NVIDIA's GPUs all have 32"
            )));
        }
        if !name.ends_with(WITH_OFFSET) {
            kernels.push(renamed(name, module));
        }
    }
    let mut code = rename(text, module).into_bytes();
    // The driver takes PTX as a C string.
    code.push(0);
    Ok(Image {
        form: Form::Ptx,
        code,
        kernels,
        exports: Vec::new(),
        imports: Vec::new(),
        // Every device that the code can be compiled for has all of them.
        aspects: Vec::new(),
        // Sub-groups have 32 work-items there, whatever a kernel asks for.
        sub_group_size: None,
    })
}

/// The names of the kernels in `text`, each once, in order of their names.
fn entries(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter_map(|line| {
            let (_, rest) = line.split_once(".entry ")?;
            rest.split(|c: char| !is_name(c)).next()
        })
        .collect()
}

/// `text` with `module` in front of every name that starts as a kernel's does: also the names of its parameters.
fn rename(text: &str, module: &str) -> String {
    let mut to = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(at) = rest.find(KERNEL) {
        let (before, from) = rest.split_at(at);
        to += before;
        if !to.ends_with(is_name) {
            to += module;
        }
        to += KERNEL;
        rest = &from[KERNEL.len()..];
    }
    to + rest
}

/// Whether `c` may stand in a name in PTX.
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.func  (.param .b64 func_retval0) _Z26__spirv_BuiltInWorkgroupIdi
.weak .entry _ZTSN1a1KE(
\t.param .u64 .ptr .global .align 2 _ZTSN1a1KE_param_0
)
\tld.param.b64 \t%rd10, [_ZTSN1a1KE_param_0];
\tmov.b64 %rd1, x_ZTSN1a1KE;
.weak .entry _ZTSN1a1KE_with_offset(
";

    #[test]
    fn kernels_get_the_module_in_front() {
        let image = image(TEXT, "16", "m_1").unwrap();
        assert_eq!(image.kernels, ["m_1_ZTSN1a1KE"]);
        let text = String::from_utf8(image.code).unwrap();
        assert!(text.contains(".entry m_1_ZTSN1a1KE("), "{text}");
        assert!(text.contains("[m_1_ZTSN1a1KE_param_0]"), "{text}");
        assert!(text.contains(".entry m_1_ZTSN1a1KE_with_offset("), "{text}");
        assert!(text.contains("x_ZTSN1a1KE") && text.ends_with('\0'), "{text}");
    }

    #[test]
    fn free_functions_are_refused() {
        let error = image(".visible .entry __sycl_kernel_f(\n", "0", "m_1")
            .unwrap_err()
            .to_string();
        assert!(error.contains("__sycl_kernel_f"), "{error}");
    }

    #[test]
    fn other_sub_groups_are_refused_by_name() {
        let error = image(TEXT, "8", "m_1").unwrap_err().to_string();
        assert!(error.contains("kernel a::K") && error.contains('8'), "{error}");
    }
}

//! The C++ text that hands modules of device code to the SYCL run time when a library is loaded.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::module::{Form, Image};

/// The structures that the text fills in.
pub(super) const HEADER: &str = include_str!("images.hpp");

/// C++ text that registers `images`, at least one; the code of the n-th is in `file(n)`.
pub(super) fn text(images: &[Image], file: impl Fn(usize) -> String) -> String {
    let libraries: BTreeSet<&str> = images
        .iter()
        .flat_map(|image| &image.exports)
        .map(String::as_str)
        .collect();
    let mut text = HEADER.to_owned();
    let mut list = Vec::new();
    for (number, image) in images.iter().enumerate() {
        let sets = property_sets(number, image, &libraries, &mut text);
        let entries: Vec<String> = image
            .kernels
            .iter()
            .map(|name| format!("OXYSYCL_ENTRY(\"{name}\")"))
            .collect();
        text += &format!("OXYSYCL_EMBED(code{number}, \"{}\");\n", file(number));
        let entries = array(&mut text, &format!("const entry entries{number}"), &entries);
        let sets = array(&mut text, &format!("const property_set sets{number}"), &sets);
        list.push(format!(
            "{{3, 4, {}, \"\", \"\", code{number}_begin, code{number}_end, {entries}, {sets}}}",
            format_and_target(image.form)
        ));
    }
    let _ = array(&mut text, "const image list", &list);
    text += &format!(
        "const images all{{1, {}, list, nullptr, nullptr}};\n\
         [[maybe_unused]] const int registered = (__sycl_register_lib(&all), 0);\n",
        images.len()
    );
    text
}

/// A form of code, as the run time names it and what it is for.
fn format_and_target(form: Form) -> &'static str {
    match form {
        Form::Spirv => "2, \"spir64\"",
        Form::Ptx => "1, \"nvptx64\"",
    }
}

/// Appends the properties of `image` to `text` and returns their sets.
fn property_sets(number: usize, image: &Image, libraries: &BTreeSet<&str>, text: &mut String) -> Vec<String> {
    let flag = |name: &String| format!("{{\"{name}\", nullptr, 1, 1}}");
    let mut sets = Vec::new();
    let mut add = |text: &mut String, name: &str, properties: Vec<String>| {
        if !properties.is_empty() {
            let variable = format!("const property properties{number}_{}", sets.len());
            let range = array(text, &variable, &properties);
            sets.push(format!("{{\"SYCL/{name}\", {range}}}"));
        }
    };
    let mut requirements = Vec::new();
    if !image.aspects.is_empty() {
        // A list of bytes starts with its own length, in bits.
        let mut bytes = (32 * image.aspects.len() as u64).to_le_bytes().to_vec();
        bytes.extend(image.aspects.iter().flat_map(|aspect| aspect.to_le_bytes()));
        let _ = writeln!(
            text,
            "const unsigned char aspects{number}[] = {{{}}};",
            joined(&bytes)
        );
        requirements.push(format!("{{\"aspects\", aspects{number}, 2, {}}}", bytes.len()));
    }
    if let Some(size) = image.sub_group_size {
        requirements.push(format!("{{\"reqd_sub_group_size\", nullptr, 1, {size}}}"));
    }
    add(text, "device requirements", requirements);
    let imports = image
        .imports
        .iter()
        .filter(|name| libraries.contains(name.as_str()));
    add(text, "imported symbols", imports.map(flag).collect());
    add(text, "exported symbols", image.exports.iter().map(flag).collect());
    if image.kernels.is_empty() {
        let kind = "{\"bfloat16\", nullptr, 1, 0}".to_owned();
        add(text, "devicelib metadata", vec![kind]);
    }
    sets
}

/// Appends the definition of an array to `text` and returns its bounds; null ones if it has no items.
fn array(text: &mut String, declaration: &str, items: &[String]) -> String {
    if items.is_empty() {
        return "nullptr, nullptr".to_owned();
    }
    let _ = writeln!(text, "{declaration}[] = {{{}}};", items.join(", "));
    let name = declaration.rsplit(' ').next().unwrap_or_default();
    format!("{name}, {name} + {}", items.len())
}

fn joined(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

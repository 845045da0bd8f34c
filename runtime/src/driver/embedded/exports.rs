//! Which functions a unit exports.

use std::path::Path;

use object::{Object, ObjectSymbol, SymbolKind};

use super::super::CompileError;
use super::super::source::unreadable;

/// The names of the functions in the object file `path` that other programs are meant to call: those with C names.
pub(super) fn list(path: &Path) -> Result<Vec<String>, CompileError> {
    let bytes = std::fs::read(path).map_err(unreadable(path))?;
    let file = object::File::parse(bytes.as_slice())
        .map_err(|error| unreadable(path)(std::io::Error::other(error)))?;
    let mut names: Vec<String> = file
        .symbols()
        .filter(|symbol| symbol.is_global() && !symbol.is_weak() && symbol.is_definition())
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.scope() == object::SymbolScope::Dynamic)
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| !name.starts_with("_Z"))
        .map(str::to_owned)
        .collect();
    names.sort();
    Ok(names)
}

/// A linker's version script that exports `names` and nothing else.
pub(super) fn version_script(names: &[String]) -> String {
    let names: String = names.iter().map(|name| format!("    {name};\n")).collect();
    format!("{{\n  global:\n{names}  local:\n    *;\n}};\n")
}

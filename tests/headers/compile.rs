//! How g++ takes them: alone, after headers full of macros, and all in one translation unit. Reading the SYCL headers takes
//! seconds, so where that changes nothing they are precompiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::{Header, driver, headers};
use oxysycl::runtime::toolchain::Toolchain;

/// What may not bring a header to fail.
const WARNINGS: [&str; 3] = ["-Wall", "-Wextra", "-Werror"];

/// Headers that define macros with common names.
const MACROS: &str = "#include <sys/sysmacros.h>\n#include <complex.h>\n#include <cmath>\n";

/// All headers as files.
struct Files {
    folder: TempDir,
    names: Vec<String>,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for header in headers() {
            let name = format!("{}.hpp", header.name);
            fs::write(folder.path().join(&name), header.text).unwrap();
            names.push(name);
        }
        Self { folder, names }
    }

    /// Writes a unit of `prelude` and of the headers called `names`, in order.
    fn unit<'a>(&self, unit: &str, prelude: &str, names: impl IntoIterator<Item = &'a String>) {
        let mut text = prelude.to_owned();
        for name in names {
            text += &format!("#include \"{name}\"\n");
        }
        fs::write(self.folder.path().join(unit), text).unwrap();
    }

    /// Has `compiler` read the file `unit` to its end.
    fn compile(&self, mut compiler: Command, unit: &str) {
        compiler.current_dir(self.folder.path()).args(WARNINGS);
        let output = compiler.args(["-fsyntax-only", unit]).output().unwrap();
        assert!(
            output.status.success(),
            "{unit}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// g++ as a user has it, knowing only where the SYCL headers are.
fn plain() -> Command {
    let mut compiler = Command::new("g++");
    compiler
        .arg("-std=c++20")
        .arg("-isystem")
        .arg(Toolchain::ensure().unwrap().include());
    compiler
}

/// g++ as the driver calls it, which has read the SYCL headers before.
fn precompiled() -> Command {
    driver().host_compiler()
}

/// All include the same two headers, which one of them reads and for the others are precompiled.
#[test]
fn alone_as_a_file_of_its_own() {
    let files = Files::new();
    for (nth, name) in files.names.iter().enumerate() {
        let text = fs::read_to_string(files.folder.path().join(name)).unwrap();
        assert!(
            text.contains("\n\n#include <cstdint>\n#include <sycl/sycl.hpp>\n\n"),
            "{name}"
        );
        files.compile(if nth == 0 { plain() } else { precompiled() }, name);
    }
}

#[test]
fn alone_in_another_file_behind_macros_with_hidden_symbols() {
    let files = Files::new();
    for name in &files.names {
        let unit = format!("{name}.cpp");
        files.unit(&unit, MACROS, [name, name]);
        let mut compiler = precompiled();
        compiler.arg("-fvisibility=hidden");
        files.compile(compiler, &unit);
    }
}

/// In these two units every pair is in both orders, and everything is there twice.
#[test]
fn together_in_both_orders() {
    let files = Files::new();
    files.unit("forwards.cpp", "", files.names.iter().chain(&files.names));
    files.unit(
        "backwards.cpp",
        MACROS,
        files.names.iter().rev().chain(&files.names),
    );
    files.compile(precompiled(), "forwards.cpp");
    files.compile(precompiled(), "backwards.cpp");
}

/// Macros of all names in capitals that a header has, of its own template parameters for example, and of those that are macros
/// elsewhere. They expand to what compiles nowhere.
#[test]
fn behind_macros_of_common_names() {
    let files = Files::new();
    let mut names: BTreeSet<String> = [
        "min", "max", "check", "abs", "clamp", "error", "half", "values", "small",
    ]
    .map(str::to_owned)
    .into();
    names.extend(aside());
    assert!(names.contains("T") && names.contains("VEC") && names.contains("HIDDEN_SIZE"));
    let mut macros = String::from("#include <cstdint>\n#include <sycl/sycl.hpp>\n");
    for name in &names {
        macros += &format!("#define {name}(...) ) {name} is a macro\n");
    }
    files.unit("behind.cpp", &macros, &files.names);
    files.compile(precompiled(), "behind.cpp");
    let objects = macros.replace("(...)", "");
    files.unit("behind_objects.cpp", &objects, &files.names);
    files.compile(precompiled(), "behind_objects.cpp");
}

/// What headers put aside.
fn aside() -> BTreeSet<String> {
    let names = |header: Header| -> Vec<String> {
        let lines = header
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("#undef "));
        lines
            .filter(|name| !name.starts_with("OXYSYCL_"))
            .map(str::to_owned)
            .collect()
    };
    headers().into_iter().flat_map(names).collect()
}

/// Nor is one put aside that the headers of SYCL have themselves, which would have to be read anew for every kernel.
#[test]
fn no_macro_is_left_or_lost() {
    let files = Files::new();
    let prelude = "#define OXYSYCL_X untouched\n#include <cstdint>\n#include <sycl/sycl.hpp>\n";
    files.unit("without.cpp", prelude, []);
    files.unit("with.cpp", prelude, &files.names);
    let without = macros(files.folder.path(), "without.cpp");
    assert!(without.contains("#define OXYSYCL_X untouched"));
    let defined = without
        .iter()
        .filter_map(|line| line.strip_prefix("#define ")?.split([' ', '(']).next());
    let aside = aside();
    assert_eq!(
        defined.filter(|name| aside.contains(*name)).collect::<Vec<_>>(),
        [""; 0]
    );
    assert_eq!(without, macros(files.folder.path(), "with.cpp"));
}

/// Every macro that is defined at the end of `unit`.
fn macros(folder: &Path, unit: &str) -> BTreeSet<String> {
    let mut compiler = plain();
    let output = compiler
        .current_dir(folder)
        .args(["-E", "-dM", unit])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

//! What the guide quotes is what the compiler says, emits and does.

mod quoted;

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use oxysycl::codegen::ir::{Library, Math, Scalar, Slot};
use oxysycl::runtime::{Runtime, Source, Unit};
use oxysycl::{Queue, Selector};

use self::quoted::{Block, Chapter, chapters};

/// What is normalised by hand and by the port: rows of whole vectors.
const ROWS: i64 = 5;
const WIDTH: i64 = 96;

/// The type of floats.
const F32: Slot = Slot::Fixed(Scalar::F32);

/// The program of the first chapter.
const PROGRAM: &str = env!("CARGO_BIN_EXE_kernels");

#[test]
fn every_block_is_of_a_kind_that_is_tested() {
    let kinds = [
        "rust",
        "rust,compile_fail",
        "rust,ignore",
        "text",
        "cpp",
        "c++",
        "console",
        "sh",
        "toml",
        // Run by the tests of `python/`.
        "python",
    ];
    for Chapter { name, blocks } in chapters() {
        for Block { kind, text } in &blocks {
            assert!(kinds.contains(kind), "{name}: {kind}:\n{text}");
        }
    }
}

#[test]
fn every_file_is_a_chapter() {
    let summary = fs::read_to_string(quoted::folder().join("SUMMARY.md")).expect("there is a summary");
    let documented = include_str!("../lib.rs");
    for Chapter { name, blocks } in chapters() {
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("]({name})")),
            "{name}"
        );
        let has_code = blocks.iter().any(|block| block.kind.starts_with("rust"));
        assert!(
            !has_code || documented.contains(&format!("\"src/{name}\"")),
            "{name}"
        );
    }
}

#[test]
fn messages_are_those_of_the_compiler() {
    let mut wrong = 0;
    for Chapter { name, blocks } in chapters() {
        for (at, block) in blocks.iter().enumerate() {
            if block.kind != "rust,compile_fail" {
                continue;
            }
            let quoted = &blocks[at + 1];
            assert_eq!(
                quoted.kind, "text",
                "{name}: a wrong kernel is followed by its message"
            );
            let said = block.messages();
            if env::var_os("UPDATE").is_some_and(|update| update == "1") {
                let path = quoted::folder().join(&name);
                let chapter = fs::read_to_string(&path).expect("chapters are text");
                fs::write(path, chapter.replace(&quoted.text, &said)).expect("it can be written");
            } else {
                assert_eq!(
                    quoted.text, said,
                    "{name}: `UPDATE=1 cargo test -p guide` writes what the compiler says"
                );
            }
            wrong += 1;
        }
    }
    assert!(wrong >= 7, "each rule has a kernel that breaks it");
}

#[test]
fn cpp_is_what_is_emitted() {
    for Chapter { name, blocks } in chapters() {
        let mut emitted: Vec<String> = blocks.iter().flat_map(Block::headers).collect();
        if name == "output.md" {
            let ir = oxysycl::ops::rmsnorm::rmsnorm::kernel().ir();
            emitted.push(oxysycl::codegen::header(&ir.expect("rmsnorm is accepted")));
        }
        for block in blocks.iter().filter(|block| block.kind == "cpp") {
            assert!(
                emitted.iter().any(|header| header.contains(&block.text)),
                "{name} shows other C++ than is emitted:\n{}",
                block.text
            );
        }
    }
}

#[test]
fn the_port_gives_the_bits_of_the_kernel_by_hand() {
    let chapter = chapters()
        .into_iter()
        .find(|chapter| chapter.name == "porting.md");
    let blocks = chapter.expect("there is a chapter on porting").blocks;
    let by_hand: Vec<&Block> = blocks.iter().filter(|block| block.kind == "c++").collect();
    let ports: Vec<String> = blocks.iter().flat_map(Block::headers).collect();
    let (&[by_hand], [port]) = (&by_hand[..], &ports[..]) else {
        panic!("one kernel is ported");
    };
    let queue = Queue::new(&Selector::default()).expect("there is a device");
    // Squares of small integers: their sum is the same number in every order.
    let x: Vec<f32> = (0..ROWS * WIDTH).map(|i| (i * 7 % 13 - 6) as f32).collect();
    let weight: Vec<f32> = (0..WIDTH).map(|i| i as f32 / 16.0 - 1.0).collect();
    let y = normalised(&queue, &by_hand.text, &x, &weight);
    assert!(y.iter().any(|y| y.abs() > 1.0), "it writes");
    assert_eq!(normalised(&queue, port, &x, &weight), y);
}

/// What `rms_norm_fp32` of a header gives.
fn normalised(queue: &Queue, header: &str, x: &[f32], weight: &[f32]) -> Vec<f32> {
    let unit = Unit {
        source: Source::Header {
            name: "rms_norm.hpp".to_owned(),
            text: header.to_owned(),
        },
        defines: vec![],
        include_dirs: vec![],
        target: queue.device().target.clone(),
    };
    let runtime = Runtime::global().expect("there is a toolchain");
    let module = runtime.module(&unit).expect("it compiles");
    let function = module.function("rms_norm_fp32", None).expect("it is exported");
    let [x, weight] = [x, weight].map(|data| queue.upload(data).expect("there is room"));
    let y = queue.alloc::<f32>(x.len()).expect("there is room");
    let arguments = (x.view(), weight.view(), y.view(), ROWS, WIDTH, 0.5f32);
    // SAFETY: both functions have these parameters behind the queue; a result is ignored. The buffers hold ROWS · WIDTH and
    // WIDTH elements.
    unsafe { function.call_void(queue, arguments) }.expect("it is submitted");
    y.to_vec().expect("it is copied")
}

#[test]
fn every_argument_of_the_attribute_has_a_section() {
    let unknown = Block {
        kind: "rust",
        text: "#[sycl_kernel(unknown, shapes(x = [n]))]\nfn f(x: &mut [f32], n: i64) { for i in elements(n) { x.store(i, 0.0); } }"
            .to_owned(),
    };
    let message = unknown.messages();
    let (_, known) = message.split_once("there are ").expect("the message lists them");
    let known = known.lines().next().expect("the list is on its line");
    let chapter = include_str!("../src/attribute.md");
    let headings = chapter.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: Vec<&str> = headings.flat_map(|heading| heading.split(", ")).collect();
    for argument in known.split(", ") {
        assert!(
            sections.contains(&argument),
            "attribute.md has no section on `{argument}`"
        );
    }
}

#[test]
fn every_operation_is_listed() {
    let chapter = include_str!("../src/words.md");
    let words: Vec<&str> = chapter.split([' ', '\n', '`', ',', ';']).collect();
    for math in Math::ALL {
        let name = math.name();
        assert!(words.contains(&name), "words.md does not know `{name}`");
    }
}

#[test]
fn the_bounds_are_those_of_the_table() {
    let chapter = include_str!("../src/numerics.md");
    let rows = chapter.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<(Vec<&str>, Vec<&str>)> = rows
        .map(|row| {
            let (names, bounds) = row
                .trim_matches('|')
                .split_once(" | ")
                .expect("names, then bounds");
            let bounds = bounds.split('|').map(str::trim).collect();
            (names.split([' ', '`', ',']).collect(), bounds)
        })
        .collect();
    for math in Math::ALL.iter().filter(|math| math.row().gives == F32) {
        let name = math.name();
        let found = rows.iter().filter(|(names, _)| names.contains(&name));
        let found: Vec<&Vec<&str>> = found.map(|(_, bounds)| bounds).collect();
        let expected = [Library::OpenCl, Library::Cuda].map(|library| math.ulps(library).to_string());
        assert_eq!(found, [&expected], "numerics.md on `{name}`");
    }
}

#[test]
fn the_program_has_the_first_kernel() {
    let program = include_str!("../kernels.rs");
    let first = chapters().into_iter().find(|chapter| chapter.name == "first.md");
    let blocks = first.expect("there is a first chapter").blocks;
    let rust = |kind: &str| {
        blocks
            .iter()
            .find(|block| block.kind == kind)
            .expect("it shows Rust")
    };
    let (kernel, _) = rust("rust").text.split_once("\n# ").expect("the rest is hidden");
    assert!(
        program.contains(kernel.trim_end()),
        "kernels.rs has another kernel"
    );
    assert!(
        program.ends_with(&rust("rust,ignore").text),
        "kernels.rs has another main"
    );
}

#[test]
fn commands_do_what_is_shown() {
    let folder = tempfile::tempdir().expect("there is room");
    for Chapter { name, blocks } in chapters() {
        for block in blocks.iter().filter(|block| block.kind == "console") {
            for command in block.text.split("$ ").skip(1) {
                let (line, shown) = command.split_once('\n').expect("a command is a line");
                let output = run(line, folder.path());
                for expected in shown.lines() {
                    let printed = output.lines().any(|printed| printed.trim_end() == expected);
                    assert!(printed, "{name}: `{line}` does not print `{expected}`:\n{output}");
                }
            }
        }
    }
}

/// What a command of the program prints, if it succeeds.
fn run(line: &str, folder: &Path) -> String {
    let arguments = line
        .strip_prefix("cargo run -- ")
        .unwrap_or_else(|| panic!("`{line}` is no command of the program"));
    let output = Command::new(PROGRAM)
        .args(shlex::split(arguments).expect("quotes are closed"))
        .current_dir(folder)
        .output()
        .expect("the program runs");
    assert!(
        output.status.success(),
        "{line}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("the command prints text")
}
